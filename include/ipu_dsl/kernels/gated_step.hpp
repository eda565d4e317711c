// SPDX-License-Identifier: MIT
// What the steps of recurrent layers with gates share: the product of all gates at once, and walks
// over units whose gates lie side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/dense_forward_sample.hpp>
#include <ipu_dsl/kernels/product_tile.hpp>
#include <ipu_dsl/kernels/recurrent_step.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The numbers that activations are told.
struct gate_alphas {
  float state;
  float gates;
};

/// What one step of all samples multiplies: rows of `terms` numbers with panels of [terms, units].
struct step_product {
  std::int32_t samples;
  std::int32_t terms;
  std::int32_t units;
  std::int32_t read_stride;     ///< from a sample to the next, of what is multiplied
  std::int32_t written_stride;  ///< the same of the sums

  /// The same of rows that lie otherwise.
  constexpr step_product reading(std::int32_t stride) const {
    return {samples, terms, units, stride, written_stride};
  }

  /// Of rows that are walked together in all panels.
  constexpr layout::balanced_split tiles(layout::architecture target) const {
    return row_tiles(samples, panel_columns(units, target).vectors, target);
  }

  constexpr index_range rows_of(const index_range& some_tiles, layout::architecture target) const {
    const layout::balanced_split split = tiles(target);
    return {split.begin(some_tiles.begin), split.begin(some_tiles.end)};
  }
};

/// Adds x w to y for the rows of some tiles: each element of y goes on with its chain, in ascending
/// order of terms.
template <step_product Of, layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void add_step_product(const float* x, const float* w, float* y,
                                            const index_range& tiles) {
  if constexpr (Of.samples == 1) {
    if (tiles.begin < tiles.end) {
      dense_forward_sample<Architecture, Of.terms, Of.units, activation_kind::linear>(x, w, y, y,
                                                                                      0.0F);
    }
  } else {
    // Plain constants: g++ 12.2 fails on a struct of constants that is used inside a lambda.
    constexpr panel_columns columns(Of.units, Architecture);
    constexpr int width = columns.width;
    constexpr int vectors = columns.vectors;
    constexpr int rest_vectors = columns.rest_vectors;
    constexpr int read_stride = Of.read_stride;
    constexpr int limit = layout::max_tile_rows(vectors, Architecture);
    const auto one_panel = [&](auto panel_vectors,
                               std::int32_t panel) IPU_DSL_ALWAYS_INLINE_LAMBDA {
      parts_of<Of.samples, limit>(tiles, [&](auto rows,
                                             std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        product_tile<Architecture, rows, panel_vectors, width, read_stride,
                     activation_kind::linear>(
            x + std::ptrdiff_t{first} * read_stride, w + std::ptrdiff_t{panel} * Of.terms * width,
            nullptr, y + std::ptrdiff_t{first} * Of.written_stride + panel * width,
            Of.written_stride, Of.terms, 0.0F, {false, true});
      });
    };
    for (std::int32_t panel = 0; panel < columns.full_panels; ++panel) {
      one_panel(std::integral_constant<int, vectors>(), panel);
    }
    if constexpr (rest_vectors > 0) {
      one_panel(std::integral_constant<int, rest_vectors>(), columns.full_panels);
    }
  }
}

/// A vector of units, all of which there are.
template <layout::architecture Architecture>
struct whole_vector {
  IPU_DSL_ALWAYS_INLINE vector<Architecture> load_from(const float* from) const {
    return load<vector<Architecture>>(from);
  }

  IPU_DSL_ALWAYS_INLINE void store_to(float* to, const vector<Architecture>& value) const {
    store(to, value);
  }
};

/// The last units of a row, fewer than a vector: behind them stand those of another gate.
template <layout::architecture Architecture>
struct part_of_vector {
  std::int32_t count;

  IPU_DSL_ALWAYS_INLINE vector<Architecture> load_from(const float* from) const {
    float numbers[std::size_t{Architecture.lanes}] = {};
    for (std::int32_t i = 0; i < count; ++i) {
      numbers[i] = from[i];
    }
    return load<vector<Architecture>>(numbers);
  }

  IPU_DSL_ALWAYS_INLINE void store_to(float* to, const vector<Architecture>& value) const {
    float numbers[std::size_t{Architecture.lanes}];
    store(numbers, value);
    for (std::int32_t i = 0; i < count; ++i) {
      to[i] = numbers[i];
    }
  }
};

/// Calls `body(access, first unit)` for the vectors of `units` units.
template <layout::architecture Architecture, typename Body>
IPU_DSL_ALWAYS_INLINE void for_unit_vectors(std::int32_t units, const Body& body) {
  std::int32_t n = 0;
  for (; n + Architecture.lanes <= units; n += Architecture.lanes) {
    body(whole_vector<Architecture>(), n);
  }
  if (n < units) {
    body(part_of_vector<Architecture>{units - n}, n);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
