// SPDX-License-Identifier: MIT
// A bounded queue behind a model, read by whoever wants its numbers while it runs.
// Over 300 lines: both ends of one queue, a third of it what they promise.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/queues/queue_alarm.hpp>

namespace ipu_dsl {

/// What of the elements is kept for the reader.
enum class outfeed_mode : std::uint8_t {
  all,   ///< each, in order, once
  last,  ///< the newest
};

/// When an outfeed is read. A run that would fill one that is read afterwards could never end, and
/// is refused before it begins.
enum class outfeed_reader : std::uint8_t {
  afterwards,  ///< on the thread that runs the model, between two calls
  meanwhile,   ///< on another thread: a full outfeed blocks until it has read
};

struct outfeed_options {
  outfeed_mode mode = outfeed_mode::all;
  std::int64_t depth = 3;  ///< elements that wait at most; of `all`
  outfeed_reader reader = outfeed_reader::afterwards;
};

/// One tensor of an element: its name, and its extents [...] in it.
struct outfeed_tensor {
  std::string name;
  std::vector<std::int64_t> extents;

  std::int64_t numbers() const {
    std::int64_t product = 1;
    for (const std::int64_t extent : extents) {
      product *= extent;
    }
    return product;
  }
};

/// What an element is made of: named tensors, one behind the other.
class outfeed_form {
 public:
  /// Throws `error` for no tensors, two of one name, and extents below 1.
  explicit outfeed_form(std::vector<outfeed_tensor> tensors) : tensors_(std::move(tensors)) {
    if (tensors_.empty()) {
      raise_error("An element of an outfeed has at least 1 tensor, got none.");
    }
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      check(i);
      first_.push_back(numbers_);
      numbers_ += static_cast<std::size_t>(tensors_[i].numbers());
    }
  }

  const std::vector<outfeed_tensor>& tensors() const { return tensors_; }

  /// Of an element.
  std::size_t numbers() const { return numbers_; }

  /// Where the tensor of this number begins in an element.
  std::size_t first(std::size_t tensor) const { return first_[tensor]; }

  /// The number of the tensor of this name. Throws `error` if there is none.
  std::size_t find(std::string_view name) const {
    std::string known;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (tensors_[i].name == name) {
        return i;
      }
      known += sentence_of({i == 0 ? "" : ", ", tensors_[i].name});
    }
    raise_error({"An element of this outfeed has no tensor ", name, "; there are ", known, "."});
  }

 private:
  void check(std::size_t i) const {
    for (const std::int64_t extent : tensors_[i].extents) {
      if (extent < 1) {
        raise_error({"The tensor ", tensors_[i].name,
                     " of an outfeed has extents of at least 1, got ", extent, "."});
      }
    }
    for (std::size_t before = 0; before < i; ++before) {
      if (tensors_[before].name == tensors_[i].name) {
        raise_error({"An element of an outfeed has two tensors ", tensors_[i].name,
                     "; each has a name of its own."});
      }
    }
  }

  std::vector<outfeed_tensor> tensors_;
  std::vector<std::size_t> first_;
  std::size_t numbers_ = 0;
};

/// One element, where it lies in the queue: valid until the next one is asked for.
class outfeed_element {
 public:
  outfeed_element(const outfeed_form& form, const float* numbers)
      : form_(&form), numbers_(numbers) {}

  /// A tensor, [extents...]. Throws `error` for a name that no tensor has.
  std::span<const float> operator[](std::string_view name) const {
    const std::size_t tensor = form_->find(name);
    return {numbers_ + form_->first(tensor),
            static_cast<std::size_t>(form_->tensors()[tensor].numbers())};
  }

 private:
  const outfeed_form* form_;
  const float* numbers_;
};

/// What `outfeed_queue::dequeue` found: its own copy.
class outfeed_values {
 public:
  outfeed_values(const outfeed_form& form, bool stacked) : form_(form), stacked_(stacked) {
    numbers_.resize(form_.tensors().size());
  }

  void append(const float* element) {
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      const float* const first = element + form_.first(i);
      numbers_[i].insert(numbers_[i].end(), first, first + form_.tensors()[i].numbers());
    }
    ++count_;
  }

  /// Elements.
  std::int64_t count() const { return count_; }

  /// A tensor of all of them, [count, extents...]; of the last one [extents...]. Throws `error` for
  /// a name that no tensor has.
  std::span<const float> operator[](std::string_view name) const {
    return numbers_[form_.find(name)];
  }

  /// Its extents, the count first where there is one, which may be 0.
  std::vector<std::int64_t> extents(std::string_view name) const {
    std::vector<std::int64_t> all;
    if (stacked_) {
      all.push_back(count_);
    }
    const std::vector<std::int64_t>& of_element = form_.tensors()[form_.find(name)].extents;
    all.insert(all.end(), of_element.begin(), of_element.end());
    return all;
  }

 private:
  outfeed_form form_;
  bool stacked_;
  std::int64_t count_ = 0;
  std::vector<std::vector<float>> numbers_;
};

