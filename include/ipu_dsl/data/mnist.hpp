// SPDX-License-Identifier: MIT
// MNIST in its original files.
#pragma once

#include <ipu_dsl/data/mnist_interface.hpp>
#ifndef IPU_DSL_COMPILED
#include <ipu_dsl/data/mnist_definition.hpp>
#endif
