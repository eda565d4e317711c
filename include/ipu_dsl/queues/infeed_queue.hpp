// SPDX-License-Identifier: MIT
// A bounded queue in front of a feed, filled by a thread of its own.
// Over 300 lines: both ends of one queue, a third of it what they promise.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/core/feed_fault.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/queues/queue_alarm.hpp>

namespace ipu_dsl {

/// The static shape of an infeed.
struct infeed_options {
  std::int32_t micro_batch = 0;  ///< samples of an element: that of the model, `micro_batch<32>`
  std::int32_t depth = 3;        ///< elements that wait at most, 1 to 255
};

/// What is wrong with a feed that nobody keeps.
template <typename Source>
struct infeed_source_fault_of {
  static constexpr problem find() {
    problem found = refuse("a feed with a name, which outlives it", "one that nobody keeps",
                           "write auto source = make_feed(data, 1) and give it that, or "
                           "prefetched(data, 1), which owns what it is made of");
    found.where = "infeed_queue";
    return found;
  }

  static constexpr problem value = find();
};

/// Takes micro-batches from a feed on a thread of its own, ahead of whoever trains on them; itself
/// a feed. They come in the order of the feed and with its numbers, so that no bit depends on it.
///
///   auto source = make_feed(digits.train | shuffled(10'000) | repeated(), 1);
///   infeed_queue infeed(source, {.micro_batch = 32});
///   run.fit(infeed, {.steps_per_epoch = 500});
///
/// What waits in it is there for the next run: a `fit` goes on where the last one ended. The thread
/// begins when somebody asks for the first time, or restarts it: a first pass is the feed's first.
/// From then on it takes from the feed past what is asked for; that the feed has come to its end,
/// or has thrown, is said only when somebody asks for what would have come then. What it threw is
/// thrown to that one, and asking again asks the feed again. Nothing is allocated once it is made.
/// The feed must outlive it and is left alone meanwhile; what waits when the queue ends is lost to
/// the feed. A feed that waits without a stop token is waited for by the destructor.
class infeed_queue {
 public:
  static constexpr std::int32_t most_depth = 255;

  /// Throws `error` for a depth other than 1 to `most_depth`.
  static void check_depth(std::int32_t depth) {
    if (depth < 1 || depth > most_depth) {
      throw error(sentence_of(
          {"An infeed has a depth of 1 to ", most_depth, " elements, got ", depth, "."}));
    }
  }

  /// Throws `error` for a depth other than 1 to `most_depth`, an empty micro-batch, a feed of
  /// nothing, or if the system grants no thread.
  template <feed Source>
    requires(!std::same_as<Source, infeed_queue>)
  infeed_queue(Source& source, const infeed_options& options) : source_(source), options_(options) {
    check();
    lay_out();
    start();
  }

  /// Refused with a sentence: data that are no feed.
  template <typename Source>
    requires(!feed<Source>)
  infeed_queue(Source&&, const infeed_options& options)
      : source_(refused_feed()), options_(options) {
    static_assert(check_feed_wanted<std::remove_reference_t<Source>>());
  }

  /// The same: a feed that nobody keeps.
  template <typename Source>
    requires(feed<Source> && !std::is_reference_v<Source>)
  infeed_queue(Source&&, const infeed_options& options)
      : source_(refused_feed()), options_(options) {
    static_assert(diagnose<infeed_source_fault_of<Source>>());
  }

  infeed_queue(const infeed_queue&) = delete;
  infeed_queue& operator=(const infeed_queue&) = delete;

  ~infeed_queue() {
    closing_.store(true, std::memory_order_seq_cst);
    alarm_.ring();
    source_.wake();
    producer_.join();
  }

  /// The next element, or 0 behind the last; waits for the thread. Throws `error` for rows of
  /// another micro-batch than the queue's, but behind the last, where sessions ask for one sample
  /// more, and what the feed threw in place of this element.
  std::int32_t next(const feed_rows& rows, const stop_token& stop = {}) {
    check_sources(rows);
    if (!begun_.load(std::memory_order_relaxed)) {
      check_micro_batch(rows);
    }
    begin();
    for (;;) {
      const std::uint32_t before = alarm_.rung();
      // In this order: an element that is pushed comes before the end that is seen behind it.
      const source_state state = state_.load(std::memory_order_acquire);
      if (pushed_.load(std::memory_order_acquire) != popped_.load(std::memory_order_relaxed)) {
        check_micro_batch(rows);
        return pop(rows);
      }
      if (state == source_state::failed) {
        throw_failure();
      }
      if (state == source_state::ended || stop.requested()) {
        copy(rows, 0, 0);
        return 0;
      }
      alarm_.wait(before);
    }
  }

