// SPDX-License-Identifier: MIT
// A model and its options, in any order: what is compiled, and what is wrong with the options.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/machine/device_memory.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/plan/lifetime.hpp>
#include <ipu_dsl/plan/options.hpp>
#include <ipu_dsl/plan/run_settings.hpp>
#include <ipu_dsl/schedule/facts.hpp>

namespace ipu_dsl {

/// What the options of a compilation say, as values.
struct compile_settings : run_settings {
  list_view<result_choice> losses;  ///< none: predict only
  list_view<result_choice> metrics;
  const family* optimizer = nullptr;
  const machine_target* target = nullptr;  ///< none: nothing of the machine is modelled
};

/// What is wrong with `compile<First, ...>` if that is no model.
template <typename First, bool ModelBehind>
struct compile_fault_of_first {
  static constexpr problem find() {
    label got;
    if constexpr (model_element<First>) {
      got << describe(element_of<First>);
    } else {
      got << type_name<First>();
    }
    problem found = refuse("a model first", got);
    found.where = "compile";
    if constexpr (requires { typename First::compiled; }) {
      found.hint << "it is compiled already: name the model that it was compiled from";
    } else if constexpr (model_element<First>) {
      found.hint << "write struct mlp : model<input<...>, ...> {} and compile<mlp, ...>";
    } else if constexpr (ModelBehind) {
      found.hint << "put the model before its options";
    } else {
      found.hint << "write compile<the model, micro_batch<32>, ...>";
    }
    return found;
  }

  static constexpr problem value = find();
};

/// The facts of what is wrong: better than any limit that somebody asserts, so that the one
/// sentence about the mistake stays the only error.
inline constexpr facts unlimited_facts{
    .makespan = 1, .work = (std::numeric_limits<std::int64_t>::max)(), .busiest = 1};

template <typename Refused>
constexpr const facts& refused_facts() {
  static_assert(Refused::refuse());
  return unlimited_facts;
}

template <typename Refused>
constexpr const device_memory& refused_memory() {
  static_assert(Refused::refuse());
  return unknown_memory;
}

/// What stands in for `compile` of no model. Whether the first argument was complete is known here
/// and not later.
template <bool Complete, typename... Arguments>
struct refused_compile {
  using first = typename first_type<Arguments...>::type;

  static constexpr bool refuse() {
    if constexpr (Complete) {
      return refuse_type<first, compile_fault_of_first<first, (model_type<Arguments> || ...)>>();
    } else {
      if (false) {
        static_cast<void>(late::incomplete_type<first>);
      }
      return true;
    }
  }
};

template <typename... Arguments>
using refused_compile_of =
    refused_compile<requires { sizeof(typename first_type<Arguments...>::type); }, Arguments...>;

/// A model compiled with options, in any order, all of them optional. Derive from it:
/// `struct training : compile<mlp, micro_batch<32>, grouped, ...> {};`
///
/// This one is of what is no model, so that the one sentence about it stays the only error.
template <typename... Arguments>
struct compile : refused_compile_of<Arguments...> {
  using refused_as = refused_compile_of<Arguments...>;

  static constexpr std::int32_t stages = 1;
  static constexpr const facts& timeline = refused_facts<refused_as>();
  static constexpr const facts& lockstep_timeline = refused_facts<refused_as>();
  static constexpr const device_memory& memory = refused_memory<refused_as>();
};

template <model_type M, typename... Options>
struct compile<M, Options...> {
  using compiled = compile;
  using model_type = M;

  /// What was given that is a number.
  static constexpr const option_list<sizeof...(Options)>& options = compile_options_of<Options...>;

 private:
  template <const option_key* Key, typename Otherwise>
  using chosen = typename option_about<Key, Otherwise, Options...>::type;

  struct no_loss {
    static constexpr result_choice choices[1] = {};
    static constexpr std::size_t count = 0;
    static constexpr problem fault{};
  };

  struct no_target {
    static constexpr const machine_target* target = nullptr;
  };

