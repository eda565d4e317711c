// SPDX-License-Identifier: MIT
// The weights of a model whose normalisations are folded, from those that were trained.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/model/normalization_folded.hpp>
#include <ipu_dsl/runtime/parameters.hpp>
#include <ipu_dsl/runtime/weights.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Factor and shift of each channel that a normalisation by running statistics is, in float64:
/// gamma / sqrt(variance + epsilon), and beta - mean * factor.
struct channel_scaling {
  std::vector<double> factor;
  std::vector<double> shift;

  channel_scaling(const parameters& trained, const normalization_numbers& by) {
    const std::vector<float> mean = values_of(trained, by.mean);
    const std::vector<float> variance = values_of(trained, by.variance);
    const std::vector<float> gamma = values_of(trained, by.gamma);
    const std::vector<float> beta = values_of(trained, by.beta);
    for (std::size_t c = 0; c < mean.size(); ++c) {
      const double around = static_cast<double>(variance[c]) + static_cast<double>(by.epsilon);
      const double scale = gamma.empty() ? 1.0 : static_cast<double>(gamma[c]);
      factor.push_back(scale / std::sqrt(around));
      const double center = beta.empty() ? 0.0 : static_cast<double>(beta[c]);
      shift.push_back(center - static_cast<double>(mean[c]) * factor[c]);
    }
  }

  /// The values of a parameter; none of one that there is not.
  static std::vector<float> values_of(const parameters& trained, std::int32_t number) {
    std::vector<float> values;
    if (number >= 0) {
      const auto index = static_cast<std::size_t>(number);
      values.resize(static_cast<std::size_t>(trained.at(index).extents.elements()));
      trained.get(index, values);
    }
    return values;
  }
};

/// The values of a parameter of the folded model. The last extents of a kernel are its channels.
inline std::vector<float> fold_parameter(const parameters& trained, const folded_parameter& made,
                                         std::size_t elements) {
  std::vector<float> values = channel_scaling::values_of(trained, made.source);
  values.resize(elements);
  if (made.is_changed) {
    const channel_scaling by(trained, made.by);
    const std::size_t channels = by.factor.size();
    for (std::size_t i = 0; i < elements; ++i) {
      const double shift = made.is_bias ? by.shift[i % channels] : 0.0;
      const double scaled = static_cast<double>(values[i]) * by.factor[i % channels];
      values[i] = static_cast<float>(scaled + shift);
    }
  }
  return values;
}

/// What is wrong with weights that are none of a model whose normalisations are folded.
template <typename Weights>
struct folded_weights_fault_of {
  static constexpr problem find() {
    problem found = refuse("weights_of<normalization_folded<...>> to write", type_name<Weights>(),
                           "write copy_folded(run.weights(), folded), what is read in front");
    found.where = "copy_folded";
    return found;
  }

  static constexpr problem value = find();
};

template <typename T>
inline constexpr bool is_folded_weights = false;

template <typename M>
inline constexpr bool is_folded_weights<weights_of<normalization_folded<M>>> = true;

/// Makes the weights of `normalization_folded<M>` of those of `M`: of a session, or of
/// `weights_of<M>`. Throws `error` if they are of another model; nothing is changed then.
template <typename M>
void copy_folded(const parameters& trained, weights_of<normalization_folded<M>>& folded) {
  if (trained.shapes() != weight_layout<M>::shapes) {
    raise_error(
        {"The weights to fold are of other names or shapes than those of ", type_name<M>(), "."});
  }
  for (std::size_t i = 0; i < folded.size(); ++i) {
    const auto elements = static_cast<std::size_t>(folded.at(i).extents.elements());
    folded.set(i, fold_parameter(trained, folded_parameters_of<M>[i], elements));
  }
}

/// Refused with a sentence: weights of any other model, or arguments in another order.
template <typename Trained, typename Weights>
  requires(!is_folded_weights<Weights>)
void copy_folded(const Trained&, Weights&) {
  static_assert(diagnose<folded_weights_fault_of<Weights>>());
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
