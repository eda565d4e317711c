// SPDX-License-Identifier: MIT
// Where a fit stands in its epochs and in its data.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/core/list.hpp>

namespace ipu_dsl {

/// Where a fit stands between two updates: what a file keeps of it besides weights. Steps are
/// micro-batches.
struct training_place {
  std::int32_t epoch = 0;           ///< the one at hand, or the next one; counts from 0
  std::int64_t steps = 0;           ///< of the epoch, done
  bool begun = false;               ///< the data of the epoch have been begun
  std::int64_t steps_of_epoch = 0;  ///< a fit of other epochs does not go on here
  std::int32_t micro_batch = 0;     ///< nor one of other steps
  double loss = 0;                  ///< the sum of those of its steps
  list<double> counted;             ///< by losses and metrics in this epoch
  feed_position data;
};

}  // namespace ipu_dsl