 public:
  static constexpr std::int32_t stages = frozen_graph_of<M>.stages;
  using default_schedule = std::conditional_t<stages == 1, sequential_schedule, grouped>;
  using schedule_type = chosen<&schedule_key, default_schedule>;
  using loss_type = chosen<&loss_key, no_loss>;
  using metrics_type = chosen<&metrics_key, metrics<>>;
  using optimizer_option = chosen<&optimizer_key, optimizer<sgd<>>>;
  using optimizer_type = typename optimizer_option::type;

  static constexpr compile_settings settings{
      {.micro_batch = options.integer(micro_batch_key, 32),
       .gradient_accumulation = options.integer(gradient_accumulation_key, 1),
       .devices = options.integer(devices_key, default_devices<schedule_type>(stages)),
       .replicas = options.integer(replicas_key, 1),
       .mean_gradients = options.integer(reduction_key, 0) != 0,
       .has_loss = loss_type::count > 0,
       .gradients_in_hand = options.integer(gradients_in_hand_key, 0) != 0,
       .outfeed_outputs = options.integer(outfeed_outputs_key, 0) != 0},
      {loss_type::choices, loss_type::count},
      {metrics_type::choices, metrics_type::count},
      optimizer_type::rule,
      chosen<&target_key, no_target>::target};

  /// The facts of training, of each replica if there are several, modelled in multiply-adds, with
  /// devices that wait for nothing but data and slots:
  /// `static_assert(training::timeline.speedup_bound() > 1.3)`.
  static constexpr const facts& timeline = timeline_of(std::type_identity<compile>());

  /// The same with a barrier after every time slot, as on IPUs.
  static constexpr const facts& lockstep_timeline =
      lockstep_timeline_of(std::type_identity<compile>());

  /// What training (without a loss, predicting) takes of the memory of `on<...>`, by a model:
  /// `static_assert(training::memory.fits())`. With `on<...>` given, `check` asks the same and
  /// answers with a sentence.
  static constexpr const device_memory& memory = memory_of(std::type_identity<compile>());

  /// What is wrong with the options themselves.
  static constexpr problem check_options() {
    problem found = options.find_fault(compile_option_keys);
    if (!found.found()) {
      found = find_part_fault();
    }
    if (!found.found() && !settings.has_loss &&
        (options.given(optimizer_key) || options.given(reduction_key) ||
         options.given(replicas_key) || options.given(metrics_key) ||
         options.given(gradients_in_hand_key) || options.given(outfeed_outputs_key))) {
      found =
          refuse("loss<...> beside what only training needs", "none",
                 "without a loss a model predicts: give a loss, or take out what is for training");
    }
    if (!found.found() && stages > action_set::max_stages) {
      found = refuse(label("at most ") << action_set::max_stages << " stages", label() << stages);
    }
    if (!found.found() && !is_null(settings.target)) {
      found = check_target(*settings.target);
    }
    if (!found.found() && (settings.replicas < 1 || settings.replicas > most_replicas)) {
      found = refuse(label("between 1 and ") << most_replicas << " replicas",
                     label() << settings.replicas);
    }
    if (!found.found() && settings.micro_batch < 1) {
      found = refuse("a micro_batch of at least 1 sample", label() << settings.micro_batch);
    }
    if (!found.found() && settings.has_loss && stages > 1 &&
        !options.given(gradient_accumulation_key)) {
      found = refuse("gradient_accumulation<...> for training in a pipeline", "none",
                     "say how many micro-batches make one update");
    }
    if (found.found() && found.where.view().empty()) {
      found.where = "compile";
    }
    return found;
  }

 private:
  /// What is wrong with the options of a loss, of a metric or of the optimizer.
  static constexpr problem find_part_fault() {
    problem found = loss_type::fault;
    if (found.found()) {
      found.where = "loss";
      return found;
    }
    found = metrics_type::fault;
    if (found.found()) {
      found.where = "metrics";
      return found;
    }
    found = optimizer_option::fault;
    if (found.found()) {
      found.where = "optimizer";
    }
    return found;
  }
};

template <typename T>
concept compiled_model = requires {
  typename T::compiled;
  typename T::schedule_type;
  T::settings;
};

}  // namespace ipu_dsl
