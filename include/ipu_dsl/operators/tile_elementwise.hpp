// SPDX-License-Identifier: MIT
// Add, Concatenate, Dropout and the sum of gradients tile by tile.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/operators/elementwise.hpp>
#include <ipu_dsl/operators/tile_activation.hpp>
#include <ipu_dsl/operators/tile_operators.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Sums what it reads, in order; of one read that is a copy, of none zero.
struct tile_sum_operators {
  static tile_jobs jobs(const call_signature& signature) {
    const stored_matrix rows(storage::rows, signature.extents[1], signature.extents[2]);
    tile_job job{.rows = rows.rows(), .columns = rows.columns(), .compute = sum, .operands = {}};
    job.writes(0, rows);
    for (std::int32_t term = 0; term < signature.extents[0]; ++term) {
      job.reads(1 + term, rows);
    }
    return {job};
  }

 private:
  static void sum(const tile_step& here) {
    tile_code::for_elements(here.operands[0], [&](std::int32_t row, std::int32_t column) {
      float sum = here.operands.size() > 1 ? here.operands[1](row, column) : 0.0F;
      for (std::size_t term = 2; term < here.operands.size(); ++term) {
        sum = sum + here.operands[term](row, column);
      }
      here.operands[0](row, column) = sum;
    });
  }
};

template <>
struct tile_operators<&add_family> : tile_sum_operators {};

template <>
struct tile_operators<&gradient_sum_family> : tile_sum_operators {};

/// A part goes to its place in the joined rows, or comes from there.
template <>
struct tile_operators<&concatenate_family> {
  static tile_jobs jobs(const call_signature& signature) {
    const std::int32_t batch = signature.extents[0];
    const std::int32_t rows = signature.extents[1];
    const std::int32_t columns = signature.extents[2];
    const stored_matrix part = stored_matrix::part_of_rows(batch, rows, columns, columns, 0);
    const stored_matrix joined = stored_matrix::part_of_rows(
        batch, rows, columns, signature.extents[3], signature.extents[4]);
    const bool forward =
        static_cast<concatenate_variant>(signature.variant) == concatenate_variant::forward;
    tile_job job{.rows = batch * rows, .columns = columns, .compute = copy, .operands = {}};
    job.writes(0, forward ? joined : part).reads(1, forward ? part : joined);
    return {job};
  }

 private:
  static void copy(const tile_step& here) {
    tile_code::for_elements(here.operands[0], [&](std::int32_t row, std::int32_t column) {
      here.operands[0](row, column) = here.operands[1](row, column);
    });
  }
};

/// The mask is a function of an element's number, whichever tile asks.
template <>
struct tile_operators<&dropout_family> {
  static tile_jobs jobs(const call_signature& signature) {
    const stored_matrix rows(storage::rows, signature.extents[0], signature.extents[1]);
    tile_job job{.rows = rows.rows(), .columns = rows.columns(), .compute = mask, .operands = {}};
    job.writes(0, rows).reads(1, rows);
    return {job};
  }

 private:
  static void mask(const tile_step& here) {
    const auto elements = static_cast<std::uint64_t>(here.signature.extents[1]);
    const float rate = here.context.training ? here.scalars[0] : 0.0F;
    const float kept = 1.0F / (1.0F - rate);
    tile_code::for_elements(here.operands[0], [&](std::int32_t row, std::int32_t column) {
      const std::uint64_t sample =
          here.context.first_sample + static_cast<std::uint64_t>(here.rows.begin + row);
      const std::uint64_t element =
          sample * elements + static_cast<std::uint64_t>(here.columns.begin + column);
      const float uniform =
          uniform_unit(random_word(here.context.seed, here.context.stream, element));
      const float x = here.operands[1](row, column);
      here.operands[0](row, column) = uniform < rate ? 0.0F : x * kept;
    });
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
