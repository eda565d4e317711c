// SPDX-License-Identifier: MIT
// Dense layers of so few units that most lanes would hold none: samples or inputs are lanes
// instead. What their forward pass and their weight gradient share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/tiling.hpp>
#include <ipu_dsl/kernels/transpose.hpp>
#include <ipu_dsl/layout/panel.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// How a product of `Units` units is cut whose lanes are `Extent` samples or inputs.
template <layout::architecture Architecture, std::int32_t Units, std::int32_t Extent>
struct few_units_cut {
  /// Sums that have to be at hand, or multiply-adds wait for each other: four cycles, two at once.
  static constexpr std::int32_t sums_in_flight = 8;

  /// Vectors of lanes, all of them and at once: two share what is loaded of a unit, and of fewer
  /// than four units more are in flight.
  static constexpr std::int32_t total = layout::ceiling_quotient(Extent, Architecture.lanes);
  static constexpr std::int32_t vectors =
      (std::min)(total, (std::max)(2, layout::ceiling_quotient(sums_in_flight, Units)));
  static constexpr std::int32_t blocks = layout::split_evenly(total, vectors).parts();

  /// Units at once: their sums find room in registers, beside the vectors and one number.
  static constexpr std::int32_t most_units =
      (std::max)(1, layout::max_tile_rows(vectors, Architecture));
  static constexpr std::int32_t passes = layout::split_evenly(Units, most_units).parts();

  /// Rows of sums, the last of which may be of no unit: rows become columns four by four.
  static constexpr std::int32_t rows = layout::ceiling_quotient(Units, quad_lanes) * quad_lanes;
};

/// What sums meet: at each step a number of every unit, and vectors of lanes.
struct few_units_factors {
  const float* numbers = nullptr;
  std::ptrdiff_t numbers_stride = 0;  ///< from a step to the next
  const float* vectors = nullptr;
  std::ptrdiff_t vectors_stride = 0;
  std::int32_t steps = 0;
};

/// Where sums begin: at what is there, at a number of each unit, or at zero.
struct few_units_start {
  bool continues = false;
  const float* numbers = nullptr;
};

/// The sums of `Units` units in `Vectors` vectors: each is one chain of multiply-adds over
/// ascending steps.
///   sums  [Units][Vectors * lanes]
template <layout::architecture Architecture, int Units, int Vectors>
[[gnu::noinline]] void few_units_tile(const few_units_factors& from, const few_units_start& start,
                                      float* __restrict sums) noexcept {
  using lanes = vector<Architecture>;
  constexpr int width = Architecture.lanes;
  few_units_factors at = from;
  lanes held[std::size_t{Units}][std::size_t{Vectors}];
  IPU_DSL_UNROLLED
  for (int unit = 0; unit < Units; ++unit) {
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      held[unit][v] = start.continues            ? load<lanes>(sums + (unit * Vectors + v) * width)
                      : start.numbers != nullptr ? lanes(start.numbers[unit])
                                                 : lanes(0.0F);
    }
  }
#pragma GCC unroll 1
  for (; at.steps > 0; --at.steps) {
    lanes met[std::size_t{Vectors}];
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      // What a single unit meets may be the multiply-add's own operand.
      const float* const place = at.vectors + v * width;
      met[v] = Units > 1 ? load_once<lanes>(place) : load<lanes>(place);
    }
    IPU_DSL_UNROLLED
    for (int unit = 0; unit < Units; ++unit) {
      const lanes number(at.numbers[unit]);
      IPU_DSL_UNROLLED
      for (int v = 0; v < Vectors; ++v) {
        held[unit][v] = multiply_add(number, met[v], held[unit][v]);
      }
    }
    at.numbers += at.numbers_stride;
    at.vectors += at.vectors_stride;
  }
  IPU_DSL_UNROLLED
  for (int unit = 0; unit < Units; ++unit) {
    IPU_DSL_UNROLLED
    for (int v = 0; v < Vectors; ++v) {
      store(sums + (unit * Vectors + v) * width, held[unit][v]);
    }
  }
}

/// The same of all units of a cut, pass by pass.
template <layout::architecture Architecture, typename Cut, int Units, int Vectors>
IPU_DSL_ALWAYS_INLINE void few_units_passes(const few_units_factors& from,
                                            const few_units_start& start, float* sums) {
  constexpr std::ptrdiff_t row = Vectors * Architecture.lanes;
  parts_of<Units, Cut::most_units>(
      {0, Cut::passes}, [&](auto units, std::int32_t first) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        few_units_factors some = from;
        some.numbers += first;
        few_units_start begin = start;
        begin.numbers = start.numbers == nullptr ? nullptr : start.numbers + first;
        few_units_tile<Architecture, units, Vectors>(some, begin, sums + first * row);
      });
}

/// Copies the first `rows` rows of `floats` numbers, whole vectors, and makes the others of `all`
/// zero: those are not there, and must not be read.
template <layout::architecture Architecture>
IPU_DSL_ALWAYS_INLINE void copy_rows(const float* from, std::ptrdiff_t from_stride, float* to,
                                     std::ptrdiff_t to_stride, std::int32_t floats,
                                     std::int32_t rows, std::int32_t all) {
  using lanes = vector<Architecture>;
  for (std::int32_t row = 0; row < all; ++row) {
    for (std::int32_t n = 0; n < floats; n += Architecture.lanes) {
      const float* const place = from + row * from_stride + n;
      store(to + row * to_stride + n, row < rows ? load<lanes>(place) : lanes(0.0F));
    }
  }
}

/// Sums [Cut::rows][Lanes] of `Units` units as rows of `Floats`, whole vectors: what lies behind
/// the last unit is zero.
template <layout::architecture Architecture, typename Cut, std::int32_t Units, std::int32_t Lanes,
          std::int32_t Floats>
IPU_DSL_ALWAYS_INLINE void sums_to_rows(float* sums, float* to, std::ptrdiff_t to_stride) {
  using lanes = vector<Architecture>;
  for (std::int32_t n = Units * Lanes; n < Cut::rows * Lanes; n += Architecture.lanes) {
    store(sums + n, lanes(0.0F));
  }
  for (std::int32_t row = 0; Cut::rows < Floats && row < Lanes; ++row) {
    store(to + row * to_stride + Floats - Architecture.lanes, lanes(0.0F));
  }
  columns_to_rows<Architecture>(sums, Lanes, to, to_stride, Lanes, Cut::rows);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
