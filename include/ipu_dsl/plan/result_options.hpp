// SPDX-License-Identifier: MIT
// Losses and metrics as options of compile, and which output each of them judges.
// Over 300 lines: every way to write one, each with what is refused of it.
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <type_traits>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/plan/loss.hpp>
#include <ipu_dsl/vocabulary/judge_fault.hpp>
#include <ipu_dsl/vocabulary/metric.hpp>

namespace ipu_dsl {

inline constexpr option_key loss_key{"loss"};
inline constexpr option_key metrics_key{"metrics"};
inline constexpr option_key loss_weight_key{
    "loss_weight", "loss<for_output<\"price\", mean_squared_error, loss_weight<0.5>>, ...>"};
inline constexpr option_key loss_reduction_key{"reduction"};

/// What becomes of the losses of a micro-batch's samples, by Keras's names: their mean,
/// `reduction<"sum_over_batch_size">`, the default; or their sum, over the positions of a sample as
/// well: `loss<mean_squared_error, reduction<"sum">>`. What is reported then is the sum of a
/// micro-batch, a mean over micro-batches, each by its samples, a short last one by those it has.
template <fixed_string Name>
struct reduction {
  static constexpr problem find_fault() {
    if (Name.view() == "none") {
      return refuse("\"sum_over_batch_size\" or \"sum\"", "\"none\", of which there is no gradient",
                    "what single samples lose: evaluate(data | skip(i) | take(1)), or predict and "
                    "compute it");
    }
    return refuse("\"sum_over_batch_size\" or \"sum\"", label() << "\"" << Name.view() << "\"");
  }

  static constexpr problem unknown = find_fault();
  static constexpr bool sums = Name.view() == "sum";
  static constexpr option as_option = sums || Name.view() == "sum_over_batch_size"
                                          ? option{&loss_reduction_key, sums ? 1 : 0}
                                          : option{&loss_reduction_key, 0, 0, &unknown};
};

/// A type that stands for a loss; its own options, if it takes any, are read as
/// `sparse_categorical_crossentropy` reads them. Model: `sparse_categorical_crossentropy`. Not a
/// model: `relu`.
template <typename T>
concept loss_kind = requires {
  { T::rule } -> std::convertible_to<const family*>;
  requires T::is_loss;
};

/// A type that judges an output, where options of a loss belong.
template <typename T>
inline constexpr bool judges_an_output = loss_kind<T>;

/// What is wrong with losses beside each other of which none names its output.
inline constexpr problem several_unnamed_losses =
    refuse("one loss in loss<...>", "several",
           "each output has its own: write loss<for_output<\"name\", mean_squared_error>, ...>");

/// The options that every loss takes, and those of every loss that is one of several.
inline constexpr const option_key* options_of_all_losses[] = {&weighs_key, &loss_reduction_key};
inline constexpr const option_key* options_of_several_losses[] = {&weighs_key, &loss_reduction_key,
                                                                  &loss_weight_key};

/// The options of a loss.
template <loss_kind Loss, typename... Options>
struct options_of_loss {
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;

  /// `besides` are keys of options that are not the loss's own.
  static constexpr problem find_fault(list_view<const option_key*> besides) {
    list<const option_key*> accepted;
    if constexpr (requires { Loss::accepted; }) {
      accepted.append(Loss::accepted);
    }
    accepted.append(besides);
    const problem found = given.find_fault(accepted);
    return found.found() ? found : check_read_options<Loss, read_type>(how_to_read);
  }

  static constexpr bool is_read =
      requires { typename constant_of_options<attributes::of(Loss::read(given))>; };

  static consteval auto type_of_read() {
    if constexpr (is_read) {
      return std::type_identity<decltype(Loss::read(given))>();
    } else {
      return std::type_identity<void>();
    }
  }

  using read_type = typename decltype(type_of_read())::type;

  static constexpr const char* how_to_read =
      "write template <std::size_t Count> static constexpr your_rule read(const "
      "option_list<Count>& given), which returns the rule with its options";

