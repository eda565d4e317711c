// SPDX-License-Identifier: MIT
// The language and the compilers that the library is written for. Every header includes this one,
// by way of others, before anything of ours.
#pragma once

// With another one there would be hundreds of errors. After a file that is not there, and after
// nothing else, every compiler stops.
#if __cplusplus < 202002L
#include <ipu_dsl: expected C++20 or newer, got an older standard (compile with -std=c++20)>
#elif defined(__clang__) && !defined(__apple_build_version__) && __clang_major__ < 19
#include <ipu_dsl: expected clang 19 or newer, got an older clang (g++ 12 does as well)>
#elif !defined(__clang__) && defined(__GNUC__) && __GNUC__ < 12
#include <ipu_dsl: expected g++ 12 or newer, got an older g++ (clang 19 does as well)>
#endif
