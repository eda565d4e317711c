// SPDX-License-Identifier: MIT
// Runs transformations: a stream of sample numbers that allocates only when it is made.
#pragma once

#include <ipu_dsl/data/index_stream_interface.hpp>
#ifndef IPU_DSL_COMPILED
#include <ipu_dsl/data/index_stream_definition.hpp>
#endif