  /// Begins the feed's next pass; what waits of this one is dropped. Throws what the feed throws.
  void restart() {
    wanted_.fetch_add(1, std::memory_order_seq_cst);
    alarm_.ring();
    source_.wake();
    for (;;) {
      const std::uint32_t before = alarm_.rung();
      if (!restart_wanted()) {
        break;
      }
      alarm_.wait(before);
    }
    if (restart_failure_ != nullptr) {
      std::rethrow_exception(std::exchange(restart_failure_, nullptr));
    }
  }

  std::span<const source_form> sources() const { return source_.sources(); }

  std::optional<std::int64_t> length() const { return source_.length(); }

  /// Sends whoever waits in `next` to look at its stop token.
  void wake() noexcept { alarm_.ring(); }

  /// How many elements wait at this moment: 0 whenever the data are slower than the model.
  std::int32_t waiting() const {
    return static_cast<std::int32_t>(pushed_.load(std::memory_order_acquire) -
                                     popped_.load(std::memory_order_acquire));
  }

  std::int32_t depth() const { return options_.depth; }

  /// Samples of an element.
  std::int32_t micro_batch() const { return options_.micro_batch; }

 private:
  enum class source_state { runs, ended, failed };

  void check() const {
    check_depth(options_.depth);
    if (options_.micro_batch < 1) {
      throw error(
          sentence_of({"An element of an infeed has at least 1 sample, got ", options_.micro_batch,
                       ". Hint: say the model's micro-batch, {.micro_batch = 32}."}));
    }
    if (sources().empty()) {
      throw error("An infeed takes from a feed of at least 1 source, this one has none.");
    }
    for (const source_form& each : sources()) {
      if (each.elements < 1) {
        throw error(sentence_of(
            {"A source of an infeed has at least 1 number a sample, got ", each.elements, "."}));
      }
    }
  }

  /// Rows without padding: an element is [micro_batch, elements] of each source, one behind the
  /// other, each on a line of its own.
  void lay_out() {
    constexpr std::size_t line = 64;
    list<std::size_t> offsets;
    std::size_t bytes = 0;
    for (const source_form& each : sources()) {
      offsets.push_back(bytes);
      const std::size_t used = static_cast<std::size_t>(options_.micro_batch) *
                               static_cast<std::size_t>(each.elements) *
                               static_cast<std::size_t>(bytes_of(each.type));
      bytes += (used + line - 1) / line * line;
    }
    memory_ = list<std::byte>(bytes * static_cast<std::size_t>(options_.depth));
    valid_ = list<std::int32_t>(options_.depth);
    for (std::int32_t slot = 0; slot < options_.depth; ++slot) {
      std::byte* const first = memory_.data() + bytes * static_cast<std::size_t>(slot);
      for (std::size_t i = 0; i < sources().size(); ++i) {
        const source_form& form = sources()[i];
        const auto elements = static_cast<std::int32_t>(form.elements);
        rows_.push_back({form.type, first + offsets[i], elements, elements});
      }
    }
  }

  void start() {
    try {
      producer_ = std::thread([this] { produce(); });
    } catch (const std::system_error& refused) {
      throw error(sentence_of(
          {"The system grants no thread to an infeed: ", refused.code().message(), "."}));
    }
  }

  void begin() {
    if (!begun_.load(std::memory_order_relaxed)) {
      begun_.store(true, std::memory_order_seq_cst);
      alarm_.ring();
    }
  }

  std::span<const source_rows> slot(std::uint64_t element) const {
    const std::size_t sources = this->sources().size();
    return {rows_.data() + sources * (element % static_cast<std::uint64_t>(options_.depth)),
            sources};
  }

  void check_micro_batch(const feed_rows& rows) const {
    if (rows.micro_batch != options_.micro_batch) {
      throw error(sentence_of({"An infeed of micro-batches of ", options_.micro_batch,
                               " samples was asked for one of ", rows.micro_batch, "."}));
    }
  }

  void check_sources(const feed_rows& rows) const {
    if (rows.sources.size() > sources().size()) {
      throw error(sentence_of({"An infeed of ", sources().size(), " sources was asked for ",
                               rows.sources.size(), "."}));
    }
  }

  std::int32_t pop(const feed_rows& rows) {
    const std::uint64_t element = popped_.load(std::memory_order_relaxed);
    const std::int32_t valid = valid_[element % static_cast<std::uint64_t>(options_.depth)];
    copy(rows, element, (std::clamp)(valid, 0, options_.micro_batch));
    popped_.store(element + 1, std::memory_order_release);
    alarm_.ring();
    return valid;
  }

