// SPDX-License-Identifier: MIT
// What epochs report of losses and metrics, by name, and that no two of these names are one.
#pragma once

#include <cstddef>
#include <string_view>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/plan/result_choice.hpp>

namespace ipu_dsl {

/// What stands before the names of what is found on validation data: "val_loss".
inline constexpr std::string_view validation_prefix = "val_";

/// What is reported of a loss or a metric: of one output its own name, of several that of the
/// output before it.
constexpr label reported_name(std::size_t outputs, std::string_view output, std::string_view own) {
  label name;
  if (outputs > 1) {
    name << output << "_";
  }
  name << own;
  return name;
}

/// All names that an epoch reports: the loss, of several outputs each one's, and the metrics.
constexpr list<label> reported_names(std::size_t outputs, list_view<result_choice> losses,
                                     list_view<result_choice> metrics) {
  list<label> names;
  names.push_back(label("loss"));
  for (const result_choice& loss : losses) {
    if (outputs > 1) {
      names.push_back(reported_name(outputs, loss.output, "loss"));
    }
  }
  for (const result_choice& metric : metrics) {
    names.push_back(reported_name(outputs, metric.output, name_of(metric)));
  }
  return names;
}

/// Refuses two numbers of an epoch by one name, those of its validation included: who asks for
/// "val_loss" would be told the loss of an output "val".
constexpr problem check_reported_names(std::size_t outputs, list_view<result_choice> losses,
                                       list_view<result_choice> metrics) {
  const list<label> names = reported_names(outputs, losses, metrics);
  for (const label& name : names) {
    if (name.view() == "epoch" || name.view() == "samples" || name.view() == "seconds") {
      problem found = refuse("names of their own for what epochs report", label(name.view()),
                             "logs have that of an epoch by this name; call the metric otherwise");
      found.where = "compile";
      return found;
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    for (std::size_t other = 0; other < names.size(); ++other) {
      const bool doubled = other < i && names[other] == names[i];
      const bool of_validation = names[i] == (label(validation_prefix) << names[other].view());
      if (doubled || of_validation) {
        problem found =
            refuse("names of their own for what epochs report", label(names[i].view()) << " twice",
                   "val_ stands before what is found on validation data; call the layer that makes "
                   "the output otherwise, or the metric: metric<..., metric_name<\"another\">>");
        found.where = "compile";
        return found;
      }
    }
  }
  return {};
}

}  // namespace ipu_dsl