class outfeed_queue;

/// Closes an outfeed at the end of its scope, an exception's included: a reader that is declared
/// before it comes to the end of its walk and can be joined.
class closing_scope {
 public:
  explicit closing_scope(outfeed_queue& queue) : queue_(&queue) {}

  closing_scope(const closing_scope&) = delete;
  closing_scope& operator=(const closing_scope&) = delete;

  ~closing_scope();

 private:
  outfeed_queue* queue_;
};

/// What a model hands out, an element at a time, for one reader. Whoever runs the model enqueues;
/// nothing is allocated then, and no element is dropped: a full outfeed blocks until the reader has
/// taken one, or has closed it. The elements that wait outlast a run and its failure.
class outfeed_queue {
 public:
  /// Throws `error` for a depth below 1.
  explicit outfeed_queue(std::vector<outfeed_tensor> tensors, const outfeed_options& options = {})
      : form_(std::move(tensors)), options_(options) {
    if (options_.depth < 1) {
      raise_error({"An outfeed has a depth of at least 1 element, got ", options_.depth, "."});
    }
    // Of `last` one is written while the other is there to be read.
    const std::int64_t slots = options_.mode == outfeed_mode::all ? options_.depth : 2;
    memory_.resize(static_cast<std::size_t>(slots) * form_.numbers());
    slots_ = static_cast<std::uint64_t>(slots);
  }

  outfeed_queue(const outfeed_queue&) = delete;
  outfeed_queue& operator=(const outfeed_queue&) = delete;

  const outfeed_form& form() const { return form_; }

  outfeed_mode mode() const { return options_.mode; }

  /// Of `all`: elements that wait to be read.
  std::int64_t waiting() const {
    return static_cast<std::int64_t>(pushed_.load(std::memory_order_acquire) -
                                     popped_.load(std::memory_order_acquire));
  }

  /// Of `all`: everything since the last time, in order, which may be nothing; throws `error` while
  /// somebody else reads. Of `last`: the newest element, for any number of readers; throws `error`
  /// before the first one.
  outfeed_values dequeue() {
    if (options_.mode == outfeed_mode::last) {
      return copy_of_last();
    }
    const reading turn(*this);
    outfeed_values found(form_, true);
    const std::uint64_t end = pushed_.load(std::memory_order_acquire);
    for (std::uint64_t i = popped_.load(std::memory_order_relaxed); i < end; ++i) {
      found.append(slot(i).data());
    }
    popped_.store(end, std::memory_order_release);
    alarm_.ring();
    return found;
  }

  /// The end of a walk over the elements.
  struct end_of_elements {};

  /// The one reader of a moment: the elements that it takes are seen by nobody else.
  class reading {
   public:
    /// Throws `error` while somebody else reads.
    explicit reading(outfeed_queue& queue) : queue_(&queue) {
      if (queue.read_.exchange(true, std::memory_order_acquire)) {
        raise_error(
            "An outfeed has one reader, and somebody walks over this one or dequeues it: a second "
            "one would take elements from the first. Hint: end the walk before, or let its reader "
            "hand on what others want.");
      }
    }

    reading(const reading&) = delete;
    reading& operator=(const reading&) = delete;

    ~reading() { queue_->read_.store(false, std::memory_order_release); }

   private:
    outfeed_queue* queue_;
  };

  /// A walk over the elements as they come: takes each, and waits for the next until the outfeed is
  /// closed. Who leaves it has taken the element that was seen.
  class walk {
   public:
    explicit walk(outfeed_queue& queue) : queue_(&queue), turn_(queue) { there_ = queue.wait(); }

    walk(const walk&) = delete;
    walk& operator=(const walk&) = delete;

    ~walk() {
      if (seen_) {
        queue_->pop();
      }
    }

    outfeed_element operator*() {
      seen_ = true;
      return {queue_->form_, queue_->slot(queue_->popped_.load(std::memory_order_relaxed)).data()};
    }

