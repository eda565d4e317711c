// SPDX-License-Identifier: MIT
// Room for one sample more than a feed says that it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/plan/model_interface.hpp>

namespace ipu_dsl {

/// A sample that nobody computes with. Only construction allocates.
class spare_sample {
 public:
  /// For the inputs, targets and weights of a model.
  [[gnu::cold]] explicit spare_sample(const model_interface& model)
      : inputs_(static_cast<std::size_t>(model.inputs)) {
    const list_view<source_interface> wanted = model.wanted(true);
    std::size_t words = 0;
    for (const source_interface& each : wanted) {
      words += words_of(each);
    }
    memory_.resize(words);
    std::size_t first = 0;
    for (const source_interface& each : wanted) {
      const auto elements = static_cast<std::int32_t>(each.extents.elements());
      rows_.push_back({each.type, memory_.data() + first, elements, elements});
      first += words_of(each);
    }
  }

  /// Asks a feed whose pass is over for one sample more. Throws `error` if there is one: it would
  /// be left out without a word.
  [[gnu::cold]] void require_end(feed_reference& source, bool with_targets) {
    const std::size_t asked = with_targets ? rows_.size() : inputs_;
    if (source.next({std::span(rows_.data(), asked), 1}) != 0) {
      raise_error({"A feed has ", *source.length(),
                   " samples by its length(), and gives more behind them. Its "
                   "length() counts the samples of a pass."});
    }
  }

 private:
  /// Of four bytes, as the widest types of a feed have them.
  static std::size_t words_of(const source_interface& source) {
    return static_cast<std::size_t>(source.extents.elements());
  }

  std::size_t inputs_;
  list<float> memory_;
  list<source_rows> rows_;
};

}  // namespace ipu_dsl
