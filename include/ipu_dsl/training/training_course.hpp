// SPDX-License-Identifier: MIT
// The course of a fit: where it stands, and where it goes on.
#pragma once

#include <cstdint>
#include <utility>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/plan/run_settings.hpp>
#include <ipu_dsl/training/result_sums.hpp>
#include <ipu_dsl/training/session_engine.hpp>
#include <ipu_dsl/training/step_rules.hpp>
#include <ipu_dsl/training/training_place.hpp>

namespace ipu_dsl {

/// Knows while a fit runs where it stands, and keeps a place that was loaded until a fit goes on
/// there.
class training_course {
 public:
  /// Of a fit that is about to begin: with its first epoch or, if it resumes, where it stood when
  /// what was loaded was saved. Throws `error` if that was no such fit.
  [[gnu::cold]] void begin(const fit_request& wanted, const epoch_steps& steps,
                           const run_settings& settings, result_sums& sums) {
    source_ = &wanted.source;
    steps_of_update_ = settings.micro_batches_of_update();
    epochs_ = wanted.wanted.epochs;
    place_.epoch = wanted.wanted.initial_epoch;
    place_.steps_of_epoch = steps.steps;
    place_.micro_batch = settings.micro_batch;
    end_of_epoch(place_.epoch);
    if (!wanted.wanted.resume) {
      has_loaded_ = false;
    } else if (!has_loaded_) {
      raise_error(
          "fit was asked to resume, and the session has loaded nothing that was saved within a "
          "fit, or has trained since: a callback saves it, of data or of a feed that says where it "
          "stands, and load_training comes right before.");
    } else if (wanted.wanted.initial_epoch != 0) {
      raise_error({"fit was asked to resume, and to begin with epoch ", wanted.wanted.initial_epoch,
                   ". What resumes goes on where it stood: take initial_epoch out."});
    }
    go_on(sums);
  }

  /// Behind on_train_begin, where a callback may have loaded a place.
  void set_out() { under_way_ = true; }

  /// Throws `error` in a fit that is under way.
  void require_beginning(const char* wanted) const {
    if (under_way_) {
      raise_error({wanted,
                   " was called within a fit, which goes on in its own epoch and its own data. "
                   "Hint: call it before a fit with .resume = true, or in on_train_begin; load and "
                   "weights() change the weights alone."});
    }
  }

  /// Nobody is told any more where it stands.
  void end() {
    source_ = nullptr;
    has_loaded_ = false;
    under_way_ = false;
  }

  /// The place that was loaded; the next fit that resumes goes on there, or the one that is about
  /// to begin. Throws `error` and changes nothing if that one cannot.
  [[gnu::cold]] void load(training_place loaded, result_sums& sums) {
    loaded_ = std::move(loaded);
    has_loaded_ = true;
    if (source_ != nullptr) {
      go_on(sums);
    }
  }

  /// The session trains on its own: what was loaded is no longer where it stands.
  void forget() { has_loaded_ = false; }

  /// Writes down where the fit stands; false if there is none, or if its feed does not say.
  [[gnu::cold]] bool tell(training_place& found, const result_sums& sums) const {
    if (source_ == nullptr || !source_->has_position()) {
      return false;
    }
    found = place_;
    found.counted = sums.counted();
    found.data = source_->position_of_feed();
    return true;
  }

  const training_place& place() const { return place_; }

  /// Micro-batches until the end of so many epochs.
  std::int64_t left(std::int32_t epochs) const {
    const std::int64_t whole = std::int64_t{epochs} - place_.epoch;
    return whole > 0 ? whole * place_.steps_of_epoch - place_.steps : 0;
  }

  /// The data of the epoch have been begun; its sums begin with nothing, unless it goes on.
  void begin_epoch(result_sums& sums) {
    place_.begun = true;
    if (place_.steps == 0) {
      sums.clear();
    }
  }

  /// Behind an update: so many steps of the epoch are done, and the sum of their losses is this.
  void note(std::int64_t steps, double loss) {
    place_.steps = steps;
    place_.loss = loss;
  }

  /// The next epoch is this one.
  void end_of_epoch(std::int32_t next) {
    place_.epoch = next;
    place_.steps = 0;
    place_.begun = false;
    place_.loss = 0;
  }

 private:
  /// Goes on at the place that was loaded, if there is one. Throws `error` if it is none of this
  /// fit.
  void go_on(result_sums& sums) {
    if (!has_loaded_) {
      return;
    }
    has_loaded_ = false;
    const training_place& found = loaded_;
    check_place(found, sums);
    if (!source_->has_position()) {
      raise_error(
          "This fit cannot go on in its data: its feed does not say where it stands. Give fit a "
          "data set, or the feed position() and go_to(...); see placed_feed.");
    }
    source_->put_feed_at(found.data);
    sums.go_on_from(found.counted);
    place_.epoch = found.epoch;
    place_.steps = found.steps;
    place_.begun = found.begun;
    place_.loss = found.loss;
  }

  [[gnu::cold]] void check_place(const training_place& found, const result_sums& sums) const {
    if (found.steps_of_epoch != place_.steps_of_epoch || found.micro_batch != place_.micro_batch) {
      raise_error({"What was loaded was saved in a fit of ", found.steps_of_epoch, " steps of ",
                   found.micro_batch, " samples an epoch; this one has ", place_.steps_of_epoch,
                   " of ", place_.micro_batch, "."});
    }
    if (found.counted.size() != sums.counted().size()) {
      raise_error(
          "What was loaded was saved in a fit of other losses or metrics than this one has.");
    }
    if (found.steps >= 0 && found.steps % steps_of_update_ != 0) {
      raise_error(
          {"What was loaded was saved behind ", found.steps,
           " micro-batches of an epoch, in the midst of an update of this fit, which takes ",
           steps_of_update_, ". Hint: the gradient_accumulation was another one."});
    }
    if (found.epoch < 0 || found.steps < 0 || found.steps > found.steps_of_epoch) {
      raise_error("What was loaded says that it was saved where no such fit ever stands.");
    }
    const std::int32_t begun = found.steps > 0 ? found.epoch + 1 : found.epoch;
    if (begun > epochs_) {
      raise_error({"What was loaded was saved in epoch ", begun, ", counted from 1; this fit has ",
                   epochs_, " epochs. Hint: give it at least as many."});
    }
  }

  const feed_reference* source_ = nullptr;  ///< that of the request; null outside of a fit
  training_place loaded_;
  bool has_loaded_ = false;
  bool under_way_ = false;  ///< its callbacks have heard of its beginning
  training_place place_;    ///< without what is counted, and without the feed's position
  std::int32_t steps_of_update_ = 1;
  std::int32_t epochs_ = 0;  ///< of the fit
};

/// As long as it lives, a fit is on its course.
class course_scope {
 public:
  explicit course_scope(training_course& of) : of_(&of) {}

  course_scope(const course_scope&) = delete;
  course_scope& operator=(const course_scope&) = delete;

  ~course_scope() { of_->end(); }

 private:
  training_course* of_;
};

}  // namespace ipu_dsl
