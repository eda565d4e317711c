// SPDX-License-Identifier: MIT
// What index_stream_interface.hpp declares.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/data/index_stream_interface.hpp>

namespace ipu_dsl {

namespace shuffles {

/// Every shuffle of a chain and every pass has random numbers of its own.
constexpr std::uint64_t random_stream(std::size_t depth, std::uint64_t pass) {
  constexpr std::uint64_t shuffles = std::uint64_t{0x7368} << 48;
  return shuffles | static_cast<std::uint64_t>(depth) << 40 | pass;
}

}  // namespace shuffles

IPU_DSL_INLINE index_stream::index_stream(std::int64_t samples, list_view<transformation> steps,
                                          std::uint64_t seed)
    : samples_(samples), seed_(seed), length_(samples) {
  if (samples < 0 || samples > most_samples) {
    raise_error({"A data set has 0 to ", most_samples, " samples, got ", samples, "."});
  }
  bool by_numbers = true;
  for (const transformation& step : steps) {
    stages_.push_back({step, 0, 0, {}, 0, length_, by_numbers});
    if (step.what == transformation::kind::shuffle) {
      stages_.back().slots = take_slots(step, length_);
      by_numbers = false;
    }
    if (step.what == transformation::kind::skip && !by_numbers && step.count > most_drawn) {
      raise_error({"skip(", step.count,
                   ") behind shuffled draws as many samples; expected at most ", most_drawn,
                   ". Hint: skip before shuffled"});
    }
    length_ = length_after(step, length_);
  }
}

IPU_DSL_INLINE list<std::uint32_t> index_stream::take_slots(const transformation& shuffle,
                                                            std::int64_t length) const {
  const std::int64_t count =
      length == without_end ? shuffle.count : (std::min)(shuffle.count, length);
  const std::int64_t most = (std::max)(most_slots, samples_);
  if (count > most) {
    raise_error({"shuffled(", shuffle.count, ") takes ", count, " slots for ", samples_,
                 " samples; expected at most ", most,
                 ". Hint: as many slots as samples give every order the same chance"});
  }
  list<std::uint32_t> slots;
  try {
    slots.resize(static_cast<std::size_t>(count));
  } catch (const std::bad_alloc&) {
    raise_error({"There is no memory to shuffle in ", count, " slots."});
  }
  return slots;
}

IPU_DSL_INLINE bool index_stream::pull(std::size_t depth, std::uint32_t& index) {
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

IPU_DSL_INLINE bool index_stream::pull_source(std::uint32_t& index) {
  if (position_ >= samples_) {
    return false;
  }
  index = static_cast<std::uint32_t>(position_);
  ++position_;
  return true;
}

IPU_DSL_INLINE bool index_stream::pull_shuffled(std::size_t depth, std::uint32_t& index) {
  stage& shuffle = stages_[depth - 1];
  std::uint32_t arriving = 0;
  while (shuffle.filled < shuffle.slots.size() && pull(depth - 1, arriving)) {
    shuffle.slots[shuffle.filled] = arriving;
    ++shuffle.filled;
  }
  if (shuffle.filled == 0) {
    return false;
  }
  const std::uint32_t word = random_word(seed_, shuffles::random_stream(depth, shuffle.pass),
                                         static_cast<std::uint64_t>(shuffle.done));
  const std::uint32_t slot = uniform_below(word, static_cast<std::uint32_t>(shuffle.filled));
  index = shuffle.slots[slot];
  // The slot is refilled when the next number is asked for: with what comes next, put last.
  --shuffle.filled;
  shuffle.slots[slot] = shuffle.slots[shuffle.filled];
  ++shuffle.done;
  return true;
}

IPU_DSL_INLINE bool index_stream::pull_repeated(std::size_t depth, std::uint32_t& index) {
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

IPU_DSL_INLINE bool index_stream::pull_taken(std::size_t depth, std::uint32_t& index) {
  stage& taken = stages_[depth - 1];
  if (taken.done == taken.step.count || !pull(depth - 1, index)) {
    return false;
  }
  ++taken.done;
  return true;
}

IPU_DSL_INLINE bool index_stream::pull_skipped(std::size_t depth, std::uint32_t& index) {
  stage& skipped = stages_[depth - 1];
  if (skipped.by_numbers && skipped.done < skipped.step.count) {
    skipped.done += advance(depth - 1, skipped.step.count - skipped.done);
    return skipped.done == skipped.step.count && pull(depth - 1, index);
  }
  while (skipped.done < skipped.step.count) {
    if (!pull(depth - 1, index)) {
      return false;
    }
    ++skipped.done;
  }
  return pull(depth - 1, index);
}

IPU_DSL_INLINE std::int64_t index_stream::advance(std::size_t depth, std::int64_t count) {
  if (depth == 0) {
    const std::int64_t moved = (std::min)(count, samples_ - position_);
    position_ += moved;
    return moved;
  }
  stage& last = stages_[depth - 1];
  const std::int64_t left = last.step.count - last.done;
  switch (last.step.what) {
    case transformation::kind::repeat:
      return advance_repeated(depth, count);
    case transformation::kind::take: {
      const std::int64_t moved = advance(depth - 1, (std::min)(count, left));
      last.done += moved;
      return moved;
    }
    default:
      last.done += advance(depth - 1, left);
      return last.done == last.step.count ? advance(depth - 1, count) : 0;
  }
}

IPU_DSL_INLINE std::int64_t index_stream::advance_repeated(std::size_t depth, std::int64_t count) {
  stage& repeat = stages_[depth - 1];
  if (repeat.done == repeat.step.count) {
    return 0;
  }
  // The rest of the pass at hand.
  std::int64_t moved = advance(depth - 1, count);
  if (moved == count) {
    return moved;
  }
  const bool ends = repeat.step.count != without_end;
  repeat.done += ends ? 1 : 0;
  restart(depth - 1);
  if (repeat.before == 0) {
    return moved;
  }
  // Whole passes, then a part of one.
  std::int64_t passes = (count - moved) / repeat.before;
  if (ends) {
    passes = (std::min)(passes, repeat.step.count - repeat.done);
    repeat.done += passes;
  }
  moved += passes * repeat.before;
  if (repeat.done == repeat.step.count) {
    return moved;
  }
  return moved + advance(depth - 1, count - moved);
}

IPU_DSL_INLINE list<std::uint64_t> index_stream::position() const {
  list<std::uint64_t> words{static_cast<std::uint64_t>(samples_), seed_, stages_.size(),
                            static_cast<std::uint64_t>(position_)};
  for (const stage& each : stages_) {
    words.push_back(static_cast<std::uint64_t>(each.step.what));
    words.push_back(static_cast<std::uint64_t>(each.step.count));
    words.push_back(static_cast<std::uint64_t>(each.done));
    words.push_back(each.pass);
    words.push_back(each.filled);
    for (std::size_t i = 0; i < each.filled; i += 2) {
      const std::uint64_t second = i + 1 < each.filled ? each.slots[i + 1] : 0;
      words.push_back(each.slots[i] | second << 32);
    }
  }
  return words;
}

IPU_DSL_INLINE void index_stream::go_to(list_view<std::uint64_t> where) {
  constexpr std::size_t head = 4;
  if (where.size() < head || where[3] > where[0]) {
    raise_error({"This is no position in data of ", samples_, " samples."});
  }
  if (where[0] != static_cast<std::uint64_t>(samples_)) {
    raise_error({"This is a position in data of ", where[0], " samples, these have ", samples_,
                 ". Hint: go on with the data that it was taken of."});
  }
  if (where[2] != stages_.size()) {
    raise_error({"This is a position behind ", where[2], where[2] == 1 ? " step" : " steps",
                 " of shuffled, repeated, take or skip, these data have ", stages_.size(),
                 ". Hint: go on with the data that it was taken of."});
  }
  if (where[1] != seed_) {
    raise_error({"This is a position in data of the seed ", where[1], ", these have the seed ",
                 seed_, "."});
  }
  list<stage> found = stages_;
  std::size_t next = head;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t taken = read_stage(found[i], {where.data() + next, where.size() - next});
    if (taken == 0) {
      raise_error({"This is a position in other data: step ", i + 1,
                   " of shuffled, repeated, take or skip is another."});
    }
    next += taken;
  }
  if (next != where.size()) {
    raise_error({"A position in these data has ", next, " words, got ", where.size(), "."});
  }
  position_ = static_cast<std::int64_t>(where[3]);
  stages_ = std::move(found);
}

IPU_DSL_INLINE std::size_t index_stream::read_stage(stage& to,
                                                    list_view<std::uint64_t> from) const {
  constexpr std::size_t head = 5;
  if (from.size() < head || from[0] != static_cast<std::uint64_t>(to.step.what) ||
      from[1] != static_cast<std::uint64_t>(to.step.count) || from[4] > to.slots.size() ||
      from.size() - head < (from[4] + 1) / 2) {
    return 0;
  }
  to.done = static_cast<std::int64_t>(from[2]);
  to.pass = from[3];
  to.filled = static_cast<std::size_t>(from[4]);
  const bool ends = to.step.what != transformation::kind::shuffle && to.step.count != without_end;
  if (to.done < 0 || (ends && to.done > to.step.count)) {
    return 0;
  }
  for (std::size_t i = 0; i < to.filled; ++i) {
    to.slots[i] = static_cast<std::uint32_t>(from[head + i / 2] >> (i % 2 * 32));
    if (to.slots[i] >= samples_) {
      return 0;
    }
  }
  return head + (to.filled + 1) / 2;
}

IPU_DSL_INLINE void index_stream::begin_behind(std::uint64_t passes) {
  for (stage& each : stages_) {
    each.pass += passes;
  }
}

IPU_DSL_INLINE void index_stream::restart(std::size_t depth) {
  position_ = 0;
  for (std::size_t i = 0; i < depth; ++i) {
    stages_[i].done = 0;
    stages_[i].filled = 0;
    ++stages_[i].pass;
  }
}

}  // namespace ipu_dsl
