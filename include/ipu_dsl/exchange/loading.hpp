// SPDX-License-Identifier: MIT
// Parameters out of the arrays of a file, all or as many as fit.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/non_finite.hpp>
#include <ipu_dsl/exchange/array_file.hpp>
#include <ipu_dsl/exchange/array_part.hpp>
#include <ipu_dsl/exchange/load_report.hpp>
#include <ipu_dsl/formats/npy_header.hpp>
#include <ipu_dsl/formats/printable.hpp>
#include <ipu_dsl/runtime/parameters.hpp>

namespace ipu_dsl {

namespace exchange {

/// Where the values of a parameter come from: the sum of these parts. Without any, `why_not` says
/// why no array can give them.
struct parameter_source {
  std::vector<array_part> parts;
  std::string why_not = {};
};

/// The layer of a parameter: "logits" of "logits/kernel".
inline std::string layer_of(const parameters& weights, std::size_t index) {
  const std::string name = weights.name(index);
  return name.substr(0, name.rfind('/'));
}

/// What a layer is called in a file, and which of its parts it is.
inline layer_pair pair_of(const std::string& layer, std::span<const layer_pair> names) {
  for (const layer_pair& pair : names) {
    if (pair.in_model == layer) {
      return pair;
    }
  }
  return {layer, layer};
}

/// Throws `error` for a pair of a layer that the model has not, or two of the same.
inline void check_pairs(const parameters& weights, std::span<const layer_pair> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    bool known = false;
    std::string layers;
    for (std::size_t index = 0; index < weights.size(); ++index) {
      const std::string layer = layer_of(weights, index);
      known = known || layer == names[i].in_model;
      if (index == 0 || layer != layer_of(weights, index - 1)) {
        layers += (layers.empty() ? "" : ", ") + layer;
      }
    }
    if (!known) {
      raise_error({"The model has no layer ", printable(names[i].in_model),
                   " with parameters; it has ", layers, "."});
    }
    for (std::size_t before = 0; before < i; ++before) {
      if (names[before].in_model == names[i].in_model) {
        raise_error({"The layer ", names[i].in_model, " is paired twice, with ",
                     printable(names[before].in_file), " and ", printable(names[i].in_file), "."});
      }
    }
  }
}

/// Throws `error` for the first infinity or NaN.
inline void check_finite(std::span<const float> values, const std::string& parameter,
                         const std::string& file) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_non_finite(values[i])) {
      raise_error({"Value ", i, " of ", parameter, " in ", file, " is ",
                   values[i] == values[i] ? "infinite" : "not a number",
                   "; expected finite numbers. Hint: .floats = non_finite::kept keeps it."});
    }
  }
}

/// Gathers what a file has of a model's parameters, and changes them when all of it is there.
class loader {
 public:
  loader(const parameters& weights, const array_file& file, const load_options& options)
      : weights_(&weights), file_(&file), options_(&options), taken_(file.size()) {}

  /// Reads the values of a parameter, if the file has them.
  void read(std::size_t index, const parameter_source& source) {
    if (source.parts.empty()) {
      report_.missing.push_back(sentence_of({weights_->name(index), " (", source.why_not, ")"}));
      return;
    }
    if (!has_all(index, source) || !fit_all(index, source)) {
      return;
    }
    const auto count = static_cast<std::size_t>(weights_->at(index).extents.elements());
    std::vector<float> values(count);
    for (std::size_t i = 0; i < source.parts.size(); ++i) {
      const std::vector<float> array = file_->floats(file_->find(source.parts[i].array));
      i == 0 ? take_part(source.parts[i], array, values) : add_part(source.parts[i], array, values);
    }
    if (options_->floats == non_finite::refused) {
      check_finite(values, weights_->name(index), file_->name());
    }
    weights_->check_range(index, values, file_->name());
    report_.matched.push_back(weights_->name(index));
    read_.emplace_back(index, std::move(values));
  }

  /// Says of an array that nothing needs it: a counter, say.
  void pass_over(std::size_t array) { taken_[array] = true; }

  /// Changes the parameters that were read. Throws `error`, and changes nothing, if something does
  /// not fit and that is not allowed.
  load_report finish(parameters& weights) {
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      if (!taken_[i]) {
        report_.left_over.push_back(printable(file_->name_of(i)));
      }
    }
    for (const std::string& other : file_->other_files()) {
      report_.left_over.push_back(printable(other));
    }
    if (!options_->partly && !report_.complete()) {
      raise_error(
          {"The file ", file_->name(), " does not fit the model: ", report_.fault(),
           ". Hint: pairs in .names say what is called otherwise, .partly = true loads what "
           "fits."});
    }
    if (read_.empty() && !report_.left_over.empty()) {
      raise_error({"The file ", file_->name(), " has nothing of the model: ", report_.fault(),
                   ". Hint: pairs in .names say what is called otherwise."});
    }
    for (const auto& [index, values] : read_) {
      weights.set(index, values);
    }
    return std::move(report_);
  }

 private:
  bool has_all(std::size_t index, const parameter_source& source) {
    for (const array_part& part : source.parts) {
      if (file_->find(part.array) == file_->size()) {
        const std::string name = weights_->name(index);
        report_.missing.push_back(
            part.array == name ? name : sentence_of({name, " (", printable(part.array), ")"}));
        return false;
      }
    }
    return true;
  }

  bool fit_all(std::size_t index, const parameter_source& source) {
    bool fit = true;
    for (const array_part& part : source.parts) {
      const std::size_t array = file_->find(part.array);
      taken_[array] = true;
      const std::span<const std::int64_t> extents = file_->extents_of(array);
      if (fit && (!fits(part, extents) || !file_->holds_floats(array))) {
        const bool floats = file_->holds_floats(array);
        report_.other_shape.push_back(sentence_of(
            {printable(part.array), floats ? " " : " of ", floats ? "" : file_->type_of(array),
             floats ? "" : " ", npy::describe(extents), " where ", weights_->name(index), " ",
             describe(weights_->at(index).extents), " takes floats ", npy::describe(part.extents),
             floats ? "" : ": save array.astype(\"float32\")"}));
        fit = false;
      }
    }
    return fit;
  }

  const parameters* weights_;
  const array_file* file_;
  const load_options* options_;
  std::vector<bool> taken_;
  std::vector<std::pair<std::size_t, std::vector<float>>> read_;
  load_report report_;
};

}  // namespace exchange

}  // namespace ipu_dsl
