// SPDX-License-Identifier: MIT
// What is said where a feed is wanted and something else is given.
#pragma once

#include <type_traits>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/core/type_name.hpp>

namespace ipu_dsl {

/// Data where a feed is wanted, whose place would begin anew with every call.
template <typename T>
struct feed_wanted_fault_of {
  static constexpr problem find() {
    problem found = refuse("a feed, which keeps its place from call to call", type_name<T>(),
                           "write auto source = make_feed(data, 1) and give it that");
    if constexpr (requires(const T& data, float* row) { data.gather(0U, row); }) {
      found.got = "a data set";
    } else if constexpr (feed<T>) {
      found.got = "a constant one";
      found.hint = "write auto source = make_feed(...), without const";
    }
    found.where = "the data";
    return found;
  }

  static constexpr problem value = find();
};

/// Makes one compile error with one sentence if `Source` is no feed that can go on; always true.
template <typename Source>
constexpr bool check_feed_wanted() {
  if constexpr (feed<Source>) {
    return true;
  } else {
    return diagnose<feed_wanted_fault_of<std::remove_const_t<Source>>>();
  }
}

/// What is used in place of such; in no program that compiles.
feed_reference& refused_feed();

}  // namespace ipu_dsl
