// SPDX-License-Identifier: MIT
// Callbacks without their types: an object and a table of the hooks that it has.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

class training_run;

/// What a hook of training may return: whether training is to end.
enum class stop_request : std::uint8_t { no, yes };

/// When callbacks are called. An execution is Keras's batch.
enum class hook : std::uint8_t {
  train_begin,
  train_end,
  train_failed,
  epoch_begin,
  epoch_end,
  train_batch_begin,
  train_batch_end,
  update_end,
  test_begin,
  test_end,
  test_batch_begin,
  test_batch_end,
  predict_begin,
  predict_end,
  predict_batch_begin,
  predict_batch_end
};

inline constexpr std::size_t hook_count = 16;

/// A hook of an object. `report` is what the hook is told, of the type that `hooks.hpp` says.
using hook_function = stop_request (*)(void* object, training_run& run, const void* report);

/// The hooks that a type of callbacks has; null: it has not.
struct hook_table {
  hook_function of[hook_count] = {};
};

/// One callback. Refers to it.
struct callback_reference {
  void* object = nullptr;
  const hook_table* hooks = nullptr;
};

/// The callbacks of a call in their order, and what they share. Refers to them.
class callback_list {
 public:
  callback_list() = default;

  callback_list(list_view<callback_reference> all, training_run& run) : all_(all), run_(&run) {}

  /// Whether anybody has this hook.
  [[gnu::noinline]] bool hears(hook when) const {
    bool heard = false;
    for (const callback_reference& each : all_) {
      heard = heard || each.hooks->of[static_cast<std::size_t>(when)] != nullptr;
    }
    return heard;
  }

  /// Calls the hook of each that has it, in their order; one that returns `stop_request::yes` ends
  /// the training.
  void call(hook when, const void* report = nullptr) const;

  /// Null if there are no callbacks.
  training_run* run() const { return run_; }

  /// Whether one of them has asked to stop.
  bool stopped() const;

 private:
  list_view<callback_reference> all_;
  training_run* run_ = nullptr;
};

}  // namespace ipu_dsl
