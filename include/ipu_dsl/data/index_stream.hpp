// SPDX-License-Identifier: MIT
// Runs transformations: a stream of sample numbers that allocates only when it is made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/data/transform.hpp>

namespace ipu_dsl {

/// The numbers of the samples in the order that a chain of transformations gives them. The order
/// depends on the seed, the chain and the number of samples alone. Only construction allocates.
class index_stream {
 public:
  /// Over `samples` samples, numbered from 0. Throws `error` if there are fewer than 0 or 2^32 of
  /// them or more, if the length cannot be counted, or if there is no memory to shuffle in.
  index_stream(std::int64_t samples, std::span<const transformation> steps, std::uint64_t seed)
      : samples_(samples), seed_(seed) {
    if (samples < 0 || samples > most_samples) {
      throw error(
          sentence_of({"A data set has 0 to ", most_samples, " samples, got ", samples, "."}));
    }
    length_ = samples;
    for (const transformation& step : steps) {
      stages_.push_back({step, 0, 0, {}, 0});
      if (step.what == transformation::kind::shuffle) {
        const std::int64_t slots = std::min(step.count, length_.value_or(step.count));
        take_memory(stages_.back().slots, slots);
      }
      length_ = length_after(step, length_);
    }
  }

  /// The number of the next sample; false when there is none left.
  bool next(std::uint32_t& index) { return pull(stages_.size(), index); }

  /// Begins the next pass: shuffled samples come in a new order.
  void restart() { restart(stages_.size()); }

  /// The samples of one pass; no value: without end.
  std::optional<std::int64_t> length() const { return length_; }

 private:
  /// Samples are numbered in 32 bits.
  static constexpr std::int64_t most_samples = 0xFFFF'FFFF;

  static void take_memory(std::vector<std::uint32_t>& slots, std::int64_t count) {
    try {
      slots.resize(static_cast<std::size_t>(count));
    } catch (const std::bad_alloc&) {
      throw error(sentence_of({"There is no memory to shuffle in ", count, " slots."}));
    }
  }

  /// A step and where it is.
  struct stage {
    transformation step;
    std::int64_t done;                 ///< samples taken or skipped, passes ended, numbers drawn
    std::uint64_t pass;                ///< of a shuffle
    std::vector<std::uint32_t> slots;  ///< of a shuffle: [min(buffer, samples)]
    std::size_t filled;                ///< slots in use
  };

  /// The next number that comes out of the first `depth` steps.
  bool pull(std::size_t depth, std::uint32_t& index) {
    if (depth == 0) {
      return pull_source(index);
    }
    switch (stages_[depth - 1].step.what) {
      case transformation::kind::shuffle:
        return pull_shuffled(depth, index);
      case transformation::kind::repeat:
        return pull_repeated(depth, index);
      case transformation::kind::take:
        return pull_taken(depth, index);
      case transformation::kind::skip:
        break;
    }
    return pull_skipped(depth, index);
  }

  bool pull_source(std::uint32_t& index) {
    if (position_ >= samples_) {
      return false;
    }
    index = static_cast<std::uint32_t>(position_);
    ++position_;
    return true;
  }

  bool pull_shuffled(std::size_t depth, std::uint32_t& index) {
    stage& shuffle = stages_[depth - 1];
    std::uint32_t arriving = 0;
    while (shuffle.filled < shuffle.slots.size() && pull(depth - 1, arriving)) {
      shuffle.slots[shuffle.filled] = arriving;
      ++shuffle.filled;
    }
    if (shuffle.filled == 0) {
      return false;
    }
    const std::uint32_t word = random_word(seed_, random_stream(depth, shuffle.pass),
                                           static_cast<std::uint64_t>(shuffle.done));
    const std::uint32_t slot = uniform_below(word, static_cast<std::uint32_t>(shuffle.filled));
    index = shuffle.slots[slot];
    // The slot is refilled when the next number is asked for: with what comes next, put last.
    --shuffle.filled;
    shuffle.slots[slot] = shuffle.slots[shuffle.filled];
    ++shuffle.done;
    return true;
  }

  bool pull_repeated(std::size_t depth, std::uint32_t& index) {
    stage& repeat = stages_[depth - 1];
    // Twice at most: a pass that just began and gives nothing never will.
    for (int attempt = 0; attempt < 2; ++attempt) {
      if (repeat.done == repeat.step.count) {
        return false;
      }
      if (pull(depth - 1, index)) {
        return true;
      }
      if (repeat.step.count != without_end) {
        ++repeat.done;
      }
      restart(depth - 1);
    }
    return false;
  }

  bool pull_taken(std::size_t depth, std::uint32_t& index) {
    stage& taken = stages_[depth - 1];
    if (taken.done == taken.step.count || !pull(depth - 1, index)) {
      return false;
    }
    ++taken.done;
    return true;
  }

  bool pull_skipped(std::size_t depth, std::uint32_t& index) {
    stage& skipped = stages_[depth - 1];
    while (skipped.done < skipped.step.count) {
      if (!pull(depth - 1, index)) {
        return false;
      }
      ++skipped.done;
    }
    return pull(depth - 1, index);
  }

  /// Takes the first `depth` steps back to their beginning.
  void restart(std::size_t depth) {
    position_ = 0;
    for (std::size_t i = 0; i < depth; ++i) {
      stages_[i].done = 0;
      stages_[i].filled = 0;
      ++stages_[i].pass;
    }
  }

  /// Every shuffle of a chain and every pass has random numbers of its own.
  static constexpr std::uint64_t random_stream(std::size_t depth, std::uint64_t pass) {
    constexpr std::uint64_t shuffles = std::uint64_t{0x7368} << 48;
    return shuffles | static_cast<std::uint64_t>(depth) << 40 | pass;
  }

  std::int64_t samples_;
  std::uint64_t seed_;
  std::int64_t position_ = 0;
  std::optional<std::int64_t> length_;
  std::vector<stage> stages_;
};

/// The stream of a data set as it is: in order, once.
template <dataset Data>
index_stream open(const Data& data, std::uint64_t seed) {
  return index_stream(data.size(), {}, seed);
}

/// The stream of a data set with its transformations.
template <dataset Data>
index_stream open(const transformed<Data>& order, std::uint64_t seed) {
  return index_stream(order.data->size(), {order.steps.data(), order.steps.size()}, seed);
}

}  // namespace ipu_dsl
