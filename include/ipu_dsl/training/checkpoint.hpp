// SPDX-License-Identifier: MIT
// The weights of a session in files that NumPy reads.
#pragma once

#include <ipu_dsl/training/checkpoint_interface.hpp>
#ifndef IPU_DSL_COMPILED
#include <ipu_dsl/training/checkpoint_definition.hpp>
#endif
