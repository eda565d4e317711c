// SPDX-License-Identifier: MIT
// Samples with the floats that should come out of a model, the extents of both in the type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/data/dataset.hpp>

namespace ipu_dsl {

/// Owns samples of `SampleShape`, and for each a target of `TargetShape`: what a regression is to
/// predict, what an autoencoder is to reproduce, zeros and ones.
///
///   const paired_dataset<shape{8}, shape{1}> houses(features, prices);
template <shape SampleShape, shape TargetShape>
class paired_dataset {
 public:
  static_assert(SampleShape.elements() > 0 && TargetShape.elements() > 0,
                "ipu_dsl: expected at least one element in a sample and in a target of "
                "paired_dataset, got none");

  static constexpr shape sample_shape = SampleShape;
  static constexpr shape target_shape = TargetShape;

  /// Without samples.
  paired_dataset() = default;

  /// `features` [samples, elements of a sample], `targets` [samples, elements of a target]. Throws
  /// `error` if the two do not belong together, a float is an infinity or NaN and they are not to
  /// be kept, or if there are 2^32 samples or more.
  paired_dataset(std::vector<float> features, std::vector<float> targets,
                 non_finite floats = non_finite::refused)
      : features_(std::move(features)), targets_(std::move(targets)) {
    check_counts();
    if (floats == non_finite::refused) {
      datasets::check_finite(features_, elements, {"", "the targets"});
      datasets::check_finite(targets_, target_elements, {" of the targets", "the targets"});
    }
  }

  /// How many samples there are.
  std::int64_t size() const { return static_cast<std::int64_t>(features_.size() / elements); }

  /// Writes the sample at `index` < size() to `row` [elements of a sample].
  void gather(std::uint32_t index, float* row) const {
    std::memcpy(row, features_.data() + index * elements, elements * sizeof(float));
  }

  /// Writes its target to `row` [elements of a target].
  void gather_target(std::uint32_t index, float* row) const {
    std::memcpy(row, targets_.data() + index * target_elements, target_elements * sizeof(float));
  }

  /// [samples, elements of a sample]
  std::span<const float> features() const { return {features_.data(), features_.size()}; }

  /// [samples, elements of a target]
  std::span<const float> targets() const { return {targets_.data(), targets_.size()}; }

 private:
  static constexpr std::size_t elements = static_cast<std::size_t>(SampleShape.elements());
  static constexpr std::size_t target_elements = static_cast<std::size_t>(TargetShape.elements());

  void check_counts() const {
    const std::size_t samples = features_.size() / elements;
    if (features_.size() % elements != 0 || targets_.size() % target_elements != 0 ||
        targets_.size() / target_elements != samples) {
      raise_error({"A data set of samples ", describe(SampleShape), " and targets ",
                   describe(TargetShape), " got ", features_.size(), " and ", targets_.size(),
                   " values; expected ", elements, " and ", target_elements, " for each sample."});
    }
    if (samples > 0xFFFF'FFFF) {
      raise_error({"A data set holds fewer than 2^32 samples, got ", samples, "."});
    }
  }

  std::vector<float> features_;  // [samples, elements]
  std::vector<float> targets_;   // [samples, target elements]
};

}  // namespace ipu_dsl
