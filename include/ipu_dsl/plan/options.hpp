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
#include <ipu_dsl/plan/loss.hpp>
#include <ipu_dsl/schedule/schedules.hpp>
#include <ipu_dsl/vocabulary/optimizers/sgd.hpp>

namespace ipu_dsl {

inline constexpr option_key micro_batch_key{"micro_batch"};
inline constexpr option_key gradient_accumulation_key{"gradient_accumulation"};
inline constexpr option_key schedule_key{"a schedule"};
inline constexpr option_key devices_key{"devices"};
inline constexpr option_key replicas_key{"replicas"};
inline constexpr option_key target_key{"on"};
inline constexpr option_key loss_key{"loss"};
inline constexpr option_key metrics_key{"metrics"};
inline constexpr option_key optimizer_key{"optimizer"};
inline constexpr option_key reduction_key{"sum_gradients or mean_gradients"};
inline constexpr option_key inference_micro_batches_key{"inference_micro_batches"};
inline constexpr option_key loss_weight_key{"loss_weight"};

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
                                                            &inference_micro_batches_key};

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

/// A type that stands for a loss; its own options, if it takes any, are read as
/// `sparse_categorical_crossentropy` reads them. Model: `sparse_categorical_crossentropy`. Not a
/// model: `relu`.
template <typename T>
concept loss_kind = requires {
  { T::rule } -> std::convertible_to<const family*>;
  requires T::is_loss;
};

/// A type that stands for a metric. Model: `accuracy`. Not a model: a loss.
template <typename T>
concept metric_kind = requires {
  { T::rule } -> std::convertible_to<const family*>;
  requires T::is_metric;
};

/// The options of a loss.
template <loss_kind Loss, typename... Options>
struct options_of_loss {
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;

  /// `besides` are keys of options that are not the loss's own.
  static constexpr problem find_fault(std::span<const option_key* const> besides = {}) {
    list<const option_key*> accepted;
    if constexpr (requires { Loss::accepted; }) {
      accepted.append(Loss::accepted);
    }
    accepted.append(besides);
    return given.find_fault(accepted);
  }

  static constexpr attributes read() {
    if constexpr (requires { Loss::read(given); }) {
      return attributes::of(Loss::read(given));
    } else {
      return {};
    }
  }
};

/// A type that stands for an optimizer: its family, and the settings that a session is given, which
/// make the numbers of an update and say what is wrong with them.
/// Model: `sgd<momentum>`. Not a model: `momentum`.
template <typename T>
concept optimizer_kind = requires {
  { T::rule } -> std::convertible_to<const family*>;
  { T::fault } -> std::convertible_to<const problem&>;
  requires requires(const typename T::settings& chosen) {
    chosen.numbers(std::uint64_t{1});
    { chosen.fault() } -> std::convertible_to<problem>;
  };
};

/// What a loss counts in the sum of all: `for_output<"price", mean_squared_error,
/// loss_weight<0.5>>`.
template <auto Weight>
struct loss_weight {
  static constexpr problem not_positive =
      refuse("a number above 0", label() << real(Weight).value,
             "an output that is not to be trained needs no loss");
  static constexpr option as_option = real(Weight).fault != nullptr || real(Weight).value > 0
                                          ? real_option(&loss_weight_key, Weight)
                                          : option{&loss_weight_key, 0, 0, &not_positive};
};

/// Which output a loss or a metric judges, by the name of the layer that makes it:
/// `loss<for_output<"logits", sparse_categorical_crossentropy>,
///       for_output<"price", mean_squared_error, loss_weight<0.5>>>`,
/// `metrics<for_output<"logits", accuracy>>`. A loss may have its own options behind it.
template <fixed_string Name, typename Judge, typename... Options>
struct for_output {};

/// A loss as a value, and what is wrong with it; of what is none there is no rule.
template <typename T, typename... Options>
struct read_loss {
  static constexpr result_choice choice{};
  static constexpr problem fault =
      refuse("a loss in loss<...>", type_name<T>(),
             "there are sparse_categorical_crossentropy and mean_squared_error");
};

template <loss_kind Loss, typename... Options>
struct read_loss<Loss, Options...> {
  static constexpr result_choice choice{.rule = Loss::rule,
                                        .options = options_of_loss<Loss, Options...>::read()};
  static constexpr problem fault = options_of_loss<Loss, Options...>::find_fault();
};

template <fixed_string Name, typename Judge, typename... Options>
struct read_loss<for_output<Name, Judge, Options...>> : read_loss<Judge> {};

/// The option of every loss that is one of several.
inline constexpr const option_key* weighing[] = {&loss_weight_key};

template <fixed_string Name, loss_kind Loss, typename... Options>
struct read_loss<for_output<Name, Loss, Options...>> {
  using own = options_of_loss<Loss, Options...>;

  static constexpr problem fault = own::find_fault(weighing);
  static constexpr result_choice choice{.rule = Loss::rule,
                                        .options = own::read(),
                                        .output = Name.view(),
                                        .weight = own::given.number(loss_weight_key, 1)};
};

