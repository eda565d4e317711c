// SPDX-License-Identifier: MIT
// Calls of a session by names that Keras's models have for them, each refused with its name here.
#pragma once

#include <vector>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/training/history.hpp>

namespace ipu_dsl {

/// What is wrong with a call by another name; `Compiled` is whose session was asked.
template <typename Compiled, fixed_string Elsewhere, fixed_string Here, fixed_string Hint>
struct call_elsewhere_fault_of {
  static constexpr problem find() {
    problem found = refuse(Here.view(), Elsewhere.view(), Hint.view());
    found.where = "session";
    return found;
  }

  static constexpr problem value = find();
};

/// The calls, of any arguments.
template <typename Compiled>
class calls_elsewhere {
  template <fixed_string Elsewhere, fixed_string Here, fixed_string Hint>
  static constexpr bool refused() {
    return diagnose<call_elsewhere_fault_of<Compiled, Elsewhere, Here, Hint>>();
  }

 public:
  template <typename... Given>
  double train_on_batch(const Given&...) {
    static_assert(refused<"train_on_batch", "train_step",
                          "write run.train_step(features, labels), which is one update">());
    return 0;
  }

  template <typename... Given>
  evaluation test_on_batch(const Given&...) {
    static_assert(refused<"test_on_batch", "evaluate", "write run.evaluate(features, labels)">());
    return {};
  }

  template <typename... Given>
  std::vector<float> predict_on_batch(const Given&...) {
    static_assert(
        refused<"predict_on_batch", "predict",
                "write run.predict(features, scores), with an array for what it makes">());
    return {};
  }

  template <typename... Given>
  void compile(const Given&...) {
    static_assert(refused<"compile", "a session of what is compiled",
                          "loss<...>, metrics<...> and optimizer<...> stand in compile<...>, "
                          "behind the model">());
  }

  template <typename... Given>
  void set_learning_rate(const Given&...) {
    static_assert(refused<"set_learning_rate", "set_optimizer",
                          "write run.set_optimizer({.learning_rate = 0.1F}); a callback has "
                          "set_learning_rate of its training_run">());
  }

  template <typename... Given>
  void summary(const Given&...) {
    static_assert(refused<"summary", "summary_text",
                          "include <ipu_dsl/report/summary.hpp> and write "
                          "summary_text(graph_of<mlp>, \"mlp\")">());
  }

  template <typename... Given>
  void save_weights(const Given&...) {
    static_assert(refused<"save_weights", "save", "write run.save(\"weights.npz\")">());
  }

  template <typename... Given>
  void load_weights(const Given&...) {
    static_assert(refused<"load_weights", "load", "write run.load(\"weights.npz\")">());
  }

  template <typename... Given>
  std::vector<std::vector<float>> get_weights(const Given&...) {
    static_assert(refused<"get_weights", "weights()",
                          "write run.weights().get(\"logits/kernel\", values)">());
    return {};
  }

  template <typename... Given>
  void set_weights(const Given&...) {
    static_assert(refused<"set_weights", "weights()",
                          "write run.weights().set(\"logits/kernel\", values)">());
  }
};

}  // namespace ipu_dsl
