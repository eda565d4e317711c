// SPDX-License-Identifier: MIT
// Parameters as people think of them: by layer and name, in [in, out] order.
#pragma once

#include <ipu_dsl/runtime/parameters_interface.hpp>
#ifndef IPU_DSL_COMPILED
#include <ipu_dsl/runtime/parameters_definition.hpp>
#endif
