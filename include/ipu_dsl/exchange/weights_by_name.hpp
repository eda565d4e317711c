// SPDX-License-Identifier: MIT
// Opt-in: weights as safetensors, and files of weights of which not everything fits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ipu_dsl/core/non_finite.hpp>
#include <ipu_dsl/exchange/array_file.hpp>
#include <ipu_dsl/exchange/array_part.hpp>
#include <ipu_dsl/exchange/load_report.hpp>
#include <ipu_dsl/exchange/loading.hpp>
#include <ipu_dsl/formats/safetensors.hpp>
#include <ipu_dsl/runtime/parameters.hpp>

namespace ipu_dsl {

/// Writes all parameters and states as a safetensors file of float32: one array each, called
/// "layer/parameter", kernels as [inputs, units]. The old file stays until the new one is whole.
/// Throws `error` if the file cannot be written, or if there are infinities or NaN that are not to
/// be kept.
inline void save_safetensors(const parameters& weights, const std::string& path,
                             non_finite floats = non_finite::refused) {
  std::vector<safetensors_entry> entries;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    std::vector<float> values(static_cast<std::size_t>(weights.at(i).extents.elements()));
    weights.get(i, values);
    if (floats == non_finite::refused) {
      weights.check_savable(i, values, path);
    }
    entries.push_back(
        {weights.name(i), exchange::extents_of(weights.at(i).extents), std::move(values)});
  }
  write_safetensors(path, entries);
}

/// Loads parameters from the arrays of the same names and shapes in an NPZ or safetensors file, as
/// `save_weights` and `save_safetensors` write them; F16, BF16 and float64 become float32. Returns
/// what matched, what was missing, what was left over and what has another shape. Throws `error`,
/// and changes nothing, if anything about the file is wrong, or if it is not all of this model and
/// nothing else, unless `.partly = true`:
///
///   const load_report found = load_by_name(run.weights(), "base.safetensors", {.partly = true});
inline load_report load_by_name(parameters& weights, const std::string& path,
                                const load_options& options = {}) {
  const array_file file = read_arrays(path, options.inflater);
  exchange::check_pairs(weights, options.names);
  exchange::loader loading(weights, file, options);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::string layer = exchange::layer_of(weights, i);
    const std::string called =
        exchange::pair_of(layer, options.names).in_file + weights.name(i).substr(layer.size());
    loading.read(i, {{exchange::as_it_is(called, weights.at(i).extents)}});
  }
  return loading.finish(weights);
}

}  // namespace ipu_dsl
