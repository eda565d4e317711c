// SPDX-License-Identifier: MIT
// What losses and metrics counted, summed over micro-batches in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/runtime/regions.hpp>
#include <ipu_dsl/training/metric_values.hpp>
#include <ipu_dsl/training/session_parts.hpp>

namespace ipu_dsl {

/// Sums for all results of a model, the loss first. Takes memory when it is made, and then none.
class result_sums {
 public:
  explicit result_sums(std::span<const result_code> results) : results_(results) {
    std::size_t numbers = 0;
    for (const result_code& result : results_) {
      numbers += static_cast<std::size_t>(result.numbers);
    }
    sums_.resize(numbers);
  }

  void clear() {
    for (double& sum : sums_) {
      sum = 0;
    }
  }

  /// Adds what a program, which ran with so many replicas, counted in a micro-batch of its run.
  void add(const region_set& memory, std::span<const placement> places, int micro_batch,
           int replicas) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const double* const counted = counted_in(memory, places[i], micro_batch, replicas);
      for (std::int32_t number = 0; number < results_[i].numbers; ++number) {
        sums_[next] += counted[number];
        ++next;
      }
    }
  }

  /// What one result of a micro-batch is: [numbers].
  static const double* counted_in(const region_set& memory, const placement& place, int micro_batch,
                                  int replicas) {
    return static_cast<const double*>(
        static_cast<const void*>(memory.copy(place, micro_batch, replicas)));
  }

  /// Of the loss, over all samples.
  double loss() const { return results_[0].final_value(sums_of_first(results_[0])); }

  /// Of the metrics.
  metric_values metrics() const {
    metric_values made;
    std::size_t first = static_cast<std::size_t>(results_[0].numbers);
    for (const result_code& result : results_.subspan(1)) {
      const auto numbers = static_cast<std::size_t>(result.numbers);
      made.add(result.name, result.final_value({sums_.data() + first, numbers}));
      first += numbers;
    }
    return made;
  }

 private:
  std::span<const double> sums_of_first(const result_code& result) const {
    return {sums_.data(), static_cast<std::size_t>(result.numbers)};
  }

  std::span<const result_code> results_;
  list<double> sums_;
};

}  // namespace ipu_dsl