    walk& operator++() {
      queue_->pop();
      seen_ = false;
      there_ = queue_->wait();
      return *this;
    }

    bool operator==(end_of_elements) const { return !there_; }

   private:
    outfeed_queue* queue_;
    reading turn_;
    bool there_ = false;
    bool seen_ = false;
  };

  /// `for (const outfeed_element element : losses)`, on the reader's thread: ends behind the last
  /// element once the outfeed is closed. Throws `error` for one of mode `last`, and while somebody
  /// else reads.
  walk begin() {
    if (options_.mode == outfeed_mode::last) {
      raise_error(
          "An outfeed of mode last has one element, so there is nothing to walk over. Hint: call "
          "dequeue(), or make it of mode all.");
    }
    return walk(*this);
  }

  end_of_elements end() const { return {}; }

  /// From either end: nothing more will be enqueued, or read. A reader that walks comes to the end
  /// of what waits; who enqueues behind it is refused, also who is blocked in it.
  void close() {
    closed_.store(true, std::memory_order_seq_cst);
    alarm_.ring();
  }

  bool closed() const { return closed_.load(std::memory_order_seq_cst); }

  /// For whoever runs the model, before so many elements: throws `error` if they could never be
  /// enqueued, because there is no room and nobody reads.
  void expect(std::int64_t elements) const {
    check_open();
    const std::int64_t room = options_.depth - waiting();
    if (options_.mode == outfeed_mode::all && options_.reader == outfeed_reader::afterwards &&
        elements > room) {
      raise_error(
          {"An outfeed has room for ", room, " elements, this run hands out ", elements,
           ", and nobody reads meanwhile. Hint: dequeue more often, say {.depth = ", elements,
           "}, or read on another thread and say {.reader = outfeed_reader::meanwhile}."});
    }
  }

  /// For whoever runs the model: where the next element is written, [numbers of an element]. Waits
  /// while the outfeed is full; throws `error` once it is closed.
  std::span<float> room() {
    for (;;) {
      const std::uint32_t before = alarm_.rung();
      check_open();
      if (options_.mode == outfeed_mode::last || waiting() < options_.depth) {
        return slot(pushed_.load(std::memory_order_relaxed));
      }
      alarm_.wait(before);
    }
  }

  /// Behind `room`: the element is written.
  void push() {
    const std::uint64_t next = pushed_.load(std::memory_order_relaxed) + 1;
    if (options_.mode == outfeed_mode::last) {
      const std::lock_guard turn(last_);
      pushed_.store(next, std::memory_order_release);
    } else {
      pushed_.store(next, std::memory_order_release);
    }
    alarm_.ring();
  }

 private:
  friend class walk;

  std::span<float> slot(std::uint64_t element) {
    return {memory_.data() + static_cast<std::size_t>(element % slots_) * form_.numbers(),
            form_.numbers()};
  }

  void check_open() const {
    if (closed()) {
      raise_error(
          "The outfeed is closed: nobody reads what a run enqueues. Hint: close it behind the last "
          "run.");
    }
  }

  void pop() {
    popped_.store(popped_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    alarm_.ring();
  }

  /// Until there is an element; false if there will be none.
  bool wait() {
    for (;;) {
      const std::uint32_t before = alarm_.rung();
      // In this order: what was pushed before it was closed is seen behind it.
      const bool last = closed();
      if (waiting() > 0) {
        return true;
      }
      if (last) {
        return false;
      }
      alarm_.wait(before);
    }
  }

  /// Under the lock no element is completed, so that the next is written beside this one.
  outfeed_values copy_of_last() {
    const std::lock_guard turn(last_);
    const std::uint64_t pushed = pushed_.load(std::memory_order_acquire);
    if (pushed == 0) {
      raise_error(
          "An outfeed of mode last was asked for its element before the first one was enqueued.");
    }
    outfeed_values found(form_, false);
    found.append(slot(pushed - 1).data());
    return found;
  }

  outfeed_form form_;
  outfeed_options options_;
  std::vector<float> memory_;  ///< [slots, numbers of an element]
  std::uint64_t slots_ = 0;
  std::atomic<std::uint64_t> pushed_{0};
  std::atomic<std::uint64_t> popped_{0};
  std::atomic<bool> closed_{false};
  std::atomic<bool> read_{false};  ///< of `all`: somebody takes elements
  queue_alarm alarm_;
  std::mutex last_;  ///< of `last` alone: what is copied is not overwritten
};

inline closing_scope::~closing_scope() {
  queue_->close();
}

}  // namespace ipu_dsl
