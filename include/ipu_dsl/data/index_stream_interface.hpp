// SPDX-License-Identifier: MIT
// A stream of sample numbers: what there is, without the code that runs the transformations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <ipu_dsl/core/inline.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/data/transform.hpp>

namespace ipu_dsl {

/// The numbers of the samples in the order that a chain of transformations gives them. The order
/// depends on the seed, the chain and the number of samples alone. Only construction allocates.
class index_stream {
 public:
  /// Over `samples` samples, numbered from 0. Throws `error` if there are fewer than 0 or 2^32 of
  /// them or more, if the length cannot be counted, if a shuffle takes more than 2^28 slots (1 GiB)
  /// and more than there are samples, if there is no memory to shuffle in, or if more than 2^32
  /// samples are skipped behind a shuffle, which has to draw each of them.
  [[gnu::cold]] index_stream(std::int64_t samples, list_view<transformation> steps,
                             std::uint64_t seed);

  /// The number of the next sample; false when there is none left.
  bool next(std::uint32_t& index) { return pull(stages_.size(), index); }

  /// Begins the next pass: shuffled samples come in a new order.
  void restart() { restart(stages_.size()); }

  /// The samples of one pass; no value: without end.
  std::optional<std::int64_t> length() const {
    return length_ == without_end ? std::nullopt : std::optional(length_);
  }

  /// Goes on where a stream of the same data stands behind so many passes: with the orders of those
  /// that follow. Before the first sample alone.
  [[gnu::cold]] void begin_behind(std::uint64_t passes);

  /// Where it stands, what waits to be shuffled included: half a word a slot.
  [[gnu::cold]] list<std::uint64_t> position() const;

  /// Goes on as a stream that stood there. Throws `error`, and changes nothing, unless that was one
  /// of as many samples, with these transformations and this seed.
  [[gnu::cold]] void go_to(list_view<std::uint64_t> where);

 private:
  /// Samples are numbered in 32 bits.
  static constexpr std::int64_t most_samples = 0xFFFF'FFFF;

  /// Of a shuffle, unless there are more samples.
  static constexpr std::int64_t most_slots = std::int64_t{1} << 28;

  /// Slots for what comes out of the steps before, `length` samples or `without_end`.
  [[gnu::cold]] list<std::uint32_t> take_slots(const transformation& shuffle,
                                               std::int64_t length) const;

  /// Of a skip behind a shuffle.
  static constexpr std::int64_t most_drawn = std::int64_t{1} << 32;

  /// A step and where it is.
  struct stage {
    transformation step;
    std::int64_t done;          ///< samples taken or skipped, passes ended, numbers drawn
    std::uint64_t pass;         ///< of a shuffle
    list<std::uint32_t> slots;  ///< of a shuffle: [min(buffer, samples)]
    std::size_t filled;         ///< slots in use
    std::int64_t before;        ///< samples of one pass that go in; `without_end`
    bool by_numbers;            ///< no shuffle before: what comes next is known without drawing
  };

  /// The next number that comes out of the first `depth` steps.
  bool pull(std::size_t depth, std::uint32_t& index);

  bool pull_source(std::uint32_t& index);

  bool pull_shuffled(std::size_t depth, std::uint32_t& index);

  bool pull_repeated(std::size_t depth, std::uint32_t& index);

  bool pull_taken(std::size_t depth, std::uint32_t& index);

  bool pull_skipped(std::size_t depth, std::uint32_t& index);

  /// Steps over the next `count` samples that come out of the first `depth` steps, none of which
  /// shuffles; returns how many there were. A pass takes no longer than a sample.
  std::int64_t advance(std::size_t depth, std::int64_t count);

  std::int64_t advance_repeated(std::size_t depth, std::int64_t count);

  /// Reads where a step stands from words that begin with it; returns how many it took, 0 if they
  /// are of no such step.
  [[gnu::cold]] std::size_t read_stage(stage& to, list_view<std::uint64_t> from) const;

  /// Takes the first `depth` steps back to their beginning.
  void restart(std::size_t depth);

  std::int64_t samples_;
  std::uint64_t seed_;
  std::int64_t position_ = 0;
  std::int64_t length_;  ///< of one pass, or `without_end`
  list<stage> stages_;
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

/// The same of data that it owns.
template <dataset Data>
index_stream open(const owned_transformed<Data>& order, std::uint64_t seed) {
  return index_stream(order.data.size(), {order.steps.data(), order.steps.size()}, seed);
}

}  // namespace ipu_dsl
