// SPDX-License-Identifier: MIT
// What losses and metrics counted, summed over micro-batches in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/runtime/regions.hpp>
#include <ipu_dsl/training/metric_values.hpp>
#include <ipu_dsl/training/session_parts.hpp>

namespace ipu_dsl {

/// Sums for all results of a model, losses first. Takes memory when it is made, and then none.
class result_sums {
 public:
  [[gnu::cold]] result_sums(list_view<result_code> results, std::int32_t micro_batch)
      : results_(results), micro_batch_(micro_batch) {
    std::size_t numbers = 0;
    std::size_t reported = 0;
    for (const result_code& result : results_) {
      numbers += static_cast<std::size_t>(result.numbers);
      reported += result.final_values == nullptr ? 0 : static_cast<std::size_t>(result.reported);
    }
    sums_.resize(numbers);
    reported_.resize(reported);
  }

  void clear() {
    for (double& sum : sums_) {
      sum = 0;
    }
  }

  /// Adds what a program, which ran with so many replicas, counted in a micro-batch of its run.
  void add(const region_set& memory, list_view<placement> places, int micro_batch, int replicas) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const double* const counted = counted_in(memory, places[i], micro_batch, replicas);
      sums_[next] += counted[0] * share_of(results_[i], counted);
      ++next;
      for (std::int32_t number = 1; number < results_[i].numbers; ++number) {
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

  /// The sum of the losses over all samples, each by its weight, in the order of the outputs.
  double loss() const {
    double sum = 0;
    std::size_t first = 0;
    for (const result_code& result : results_) {
      sum += result.is_loss ? static_cast<double>(result.weight) * value_of(result, first) : 0;
      first += static_cast<std::size_t>(result.numbers);
    }
    return sum;
  }

  /// Of the metrics; of several losses each as well, reduced but without its weight. The numbers of
  /// metrics of several lie here until this is asked again; copies have their own.
  [[gnu::cold]] metric_values metrics() {
    metric_values made;
    const bool one_loss = results_.size() < 2 || !results_[1].is_loss || !results_[1].is_reported;
    std::size_t first = 0;
    std::size_t reported = 0;
    for (const result_code& result : results_) {
      if (result.final_values != nullptr) {
        add_several(made, result, first, reported);
      } else if (result.is_reported && (!result.is_loss || !one_loss)) {
        made.add(result.name, result.means * value_of(result, first));
      }
      first += static_cast<std::size_t>(result.numbers);
    }
    made.see({reported_.data(), reported_.size()});
    return made;
  }

  /// The sums themselves, in the order of the results.
  const list<double>& counted() const { return sums_; }

  /// As if these had been counted: as many as there are.
  void go_on_from(const list<double>& counted) {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      sums_[i] = counted[i];
    }
  }

  /// How many numbers the metrics of several report in all.
  std::size_t reported() const { return reported_.size(); }

 private:
  /// What a micro-batch's sum counts among those of others: as in Keras by its samples, which are
  /// those of a full one but at the end of an evaluation. Means count by their samples anyway.
  double share_of(const result_code& result, const double* counted) const {
    return result.means == 1 ? 1 : counted[1] / micro_batch_;
  }

  std::span<const double> counted_of(const result_code& result, std::size_t first) const {
    return {sums_.data() + first, static_cast<std::size_t>(result.numbers)};
  }

  /// Adds what reports several numbers, behind so many of others, which are counted on.
  void add_several(metric_values& made, const result_code& result, std::size_t first,
                   std::size_t& reported) {
    const auto count = static_cast<std::size_t>(result.reported);
    double* const numbers = reported_.data() + reported;
    result.final_values(counted_of(result, first), numbers);
    if (count == 1) {
      made.add(result.name, numbers[0]);
    } else {
      made.add_several(result.name, reported, count);
    }
    reported += count;
  }

  double value_of(const result_code& result, std::size_t first) const {
    return result.final_value(counted_of(result, first));
  }

  list_view<result_code> results_;
  std::int32_t micro_batch_;  ///< samples of a full one
  list<double> sums_;
  list<double> reported_;  ///< of metrics of several numbers, one behind the other
};

}  // namespace ipu_dsl
