// SPDX-License-Identifier: MIT
// What a model is compiled with, in any order: `compile<mlp, micro_batch<32>, grouped, ...>`.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/machine/target.hpp>
#include <ipu_dsl/plan/result_options.hpp>
#include <ipu_dsl/schedule/schedules.hpp>
#include <ipu_dsl/vocabulary/optimizers/adapted_optimizer.hpp>
#include <ipu_dsl/vocabulary/optimizers/optimizer_fault.hpp>
#include <ipu_dsl/vocabulary/optimizers/sgd.hpp>

namespace ipu_dsl {

inline constexpr option_key micro_batch_key{"micro_batch"};
inline constexpr option_key gradient_accumulation_key{"gradient_accumulation"};
inline constexpr option_key schedule_key{"a schedule"};
inline constexpr option_key devices_key{"devices"};
inline constexpr option_key replicas_key{"replicas"};
inline constexpr option_key target_key{"on"};
inline constexpr option_key optimizer_key{"optimizer"};
inline constexpr option_key reduction_key{"sum_gradients or mean_gradients"};
inline constexpr option_key inference_micro_batches_key{"inference_micro_batches"};
inline constexpr option_key gradients_in_hand_key{"gradients_in_hand"};
inline constexpr option_key outfeed_outputs_key{"outfeed_outputs"};

/// What `compile` takes: a row for each option. Whoever acts on one that is a number asks for it as
/// `C::options.integer(its_key, otherwise)`.
inline constexpr const option_key* compile_option_keys[] = {&micro_batch_key,
                                                            &gradient_accumulation_key,
                                                            &schedule_key,
                                                            &devices_key,
                                                            &replicas_key,
                                                            &target_key,
                                                            &loss_key,
                                                            &metrics_key,
                                                            &optimizer_key,
                                                            &reduction_key,
                                                            &inference_micro_batches_key,
                                                            &gradients_in_hand_key,
                                                            &outfeed_outputs_key};

/// Samples that a kernel call works on at once.
template <auto Samples>
struct micro_batch {
  static constexpr option as_option = whole_option(&micro_batch_key, Samples);
};

/// Micro-batches whose gradients make one update.
template <auto MicroBatches>
struct gradient_accumulation {
  static constexpr option as_option = whole_option(&gradient_accumulation_key, MicroBatches);
};

/// Micro-batches of one run of an evaluation or a prediction; as many as make an update unless
/// given. Between two runs a pipeline drains, so that more fill it better.
template <auto MicroBatches>
struct inference_micro_batches {
  static constexpr option as_option = whole_option(&inference_micro_batches_key, MicroBatches);
};

/// Devices that the stages are dealt over, as the schedule does it: with fewer devices than stages
/// some hold several. One a stage unless given, or what the schedule wants.
template <auto Count>
struct devices {
  static constexpr option as_option = whole_option(&devices_key, Count);
};

/// The simulated machine that every device is, whose memory the plan must fit: `on<ipu2>`. A target
/// of one's own is a constant with static storage.
template <const machine_target& Target>
struct on {
  static constexpr option as_option{&target_key};
  static constexpr const machine_target* target = &Target;
};

/// Copies of the model that train side by side on micro-batches of their own and update together:
/// an update takes `gradient_accumulation` micro-batches for each. Micro-batch i of replica r is
/// the (i x Count + r)-th of the update. Their number is part of what is computed, whatever the
/// number of workers: gradients are summed within each replica, then over the replicas in order.
template <auto Count>
struct replicas {
  static constexpr option as_option = whole_option(&replicas_key, Count);
};

/// More accumulators than these would not fit into one call.
inline constexpr std::int32_t most_replicas = 32;

/// The update uses the sum of the micro-batches' mean gradients: the reference's meaning and the
/// default. Beside one batch of all the samples, the learning rate counts
/// `gradient_accumulation` times, and `replicas` times.
struct sum_gradients {
  static constexpr option as_option{&reduction_key, 0};
};

/// The update uses the mean over all samples of the accumulated micro-batches, so that the
/// result does not depend on how they were cut, except into micro-batches of one sample, whose
/// input gradients are summed in another order.
struct mean_gradients {
  static constexpr option as_option{&reduction_key, 1};
};

/// Updates are calls of their own for every parameter, so that a program of one's own may look at
/// the gradients before, and change them: `session::compute_gradients`. Otherwise an elementwise
/// update is the end of the last weight gradient and reads no memory of its own. The bits are the
/// same.
struct gradients_in_hand {
  static constexpr option as_option{&gradients_in_hand_key, 1};
};

/// Training hands out the model's outputs as prediction does, for a `training_outfeed`; outputs
/// that no loss reads are computed for that alone.
struct outfeed_outputs {
  static constexpr option as_option{&outfeed_outputs_key, 1};
};

/// What stands in for a type that is meant to be an optimizer, so that its settings are no second
/// error.
template <typename T>
struct refused_optimizer : sgd<> {};

template <typename T>
  requires requires { typename T::settings; }
struct refused_optimizer<T> : sgd<> {
  using settings = typename T::settings;
};

/// The optimizer, with options that all of them take: `optimizer<sgd<momentum>>`,
/// `optimizer<adam, clipvalue<0.5F>>`.
template <typename... OptimizerAndOptions>
struct optimizer {
  static constexpr option as_option{&optimizer_key};
  static constexpr problem fault =
      (optimizer_kind<OptimizerAndOptions> || ...)
          ? refuse("the optimizer first in optimizer<...>",
                   label() << type_name<typename first_type<OptimizerAndOptions...>::type>()
                           << " before it",
                   "write optimizer<adam, clipnorm<1>>")
          : refuse("an optimizer in optimizer<...>",
                   type_name<typename first_type<OptimizerAndOptions...>::type>(),
                   "write optimizer<sgd<momentum>>; there are adadelta, adagrad, adam, adamax, "
                   "adamw, amsgrad, ftrl, lamb, lion, nadam, rmsprop and sgd");
  using type = sgd<>;
};

template <optimizer_kind Optimizer>
struct optimizer<Optimizer> {
  static constexpr option as_option{&optimizer_key};
  static constexpr problem fault = fault_of_optimizer<Optimizer>();
  using type = Optimizer;
};

template <nearly_an_optimizer T, typename... Options>
  requires(!optimizer_kind<T>)
struct optimizer<T, Options...> {
  static constexpr option as_option{&optimizer_key};
  static constexpr const problem& fault = optimizer_lacks<T>;
  using type = refused_optimizer<T>;
};

template <optimizer_kind Optimizer, typename First, typename... Options>
struct optimizer<Optimizer, First, Options...> {
  static constexpr option as_option{&optimizer_key};
  using type = adapted_optimizer<Optimizer, First, Options...>;
  static constexpr const problem& fault = type::fault;
};

/// A type that is meant to be a schedule.
template <typename T>
concept nearly_a_schedule =
    requires { &T::make; } || requires { &T::make_forward; } || requires { &T::allows; };

/// What such a type lacks to be one, or what has another type than it should.
template <typename T>
constexpr const char* lacking_of_schedule() {
  if constexpr (!requires {
                  { T::name } -> std::convertible_to<std::string_view>;
                }) {
    return "static constexpr std::string_view name";
  } else if constexpr (!requires(int count, purpose aim) {
                         { T::allows(count, count, count, aim) } -> std::same_as<problem>;
                       }) {
    return "static constexpr problem allows(int devices, int stages, int micro_batches, purpose)";
  } else if constexpr (!requires(int count) {
                         { T::make(count, count, count) } -> std::same_as<program>;
                       }) {
    return "static constexpr program make(int devices, int stages, int micro_batches)";
  } else {
    return "static constexpr program make_forward(int devices, int stages, int micro_batches)";
  }
}

template <typename T>
inline constexpr problem schedule_lacks =
    refuse(lacking_of_schedule<T>(), label() << type_name<T>() << " without it",
           "schedule/schedule_type.hpp says what a schedule has");

/// The keys of what is no option of compile by itself.
inline constexpr option_key unwrapped_optimizer_key{"an optimizer", "optimizer<...> around it"};
inline constexpr option_key unwrapped_loss_key{"a loss", "loss<...> around it"};
inline constexpr option_key unwrapped_metric_key{"a metric", "metrics<...> around it"};

/// A schedule is an option as it stands, a user's own too.
template <typename T>
consteval named_option read_compile_option() {
  if constexpr (asked_while_compiling<T>) {
    return {{&schedule_key}, T::name};
  } else if constexpr (schedule_type<T>) {
    return {{&foreign_key, 0, 0, &not_asked_fault_of<T>::value}, type_name<T>()};
  } else if constexpr (nearly_a_schedule<T>) {
    return {{&foreign_key, 0, 0, &schedule_lacks<T>}, type_name<T>()};
  } else if constexpr (requires(typename T::settings chosen) { T::rule->update; }) {
    return {{&unwrapped_optimizer_key}, type_name<T>()};
  } else if constexpr (requires { T::is_loss; }) {
    return {{&unwrapped_loss_key}, type_name<T>()};
  } else if constexpr (requires { T::is_metric; }) {
    return {{&unwrapped_metric_key}, type_name<T>()};
  } else {
    return read_option_but_no_rate<T>();
  }
}

template <typename... Options>
inline constexpr option_list<sizeof...(Options)> compile_options_of = {
    {read_compile_option<Options>()...}};

/// The first type among `Options` that is about `Key`, or `Otherwise`.
template <const option_key* Key, typename Otherwise, typename... Options>
struct option_about {
  using type = Otherwise;
};

template <const option_key* Key, typename Otherwise, typename First, typename... Rest>
struct option_about<Key, Otherwise, First, Rest...> {
  using type = typename option_about<Key, Otherwise, Rest...>::type;
};

template <const option_key* Key, typename Otherwise, typename First, typename... Rest>
  requires(*read_compile_option<First>().value.key == *Key)
struct option_about<Key, Otherwise, First, Rest...> {
  using type = First;
};

}  // namespace ipu_dsl
