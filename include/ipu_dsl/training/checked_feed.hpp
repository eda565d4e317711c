// SPDX-License-Identifier: MIT
// A feed that is held to what it says: whatever a session runs takes its samples through one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/feed.hpp>

namespace ipu_dsl {

/// Passes on what another feed gives. `next` throws `error` for more samples than were asked for,
/// for fewer than none, and for fewer than there must be: training takes full micro-batches, a pass
/// over the data takes full ones until as many samples have come as `length()` said, and none then.
class checked_feed {
 public:
  /// Of training: every micro-batch is full.
  static checked_feed of_training(feed_reference& source) { return {source, std::nullopt}; }

  /// Of one pass over data with an end, which has just begun.
  static checked_feed of_pass(feed_reference& source) { return {source, *source.length()}; }

  std::int32_t next(const feed_rows& rows, const stop_token& stop = {}) {
    const std::int32_t valid = source_->next(rows, stop);
    if (valid < 0 || valid > rows.micro_batch) {
      raise_error({"A feed was asked for a micro-batch of ", rows.micro_batch,
                   " samples and says that it gave ", valid, "; expected 0 to ", rows.micro_batch,
                   "."});
    }
    if (left_) {
      check_pass(valid, rows.micro_batch);
      *left_ -= valid;
    } else if (valid < rows.micro_batch) {
      raise_error({"The data ran out while training: a micro-batch has ", rows.micro_batch,
                   " samples, got ", valid, ". Repeat the data or ask for fewer steps."});
    }
    return valid;
  }

  void restart() { source_->restart(); }

  void wake() noexcept { source_->wake(); }

  std::span<const source_form> sources() const { return source_->sources(); }

  std::optional<std::int64_t> length() const { return source_->length(); }

 private:
  checked_feed(feed_reference& source, std::optional<std::int64_t> left)
      : source_(&source), left_(left) {}

  [[gnu::cold]] void check_pass(std::int32_t valid, std::int32_t micro_batch) const {
    const std::int64_t expected = std::min<std::int64_t>(*left_, micro_batch);
    if (valid != expected) {
      const std::int64_t length = *source_->length();
      raise_error({"A feed has ", length, " samples by its length(); behind the first ",
                   length - *left_, " it gave ", valid, " instead of ", expected,
                   ". Only its last micro-batch may be short."});
    }
  }

  feed_reference* source_;
  std::optional<std::int64_t> left_;  ///< samples of the pass; no value: training
};

}  // namespace ipu_dsl
