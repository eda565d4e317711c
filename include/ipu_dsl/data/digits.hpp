// SPDX-License-Identifier: MIT
// Digits that the program writes itself, for those who have no data set at hand.
#pragma once

#include <ipu_dsl/data/digits_interface.hpp>
#ifndef IPU_DSL_COMPILED
#include <ipu_dsl/data/digits_definition.hpp>
#endif
