// SPDX-License-Identifier: MIT
// Defining a model and using its session, without the code behind it: for sources whose session is
// compiled in another one; see `session_code`.
#pragma once

// First, so that a compiler that tells by which way it came has the fewest lines before a sentence.
#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/exceptions.hpp>
#include <ipu_dsl/core/version.hpp>
#include <ipu_dsl/data/digits.hpp>
#include <ipu_dsl/data/input_of.hpp>
#include <ipu_dsl/data/mnist.hpp>
#include <ipu_dsl/data/paired_dataset.hpp>
#include <ipu_dsl/data/transform.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/model/split_at.hpp>
#include <ipu_dsl/plan/predictor_names.hpp>
#include <ipu_dsl/training/session_interface.hpp>
#include <ipu_dsl/vocabulary/library.hpp>
