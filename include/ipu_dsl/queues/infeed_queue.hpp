// SPDX-License-Identifier: MIT
// A bounded queue in front of a feed, filled by a thread of its own.
// Over 300 lines: both ends of one queue, a third of it what they promise.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstdint>
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
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/queues/feed_anchors.hpp>
#include <ipu_dsl/queues/infeed_memory.hpp>
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

/// What is wrong with a number in place of the options.
template <typename Number>
struct infeed_options_fault_of {
  static constexpr problem find() {
    problem found = refuse("infeed_options by their names", "a number",
                           "write infeed_queue infeed(source, {.micro_batch = 32, .depth = 3})");
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
/// thrown to that one, and asking again asks the feed again. Where the feed says where it stands,
/// the queue says where its reader does. Nothing is allocated once it is made, but for the words of
/// that: when a pass begins, and when somebody asks.
/// The feed must outlive it and is left alone meanwhile; what waits when the queue ends is lost to
/// the feed. A feed that waits without a stop token is waited for by the destructor.
class infeed_queue {
 public:
  static constexpr std::int32_t most_depth = 255;

  /// Throws `error` for a depth other than 1 to `most_depth`.
  static void check_depth(std::int32_t depth) {
    if (depth < 1 || depth > most_depth) {
      raise_error({"An infeed has a depth of 1 to ", most_depth, " elements, got ", depth, "."});
    }
  }

  /// Throws `error` for rows of another micro-batch than a queue's.
  static void check_micro_batch(const feed_rows& rows, std::int32_t micro_batch) {
    if (rows.micro_batch != micro_batch) {
      raise_error({"An infeed of micro-batches of ", how_many(micro_batch, "sample"),
                   " was asked for one of ", rows.micro_batch, "."});
    }
  }

  /// Throws `error` for a depth other than 1 to `most_depth`, an empty micro-batch, a feed of
  /// nothing, or if the system grants no thread.
  template <feed Source>
  infeed_queue(Source& source, const infeed_options& options) : source_(source), options_(options) {
    check();
    memory_ = infeed_memory(sources(), options_.micro_batch, options_.depth);
    set_anchor();
    start();
  }

  /// Refused with a sentence: data that are no feed.
  template <typename Source>
    requires(!feed<Source>)
  infeed_queue(Source&&, const infeed_options& options)
      : source_(refused_feed()), options_(options) {
    static_assert(check_feed_wanted<std::remove_reference_t<Source>>());
  }

  /// The same: a number, of which nobody knows what it is of.
  template <typename Source, std::integral Number>
  infeed_queue(Source&&, Number) : source_(refused_feed()), options_() {
    static_assert(diagnose<infeed_options_fault_of<Number>>());
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
  /// more, and what the feed threw in place of this element. Rows of several samples are refused
  /// before anything is skipped.
  std::int32_t next(const feed_rows& rows, const stop_token& stop = {}) {
    check_sources(rows);
    if ((!has_begun() && !amid_pass_) || (skipped_ > 0 && rows.micro_batch > 1)) {
      check_micro_batch(rows, options_.micro_batch);
    }
    if (drop_skipped(stop) && arrives(stop)) {
      check_micro_batch(rows, options_.micro_batch);
      return pop(rows);
    }
    memory_.copy(0, 0, rows);
    return 0;
  }

  /// Begins the feed's next pass; what waits of this one is dropped. Throws what the feed throws.
  void restart() {
    // A feed may begin anew elsewhere where it had not come so far.
    drop_skipped({});
    ask_for(errand::restart);
    skipped_ = 0;
  }

  /// Takes so many elements more from the feed, and drops them, before the next that is asked for.
  void skip(std::uint64_t elements) {
    skipped_ += elements;
    amid_pass_ = true;
  }

  /// Whether the feed says where it stands. What follows throws `error` where it does not.
  bool has_position() const { return source_.has_position(); }

  /// Where the reader stands, however far the thread is ahead: where the feed stood once, and how
  /// many elements were taken since.
  feed_position position() const {
    source_.require_position();
    if (rests()) {
      const feed_position where = source_.position_of_feed();
      return infeed_place{skipped_, samples_of_element(), where}.words();
    }
    const std::uint64_t taken = popped_.load(std::memory_order_relaxed);
    const feed_anchor from = anchors_.before(taken);
    return infeed_place{taken - from.element + skipped_, samples_of_element(), from.where}.words();
  }

  /// Puts the feed where it stood; what was taken from there is taken again by the next who asks,
  /// and dropped. What waits is dropped. Throws `error` for what is no position behind an infeed of
  /// these micro-batches and this feed, and changes nothing.
  void go_to(list_view<std::uint64_t> where) {
    source_.require_position();
    const infeed_place place = infeed_place::of(where);
    if (place.elements > 0 && place.micro_batch != samples_of_element()) {
      raise_error({"This is a position behind an infeed of micro-batches of ",
                   how_many(place.micro_batch, "sample"), ", got one of ", options_.micro_batch,
                   "."});
    }
    place_ = place.of_feed;
    ask_for(errand::go_to);
    skipped_ = place.elements;
    amid_pass_ = true;
  }

  /// Whether somebody has asked: until then the feed is not the thread's.
  bool has_begun() const { return begun_.load(std::memory_order_relaxed); }

  /// Whether the feed was at its end when it was first asked, so that this queue never had
  /// anything.
  bool found_nothing() const {
    return state_.load(std::memory_order_acquire) == source_state::ended &&
           pushed_.load(std::memory_order_relaxed) == 0;
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
  enum class source_state : std::uint8_t { runs, ended, failed };

  /// What the thread does for a reader who waits meanwhile.
  enum class errand : std::uint8_t { restart, go_to };

  void check() const {
    check_depth(options_.depth);
    if (options_.micro_batch < 1) {
      raise_error({"An element of an infeed has at least 1 sample, got ", options_.micro_batch,
                   ". Hint: say the model's micro-batch, {.micro_batch = 32}."});
    }
    if (sources().empty()) {
      raise_error("An infeed takes from a feed of at least 1 source, this one has none.");
    }
    for (const source_form& each : sources()) {
      if (each.elements < 1) {
        raise_error(
            {"A source of an infeed has at least 1 number a sample, got ", each.elements, "."});
      }
    }
  }

  void start() {
    try {
      producer_ = std::thread([this] { produce(); });
    } catch (const std::system_error& refused) {
      raise_error({"The system grants no thread to an infeed: ", refused.code().message(), "."});
    }
  }

  void begin() {
    if (!has_begun()) {
      begun_.store(true, std::memory_order_seq_cst);
      alarm_.ring();
    }
  }

  /// Begins a row of anchors where the feed stands, if it says so.
  void set_anchor() {
    if (has_position()) {
      anchors_.begin({pushed_.load(std::memory_order_relaxed), source_.position_of_feed()});
    }
  }

  /// Until an element is there: false at the end, or once a stop is requested.
  bool arrives(const stop_token& stop) {
    begin();
    for (;;) {
      const std::uint32_t before = alarm_.rung();
      // In this order: an element that is pushed comes before the end that is seen behind it.
      const source_state state = state_.load(std::memory_order_acquire);
      if (pushed_.load(std::memory_order_acquire) != popped_.load(std::memory_order_relaxed)) {
        return true;
      }
      if (state == source_state::failed) {
        throw_failure();
      }
      if (state == source_state::ended || stop.requested()) {
        return false;
      }
      alarm_.wait(before);
    }
  }

  /// What is to be skipped; false if that is more than comes.
  bool drop_skipped(const stop_token& stop) {
    while (skipped_ > 0) {
      if (!arrives(stop)) {
        return false;
      }
      drop();
      --skipped_;
    }
    return true;
  }

  /// Whether nobody takes from the feed, which then stands where the reader does.
  bool rests() const {
    return !has_begun() ||
           (state_.load(std::memory_order_acquire) == source_state::ended && waiting() == 0);
  }

  std::uint64_t samples_of_element() const {
    return static_cast<std::uint64_t>(options_.micro_batch);
  }

  /// Has the thread do it, and throws what it threw there.
  void ask_for(errand what) {
    errand_.store(what, std::memory_order_relaxed);
    wanted_.fetch_add(1, std::memory_order_seq_cst);
    alarm_.ring();
    if (what == errand::restart) {
      source_.wake();
    }
    for (;;) {
      const std::uint32_t before = alarm_.rung();
      if (!errand_wanted()) {
        break;
      }
      alarm_.wait(before);
    }
    if (errand_failure_ != nullptr) {
      std::rethrow_exception(std::exchange(errand_failure_, nullptr));
    }
  }

  void check_sources(const feed_rows& rows) const {
    if (rows.sources.size() > sources().size()) {
      raise_error(
          {"An infeed of ", sources().size(), " sources was asked for ", rows.sources.size(), "."});
    }
  }

  std::int32_t pop(const feed_rows& rows) {
    const std::uint64_t element = popped_.load(std::memory_order_relaxed);
    const std::int32_t valid = memory_.valid(element);
    memory_.copy(element, (std::clamp)(valid, 0, options_.micro_batch), rows);
    drop();
    return valid;
  }

  /// The element that waits longest.
  void drop() {
    popped_.store(popped_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    alarm_.ring();
  }

  [[noreturn]] void throw_failure() {
    const std::exception_ptr failure = std::exchange(failure_, nullptr);
    state_.store(source_state::runs, std::memory_order_release);
    alarm_.ring();
    std::rethrow_exception(failure);
  }

  bool errand_wanted() const {
    return wanted_.load(std::memory_order_seq_cst) != done_.load(std::memory_order_seq_cst);
  }

  /// What the feed's token answers: nobody wants the rows that it is asked for any more. A place
  /// that may be refused leaves them what they are.
  bool interrupted() const {
    return closing_.load(std::memory_order_seq_cst) ||
           (errand_wanted() && errand_.load(std::memory_order_relaxed) == errand::restart);
  }

  bool has_room() const {
    return pushed_.load(std::memory_order_relaxed) - popped_.load(std::memory_order_acquire) <
           static_cast<std::uint64_t>(options_.depth);
  }

  /// Whether the feed is the thread's.
  bool takes() const {
    return begun_.load(std::memory_order_seq_cst) &&
           state_.load(std::memory_order_acquire) == source_state::runs;
  }

  void produce() {
    while (!closing_.load(std::memory_order_seq_cst)) {
      const std::uint32_t before = alarm_.rung();
      if (errand_wanted()) {
        run_errand();
      } else if (takes() && anchors_.wanted()) {
        add_anchor();
      } else if (takes() && has_room()) {
        push();
      } else if (!interrupted()) {
        alarm_.wait(before);
      }
    }
  }

  /// Whoever wanted it waits meanwhile, so that both ends of the queue are this thread's.
  void run_errand() {
    try {
      if (errand_.load(std::memory_order_relaxed) == errand::go_to) {
        source_.put_feed_at(place_);
        drop_all();
        set_anchor();
      } else {
        drop_all();
        begun_.store(true, std::memory_order_seq_cst);
        source_.restart();
        set_anchor();
      }
    } catch (...) {
      errand_failure_ = std::current_exception();
    }
    done_.store(wanted_.load(std::memory_order_relaxed), std::memory_order_seq_cst);
    alarm_.ring();
  }

  void drop_all() {
    failure_ = nullptr;
    popped_.store(pushed_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    state_.store(source_state::runs, std::memory_order_relaxed);
  }

  /// Between two elements.
  void add_anchor() {
    try {
      anchors_.add({pushed_.load(std::memory_order_relaxed), source_.position_of_feed()});
    } catch (...) {
      anchors_.decline();
    }
  }

  void push() {
    const std::uint64_t element = pushed_.load(std::memory_order_relaxed);
    source_state found = source_state::runs;
    try {
      const stop_token stop{this, [](const void* queue) {
                              return static_cast<const infeed_queue*>(queue)->interrupted();
                            }};
      const std::int32_t valid = source_.next({memory_.rows(element), options_.micro_batch}, stop);
      memory_.set_valid(element, valid);
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
  infeed_memory memory_;
  std::atomic<std::uint64_t> pushed_{0};
  std::atomic<std::uint64_t> popped_{0};
  std::atomic<source_state> state_{source_state::runs};
  std::uint64_t skipped_ = 0;     ///< the reader's: elements still to be dropped
  bool amid_pass_ = false;        ///< the reader's: what comes first may be the end
  mutable feed_anchors anchors_;  ///< of a feed that says where it stands
  std::atomic<errand> errand_{errand::restart};
  list_view<std::uint64_t> place_;        ///< of `go_to`
  std::atomic<std::uint32_t> wanted_{0};  ///< errands
  std::atomic<std::uint32_t> done_{0};
  std::atomic<bool> begun_{false};  ///< somebody has asked
  std::atomic<bool> closing_{false};
  std::exception_ptr failure_;         ///< the reader's while `failed`, else the thread's
  std::exception_ptr errand_failure_;  ///< the reader's once the errand is done
  queue_alarm alarm_;
  std::thread producer_;
};

}  // namespace ipu_dsl
