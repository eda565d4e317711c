// SPDX-License-Identifier: MIT
// An argument of any type, for calls that are refused.
#pragma once

namespace ipu_dsl {

/// Whatever is given, a list in braces too, of which no template is told what it is. It is reached
/// by a conversion: a call that takes the argument as it is comes first.
struct anything {
  template <typename First, typename... More>
  constexpr anything(First&&, More&&...) {}
};

}  // namespace ipu_dsl