  static constexpr attributes read() {
    if constexpr (is_read) {
      return attributes::of(Loss::read(given));
    } else {
      return {};
    }
  }

  /// Of the output of this name.
  static constexpr result_choice choice(std::string_view output) {
    return {.rule = Loss::rule,
            .options = read(),
            .output = output,
            .weight = given.number(loss_weight_key, 1),
            .weighs = static_cast<weighed>(given.integer(weighs_key, 0)),
            .sums = given.integer(loss_reduction_key, 0) != 0};
  }
};

/// What a loss counts in the sum of all: `for_output<"price", mean_squared_error,
/// loss_weight<0.5>>`.
template <auto Weight>
struct loss_weight {
  static constexpr problem not_positive =
      refuse("a number above 0", label() << real(Weight).value,
             "an output that is not to be trained needs no loss");
  static constexpr option as_option = !is_null(real(Weight).fault) || real(Weight).value > 0
                                          ? real_option(&loss_weight_key, Weight)
                                          : option{&loss_weight_key, 0, 0, &not_positive};
};

/// Which output a loss or a metric judges, by the name of the layer that makes it:
/// `loss<for_output<"logits", sparse_categorical_crossentropy>,
///       for_output<"price", mean_squared_error, loss_weight<0.5>>>`,
/// `metrics<for_output<"logits", accuracy>>`. A loss may have its own options behind it.
template <fixed_string Name, typename Judge, typename... Options>
struct for_output {};

template <fixed_string Name, typename Judge, typename... Options>
inline constexpr bool judges_an_output<for_output<Name, Judge, Options...>> = true;

/// A loss as a value, and what is wrong with it; of what is none there is no rule.
template <typename T, typename... Options>
struct read_loss {
  static constexpr result_choice choice{};

  static constexpr problem find_fault() {
    if constexpr (nearly_a_judge<T> && !metric_kind<T>) {
      return judge_lacks<T>("static constexpr bool is_loss = true");
    } else {
      return refuse("a loss in loss<...>", type_name<T>(),
                    "such as sparse_categorical_crossentropy and mean_squared_error; one of your "
                    "own has a public is_loss");
    }
  }

  static constexpr problem fault = find_fault();
};

template <loss_kind Loss, typename... Options>
struct read_loss<Loss, Options...> {
  using own = options_of_loss<Loss, Options...>;

  static constexpr problem fault = (judges_an_output<Options> || ...)
                                       ? several_unnamed_losses
                                       : own::find_fault(options_of_all_losses);
  static constexpr result_choice choice = own::choice({});
};

template <fixed_string Name, typename Judge, typename... Options>
struct read_loss<for_output<Name, Judge, Options...>> : read_loss<Judge> {};

template <fixed_string Name, loss_kind Loss, typename... Options>
struct read_loss<for_output<Name, Loss, Options...>> {
  using own = options_of_loss<Loss, Options...>;

  static constexpr problem fault = own::find_fault(options_of_several_losses);
  static constexpr result_choice choice = own::choice(Name.view());
};

/// The first of several problems.
constexpr problem first_problem(std::initializer_list<const problem*> faults) {
  for (const problem* each : faults) {
    if (each->found()) {
      return *each;
    }
  }
  return {};
}

/// A loss that is the only one, as an option.
template <typename Read>
struct one_loss {
  static constexpr option as_option{&loss_key};
  static constexpr problem fault = Read::fault;
  static constexpr result_choice choices[1] = {Read::choice};
  static constexpr std::size_t count = fault.found() ? 0 : 1;
};

/// The loss, with options: `loss<sparse_categorical_crossentropy, from_probabilities>`; of a model
/// with several outputs one for each that is to be trained: see `for_output`.
template <typename... LossAndOptions>
struct loss : one_loss<read_loss<typename first_type<LossAndOptions...>::type>> {};

template <loss_kind Loss, typename... Options>
struct loss<Loss, Options...> : one_loss<read_loss<Loss, Options...>> {};

template <fixed_string Name, typename Judge, typename... Options, typename... More>
struct loss<for_output<Name, Judge, Options...>, More...> {
  using first = for_output<Name, Judge, Options...>;

