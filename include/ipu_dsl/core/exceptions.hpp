// SPDX-License-Identifier: MIT
// Included first by what throws: sessions, files and data sets. `ipu_dsl/inference.hpp` does
// without.
#pragma once

#include <ipu_dsl/core/standard.hpp>

// After a file that is not there, and after nothing else, every compiler stops.
#if !defined(__cpp_exceptions)
#include <ipu_dsl: expected exceptions for sessions, files and data sets, got -fno-exceptions (the header inference predicts without)>
#endif
