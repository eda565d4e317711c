// SPDX-License-Identifier: MIT
// `{}` where a callback takes options: all of them have defaults, or one is missing.
#pragma once

#include <cstdint>

namespace ipu_dsl {

/// What `{}` is in `progress_bar({})`: of the callback itself, which could be copied from an empty
/// list, and of its options neither is nearer to it than the other; this number is nearer than
/// both.
enum class no_options : std::uint8_t {};

/// The same where one option has no default: compilers name it.
enum class filepath_is_missing : std::uint8_t {};
enum class filename_is_missing : std::uint8_t {};

}  // namespace ipu_dsl