/// What is wrong with losses that are read one by one.
constexpr problem first_fault(std::initializer_list<const problem*> faults) {
  for (const problem* each : faults) {
    if (each->found()) {
      return *each;
    }
  }
  return {};
}

/// The loss, with options: `loss<sparse_categorical_crossentropy, from_probabilities>`; of a model
/// with several outputs one for each that is to be trained: see `for_output`.
template <typename... Parts>
struct loss {
  using read = read_loss<typename first_type<Parts...>::type>;

  static constexpr option as_option{&loss_key};
  static constexpr problem fault = read::fault;
  static constexpr result_choice choices[1] = {read::choice};
  static constexpr std::size_t count = fault.found() ? 0 : 1;
};

template <loss_kind Loss, typename... Options>
struct loss<Loss, Options...> {
  using read = read_loss<Loss, Options...>;

  static constexpr option as_option{&loss_key};
  static constexpr problem fault = read::fault;
  static constexpr result_choice choices[1] = {read::choice};
  static constexpr std::size_t count = fault.found() ? 0 : 1;
};

template <fixed_string Name, typename Judge, typename... Options, typename... More>
struct loss<for_output<Name, Judge, Options...>, More...> {
  using first = for_output<Name, Judge, Options...>;

  static constexpr option as_option{&loss_key};
  static constexpr problem fault =
      first_fault({&read_loss<first>::fault, &read_loss<More>::fault...});
  static constexpr result_choice choices[] = {read_loss<first>::choice, read_loss<More>::choice...};
  static constexpr std::size_t count = fault.found() ? 0 : 1 + sizeof...(More);
};

/// A metric as a value; of what is none there is no rule.
template <typename T>
struct read_metric {
  static constexpr std::string_view type = type_name<T>();

  static constexpr result_choice make() {
    if constexpr (metric_kind<T>) {
      if constexpr (requires { T::options; }) {
        return {.rule = T::rule, .options = T::options};
      } else {
        return {.rule = T::rule, .options = {}};
      }
    } else {
      return {};
    }
  }

  static constexpr result_choice choice = make();
};

template <fixed_string Name, typename Metric>
struct read_metric<for_output<Name, Metric>> {
  static constexpr std::string_view type = read_metric<Metric>::type;

  static constexpr result_choice make() {
    result_choice made = read_metric<Metric>::choice;
    made.output = Name.view();
    return made;
  }

  static constexpr result_choice choice = make();
};

/// So many metrics a model can have.
inline constexpr int most_metrics = 15;

/// Losses and metrics.
inline constexpr int most_results = most_metrics + most_outputs;

/// What is wrong with some of the metrics.
constexpr problem check_metrics(std::span<const result_choice> chosen,
                                std::span<const std::string_view> types) {
  if (chosen.size() > std::size_t{most_metrics}) {
    return refuse(label("at most ") << most_metrics << " metrics", label() << chosen.size());
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i].rule == nullptr) {
      return refuse("a metric in metrics<...>", types[i],
                    "there are accuracy and binary_accuracy; the loss needs no mention");
    }
    for (std::size_t earlier = 0; earlier < i; ++earlier) {
      if (chosen[earlier].rule->name == chosen[i].rule->name &&
          chosen[earlier].output == chosen[i].output) {
        return refuse("metrics of different names", label(chosen[i].rule->name) << " twice",
                      "keep one of them");
      }
    }
  }
  return {};
}

/// What is reported beside the loss: `metrics<accuracy>`. None by default.
template <typename... Metrics>
struct metrics {
  static constexpr option as_option{&metrics_key};
  static constexpr result_choice choices[sizeof...(Metrics) + 1] = {
      read_metric<Metrics>::choice...};
  static constexpr std::string_view types[sizeof...(Metrics) + 1] = {read_metric<Metrics>::type...};
  static constexpr std::size_t count = sizeof...(Metrics);
  static constexpr problem fault = check_metrics({choices, count}, {types, count});
};

/// The optimizer: `optimizer<sgd<momentum>>`.
template <typename... Parts>
struct optimizer {
  static constexpr option as_option{&optimizer_key};
  static constexpr problem fault =
      refuse("an optimizer in optimizer<...>",
             sizeof...(Parts) > 1 ? "more than one type"
                                  : type_name<typename first_type<Parts...>::type>(),
             "write optimizer<sgd<momentum>>");
  using type = sgd<>;
};

template <optimizer_kind Optimizer>
struct optimizer<Optimizer> {
  static constexpr option as_option{&optimizer_key};
  static constexpr const problem& fault = Optimizer::fault;
  using type = Optimizer;
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

/// A schedule is an option as it stands, a user's own too.
template <typename T>
consteval named_option read_compile_option() {
  if constexpr (schedule_type<T>) {
    return {{&schedule_key}, T::name};
  } else if constexpr (nearly_a_schedule<T>) {
    return {{&foreign_key, 0, 0, &schedule_lacks<T>}, type_name<T>()};
  } else {
    return read_option<T>();
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
