// SPDX-License-Identifier: MIT
// So many micro-batches of a feed, and no more are taken from it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/data/batch_feed.hpp>

namespace ipu_dsl {

/// Throws `error` for fewer micro-batches than none.
[[gnu::cold]] inline void check_handed_out(std::int64_t micro_batches) {
  if (micro_batches < 0) {
    raise_error(
        {"A session hands out 0 micro-batches or more, it was asked for ", micro_batches, "."});
  }
}

/// The next micro-batches of a feed, which goes on behind them. Ends early where the feed ends, of
/// which the last micro-batch may be short. Throws `error` for more samples than were asked for.
class counted_feed {
 public:
  counted_feed(feed_reference& source, std::int64_t micro_batches)
      : source_(&source), left_(micro_batches) {}

  std::int32_t next(const feed_rows& rows, const stop_token& stop = {}) {
    if (left_ == 0 || ended_) {
      feeds::clear_unused(rows, 0);
      return 0;
    }
    const std::int32_t valid = source_->next(rows, stop);
    if (valid < 0 || valid > rows.micro_batch) {
      raise_error({"A feed was asked for a micro-batch of ", rows.micro_batch,
                   " samples and says that it gave ", valid, "; expected 0 to ", rows.micro_batch,
                   "."});
    }
    ended_ = valid < rows.micro_batch;
    left_ -= valid > 0 ? 1 : 0;
    return valid;
  }

  void restart() { source_->restart(); }

  void wake() noexcept { source_->wake(); }

  std::span<const source_form> sources() const { return source_->sources(); }

  std::optional<std::int64_t> length() const { return source_->length(); }

  /// Micro-batches that are still to come.
  std::int64_t left() const { return left_; }

  /// Whether the feed has come to its end.
  bool ended() const { return ended_; }

 private:
  feed_reference* source_;
  std::int64_t left_;
  bool ended_ = false;
};

}  // namespace ipu_dsl
