// SPDX-License-Identifier: MIT
// What a session does, without the type of its model and without its code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/core/inline.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/update_rule.hpp>
#include <ipu_dsl/runtime/parameters.hpp>
#include <ipu_dsl/runtime/trace.hpp>
#include <ipu_dsl/training/callback_list.hpp>
#include <ipu_dsl/training/run_listener.hpp>
#include <ipu_dsl/training/session_options.hpp>
#include <ipu_dsl/training/session_parts.hpp>
#include <ipu_dsl/training/training_place.hpp>

namespace ipu_dsl {

/// What a `fit` is asked for. Refers to all of it.
struct fit_request {
  feed_reference source;
  const fit_options& wanted;
  const optimizer_reference& optimizer;
  callback_list callbacks = {};
  feed_reference* validation = nullptr;  ///< null: nothing is validated
};

/// Runs the programs of a compiled model. It is called once a `fit`, not once a step, so that
/// nothing is lost by its functions' being virtual; they are those of `session`.
class session_engine {
 public:
  session_engine() = default;
  session_engine(const session_engine&) = delete;
  session_engine& operator=(const session_engine&) = delete;
  virtual ~session_engine() = default;

  virtual const history& fit(const fit_request& wanted) = 0;

  /// One update from exactly the samples of one run. Returns their mean loss.
  virtual double train_step(feed_reference source, const optimizer_reference& optimizer) = 0;

  /// The forward and backward passes of one update: see `session::compute_gradients`.
  virtual double compute_gradients(feed_reference source, const optimizer_reference& optimizer) = 0;

  /// The update that belongs to them. Throws `error` if there are none.
  virtual void apply_gradients(const optimizer_reference& optimizer) = 0;

  /// Those that were computed last.
  virtual parameters& gradients() = 0;

  /// Mean loss and metrics over all samples of the feed; any number of them, the last micro-batch
  /// may be short.
  virtual evaluation evaluate(feed_reference source, const callback_list& callbacks) = 0;

  /// The model's outputs for every sample of the feed, in order; returns how many there were.
  /// Throws `error` before anything is written if one is not [samples, elements of the output].
  virtual std::int64_t predict(feed_reference source, list_view<std::span<float>> outputs,
                               const callback_list& callbacks) = 0;

  /// The model's outputs for the next micro-batches of the feed, which goes on behind them; returns
  /// how many there were before it ended.
  virtual std::int64_t hand_out(feed_reference source, std::int64_t micro_batches,
                                output_listener& to) = 0;

  /// Tells what is found in training to somebody, or to nobody any more. Throws `error` if somebody
  /// else is told already.
  virtual void listen(run_listener* heard_by) = 0;

  /// Throws `error` unless a batch has these extents, and as many values.
  virtual void check_batch(list_view<std::int64_t> extents, std::size_t values) const = 0;

  /// The value of the run of this number, from the next run on. Throws `error` if it is no finite
  /// number.
  virtual void set_value(std::int32_t number, float value) = 0;

  /// NaN where none was given yet.
  virtual float value(std::int32_t number) const = 0;

  virtual parameters& weights() = 0;

  /// What saved training is known by.
  virtual training_identity identity() const = 0;

  /// What the optimizer keeps beside the weights.
  virtual parameters& kept() = 0;

  /// Exchanges the weights with their moving averages, or back. Throws `error` before anything
  /// changes if they are so already, or if there are no averages yet.
  virtual void use_averages(bool averages) = 0;

  /// Throws `error` while the weights are their moving averages.
  virtual void require_weights(const char* wanted) const = 0;

  /// Throws `error` between `compute_gradients` and `apply_gradients`.
  virtual void require_whole_update(const char* wanted) const = 0;

  /// Throws `error` where training cannot be loaded: in the midst of a run, and in a fit that has
  /// begun, which would go on where it is with weights of elsewhere.
  virtual void require_loadable(const char* wanted) const = 0;

  virtual training_progress progress() const = 0;

  /// What the updates of the epoch at hand come to so far; the numbers of metrics of several last
  /// until this is asked again.
  virtual metric_values metrics_of_epoch() = 0;

  /// Training goes on as if it had come so far; gradients that are there are of something else.
  virtual void go_on_from(const training_progress& reached) = 0;

  /// Writes down where the fit at hand stands; false if there is none, or if its feed does not say.
  virtual bool tell_place(training_place& found) const = 0;

  /// Where the next `fit` that resumes goes on; told in on_train_begin, the one that begins. Throws
  /// `error` and changes nothing if that one cannot go on there.
  virtual void go_on_at(training_place found) = 0;

  /// The values of the runs by number, as `set_value` takes them.
  virtual list_view<run_value_interface> run_values() const = 0;

  virtual const trace& last_trace() const = 0;

  /// Of initial weights and dropout.
  virtual std::uint64_t seed() const = 0;

  virtual std::size_t bytes() const = 0;
};

/// As long as it lives, the weights of a session are their moving averages: see
/// `session::averaged_weights`. The session must outlive it.
class averaged_scope {
 public:
  explicit averaged_scope(session_engine& engine) : engine_(&engine) { engine.use_averages(true); }

  averaged_scope(const averaged_scope&) = delete;
  averaged_scope& operator=(const averaged_scope&) = delete;

  ~averaged_scope() { engine_->use_averages(false); }

 private:
  session_engine* engine_;
};

/// As long as it and the session live, somebody hears what training finds.
class listening_scope {
 public:
  listening_scope(session_engine& engine, run_listener& heard_by) : engine_(&engine) {
    engine.listen(&heard_by);
  }

  listening_scope(const listening_scope&) = delete;
  listening_scope& operator=(const listening_scope&) = delete;

  ~listening_scope() {
    if (engine_ != nullptr) {
      engine_->listen(nullptr);
    }
  }

  /// The session has ended.
  void lose_session() noexcept { engine_ = nullptr; }

 private:
  session_engine* engine_;  ///< null if it has ended
};

/// Owns an engine, or none. Written out, because with `std::unique_ptr` comes <memory>: of what a
/// source includes whose session is compiled elsewhere, no other header costs as much.
class engine_owner {
 public:
  engine_owner() = default;

  explicit engine_owner(session_engine* engine) : engine_(engine) {}

  engine_owner(engine_owner&& other) noexcept : engine_(std::exchange(other.engine_, nullptr)) {}

  engine_owner& operator=(engine_owner&& other) noexcept {
    std::swap(engine_, other.engine_);
    return *this;
  }

  ~engine_owner() { delete engine_; }

  /// Null if there is none.
  session_engine* get() const { return engine_; }

 private:
  session_engine* engine_ = nullptr;
};

/// The engine of a compiled model. Throws `error` if the options are none that it can run with.
IPU_DSL_INLINE engine_owner make_engine(const session_parts& parts, const session_options& options);

}  // namespace ipu_dsl