  static constexpr option as_option{&loss_key};
  static constexpr problem fault =
      first_problem({&read_loss<first>::fault, &read_loss<More>::fault...});
  static constexpr result_choice choices[] = {read_loss<first>::choice, read_loss<More>::choice...};
  static constexpr std::size_t count = fault.found() ? 0 : 1 + sizeof...(More);
};

/// A metric as a value; of what is none there is no rule.
template <typename T>
struct read_metric {
  static constexpr std::string_view type = type_name<T>();

  static constexpr result_choice make() {
    result_choice made;
    if constexpr (metric_kind<T>) {
      made.rule = T::rule;
      made.options = attributes::of(options_of_metric<T>(option_list<0>()));
      if constexpr (requires {
                      T::weighs;
                      T::name;
                    }) {
        made.weighs = T::weighs;
        made.name = T::name;
      }
    }
    return made;
  }

  /// What is wrong with the options of a metric.
  static constexpr problem find_fault() {
    if constexpr (requires {
                    T::is_metric;
                    { T::fault } -> std::convertible_to<problem>;
                  }) {
      return T::fault;
    } else if constexpr (option_type<T>) {
      return find_place(*T::as_option.key);
    } else if constexpr (metric_kind<T>) {
      return check_metric_options<T>();
    } else if constexpr (nearly_a_judge<T> && !loss_kind<T>) {
      return judge_lacks<T>("static constexpr bool is_metric = true");
    } else {
      return {};
    }
  }

  /// What is wrong with an option beside the metric that it is of.
  static constexpr problem find_place(const option_key& key) {
    return key.place.empty()
               ? problem{}
               : refuse("a metric in metrics<...>", type, text<191>("write ") << key.place);
  }

  static constexpr problem fault = find_fault();
  static constexpr result_choice choice = make();
};

template <fixed_string Name, typename Metric>
struct read_metric<for_output<Name, Metric>> {
  static constexpr std::string_view type = read_metric<Metric>::type;
  static constexpr const problem& fault = read_metric<Metric>::fault;

  static constexpr result_choice make() {
    result_choice made = read_metric<Metric>::choice;
    made.output = Name.view();
    return made;
  }

  static constexpr result_choice choice = make();
};

/// Several things in one `for_output`.
template <fixed_string Name, typename First, typename Second, typename... More>
struct read_metric<for_output<Name, First, Second, More...>> : read_metric<First> {
  static constexpr problem fault =
      refuse("one metric in for_output<...>", label() << 2 + sizeof...(More),
             "write for_output<...> for each of them; options of a metric stand in metric<...>");
};

/// What is wrong with some of the metrics.
constexpr problem check_metrics(list_view<result_choice> chosen,
                                list_view<std::string_view> types) {
  if (chosen.size() > std::size_t{most_metrics}) {
    return refuse(label("at most ") << most_metrics << " metrics", label() << chosen.size());
  }
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (is_null(chosen[i].rule)) {
      return refuse("a metric in metrics<...>", types[i],
                    "such as accuracy and mean_absolute_error; the loss needs no mention");
    }
    for (std::size_t earlier = 0; earlier < i; ++earlier) {
      if (name_of(chosen[earlier]) == name_of(chosen[i]) &&
          chosen[earlier].output == chosen[i].output) {
        return refuse(
            "metrics of different names", label(name_of(chosen[i])) << " twice",
            "keep one of them, or call it otherwise: metric<..., metric_name<\"another\">>");
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
  static constexpr problem misread = first_problem({&read_metric<Metrics>::fault...});
  static constexpr problem fault =
      misread.found() ? misread : check_metrics({choices, count}, {types, count});
};

}  // namespace ipu_dsl
