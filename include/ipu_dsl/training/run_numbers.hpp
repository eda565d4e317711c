// SPDX-License-Identifier: MIT
// The values that are threaded to a model from run to run.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/non_finite.hpp>
#include <ipu_dsl/plan/model_interface.hpp>

namespace ipu_dsl {

/// Those of a model, as the next run reads them. The model outlives it.
class run_numbers {
 public:
  [[gnu::cold]] explicit run_numbers(const model_interface& model) : model_(model) {
    for (const run_value_interface& each : model.run_values()) {
      values_.push_back(each.start);
    }
  }

  /// Throws `error` unless the value is finite.
  void set(std::int32_t number, float value) {
    if (is_non_finite(value)) {
      raise_error({"The value ", model_.values[number].name,
                   " of a run is a finite number, got an infinity or NaN."});
    }
    values_[number] = value;
  }

  float get(std::int32_t number) const { return values_[number]; }

  /// By number. Throws `error` if a value has yet to be given.
  const float* all() const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (is_non_finite(values_[i])) {
        raise_error({"The model reads the value ", model_.values[i].name,
                     ", which has no default: give it before the first run, as set<\"",
                     model_.values[i].name, "\">(1.0F)."});
      }
    }
    return values_.data();
  }

 private:
  const model_interface& model_;
  list<float> values_;
};

}  // namespace ipu_dsl
