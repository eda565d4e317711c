// SPDX-License-Identifier: MIT
// Files that training goes on from.
#pragma once

#include <ipu_dsl/training/saved_training_interface.hpp>
#ifndef IPU_DSL_COMPILED
#include <ipu_dsl/training/saved_training_definition.hpp>
#endif