  /// The first `valid` rows of an element, and zeros behind them and behind each.
  void copy(const feed_rows& rows, std::uint64_t element, std::int32_t valid) const {
    const std::span<const source_rows> from = slot(element);
    for (std::size_t i = 0; i < rows.sources.size(); ++i) {
      const source_rows& to = rows.sources[i];
      const std::size_t number = static_cast<std::size_t>(bytes_of(from[i].type));
      const std::size_t used = static_cast<std::size_t>(from[i].elements) * number;
      const std::size_t stride = static_cast<std::size_t>(to.stride) * number;
      const auto* read = static_cast<const std::byte*>(from[i].first);
      auto* written = static_cast<std::byte*>(to.first);
      for (std::int32_t row = 0; row < rows.micro_batch; ++row) {
        const std::size_t kept = row < valid ? used : 0;
        std::memcpy(written, read, kept);
        std::memset(written + kept, 0, stride - kept);
        read += used;
        written += stride;
      }
    }
  }

  [[noreturn]] void throw_failure() {
    const std::exception_ptr failure = std::exchange(failure_, nullptr);
    state_.store(source_state::runs, std::memory_order_release);
    alarm_.ring();
    std::rethrow_exception(failure);
  }

  bool restart_wanted() const {
    return wanted_.load(std::memory_order_seq_cst) != restarted_.load(std::memory_order_seq_cst);
  }

  /// What the feed's token answers: nobody wants the rows that it is asked for any more.
  bool interrupted() const { return closing_.load(std::memory_order_seq_cst) || restart_wanted(); }

  bool has_room() const {
    return pushed_.load(std::memory_order_relaxed) - popped_.load(std::memory_order_acquire) <
           static_cast<std::uint64_t>(options_.depth);
  }

  void produce() {
    while (!closing_.load(std::memory_order_seq_cst)) {
      const std::uint32_t before = alarm_.rung();
      if (restart_wanted()) {
        begin_anew();
      } else if (begun_.load(std::memory_order_seq_cst) &&
                 state_.load(std::memory_order_acquire) == source_state::runs && has_room()) {
        push();
      } else if (!interrupted()) {
        alarm_.wait(before);
      }
    }
  }

  /// Whoever wanted it waits meanwhile, so that both ends of the queue are this thread's.
  void begin_anew() {
    failure_ = nullptr;
    begun_.store(true, std::memory_order_seq_cst);
    popped_.store(pushed_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    state_.store(source_state::runs, std::memory_order_relaxed);
    try {
      source_.restart();
    } catch (...) {
      restart_failure_ = std::current_exception();
    }
    restarted_.store(wanted_.load(std::memory_order_relaxed), std::memory_order_seq_cst);
    alarm_.ring();
  }

  void push() {
    const std::uint64_t element = pushed_.load(std::memory_order_relaxed);
    source_state found = source_state::runs;
    try {
      const stop_token stop{this, [](const void* queue) {
                              return static_cast<const infeed_queue*>(queue)->interrupted();
                            }};
      const std::int32_t valid = source_.next({slot(element), options_.micro_batch}, stop);
      valid_[element % static_cast<std::uint64_t>(options_.depth)] = valid;
      found = valid == 0 ? source_state::ended : source_state::runs;
    } catch (...) {
      failure_ = std::current_exception();
      found = source_state::failed;
    }
    if (interrupted()) {
      return;
    }
    if (found == source_state::runs) {
      pushed_.store(element + 1, std::memory_order_release);
    } else {
      state_.store(found, std::memory_order_release);
    }
    alarm_.ring();
  }

  feed_reference source_;
  infeed_options options_;
  list<std::byte> memory_;
  list<source_rows> rows_;    ///< [depth, sources]
  list<std::int32_t> valid_;  ///< [depth] what the feed said
  std::atomic<std::uint64_t> pushed_{0};
  std::atomic<std::uint64_t> popped_{0};
  std::atomic<source_state> state_{source_state::runs};
  std::atomic<std::uint32_t> wanted_{0};  ///< restarts
  std::atomic<std::uint32_t> restarted_{0};
  std::atomic<bool> begun_{false};  ///< somebody has asked
  std::atomic<bool> closing_{false};
  std::exception_ptr failure_;          ///< the reader's while `failed`, else the thread's
  std::exception_ptr restart_failure_;  ///< the reader's once the restart is done
  queue_alarm alarm_;
  std::thread producer_;
};

}  // namespace ipu_dsl
