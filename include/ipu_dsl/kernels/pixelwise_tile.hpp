// SPDX-License-Identifier: MIT
// Products over windows of few units with pixels as lanes: outputs beside each other of some lines,
// whose sums stay in registers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/pixelwise_cut.hpp>
#include <ipu_dsl/kernels/pixelwise_planes.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/windows.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// The numbers of lanes.
inline constexpr float lane_numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/// `made` in the lanes of `some`, elsewhere `kept`. Constants, once all around it is unrolled.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector within_lanes(const index_range& some, const Vector& made,
                                          const Vector& kept) {
  constexpr auto width = static_cast<std::int32_t>(Vector::size);
  Vector chosen = made;
  if (some.begin > 0) {
    const Vector numbers = load<Vector>(lane_numbers);
    chosen = choose(numbers < Vector(static_cast<float>(some.begin)), kept, chosen);
  }
  if (some.end < width) {
    const Vector numbers = load<Vector>(lane_numbers);
    chosen = choose(numbers < Vector(static_cast<float>(some.end)), chosen, kept);
  }
  return chosen;
}

/// a * b + c in the lanes of `some`, elsewhere c: one instruction where there are masks.
template <typename Vector>
IPU_DSL_ALWAYS_INLINE Vector multiply_add_within(const index_range& some, const Vector& a,
                                                 const Vector& b, const Vector& c) {
  if constexpr (requires { masked_multiply_add(0U, a, b, c); }) {
    return masked_multiply_add((1U << some.end) - (1U << some.begin), a, b, c);
  } else {
    return within_lanes(some, multiply_add(a, b, c), c);
  }
}

/// Of each line of a tile the rows of sources that its taps meet, laid out.
template <window_product Product, layout::architecture Architecture>
struct rows_of_lines {
  using cut = pixelwise_cut<Product, Architecture>;
  const float* at[std::size_t{cut::lines}][std::size_t{cut::rows}] = {};
};

/// The sums of a tile: of each of its lines all vectors of pixels, of these all units.
template <window_product Product, layout::architecture Architecture, std::int32_t Lines>
using pixelwise_sums =
    vector<Architecture>[std::size_t{Lines * pixelwise_cut<Product, Architecture>::vectors}]
                        [std::size_t{Product.units}];

/// One number of what a tap meets: `First` is a place at the rim, or -1 for any that meets all
/// taps. The fewer of pixels and weights stay in registers.
///   from  of each line
template <window_product Product, layout::architecture Architecture, std::int32_t First,
          std::int32_t Lines>
IPU_DSL_ALWAYS_INLINE void add_number(pixelwise_sums<Product, Architecture, Lines>& sums,
                                      const float* const (&from)[std::size_t{Lines}],
                                      const float* w, std::int32_t tap) {
  using cut = pixelwise_cut<Product, Architecture>;
  using lanes = vector<Architecture>;
  constexpr int vectors = Lines * cut::vectors;
  const auto add = [&](int v, int unit, const lanes& sample, const lanes& weight)
                       IPU_DSL_ALWAYS_INLINE_LAMBDA {
                         const index_range some = cut::lanes_met(First, v % cut::vectors, tap);
                         lanes& sum = sums[v][unit];
                         if (First < 0 || (Product.depth > 1 && some.begin < some.end)) {
                           sum = multiply_add(sample, weight, sum);
                         } else if (some.begin < some.end) {
                           sum = multiply_add_within(some, sample, weight, sum);
                         }
                       };
  const auto sample_of = [&](int v) IPU_DSL_ALWAYS_INLINE_LAMBDA {
    return load_once<lanes>(from[v / cut::vectors] + v % cut::vectors * cut::width);
  };
  if constexpr (vectors <= cut::units) {
    lanes samples[std::size_t{vectors}];
    IPU_DSL_UNROLLED
    for (int v = 0; v < vectors; ++v) {
      samples[v] = sample_of(v);
    }
    IPU_DSL_UNROLLED
    for (int unit = 0; unit < cut::units; ++unit) {
      const lanes weight(w[unit]);
      IPU_DSL_UNROLLED
      for (int v = 0; v < vectors; ++v) {
        add(v, unit, samples[v], weight);
      }
    }
  } else {
    lanes weights[std::size_t{cut::units}];
    IPU_DSL_UNROLLED
    for (int unit = 0; unit < cut::units; ++unit) {
      weights[unit] = lanes(w[unit]);
    }
    IPU_DSL_UNROLLED
    for (int v = 0; v < vectors; ++v) {
      const lanes sample = sample_of(v);
      IPU_DSL_UNROLLED
      for (int unit = 0; unit < cut::units; ++unit) {
        add(v, unit, sample, weights[unit]);
      }
    }
  }
}

/// The sums before a tap of those vectors of which some lanes meet nothing there: an addition in
/// each lane, and none in those lanes after all, costs less than one choice a number.
template <window_product Product, layout::architecture Architecture, std::int32_t First,
          std::int32_t Lines>
struct kept_sums {
  using cut = pixelwise_cut<Product, Architecture>;
  using lanes = vector<Architecture>;
  using all_sums = pixelwise_sums<Product, Architecture, Lines>;
  static constexpr int vectors = Lines * cut::vectors;
  static constexpr bool needed = First >= 0 && Product.depth > 1;
  float floats[needed ? std::size_t{cut::units} * std::size_t{Lines * cut::tile} : std::size_t{1}];

  static constexpr index_range met(std::int32_t v, std::int32_t tap) {
    return cut::lanes_met(First, v % cut::vectors, tap);
  }

  static constexpr bool partly(std::int32_t v, std::int32_t tap) {
    const index_range some = met(v, tap);
    return needed && some.begin < some.end && (some.begin > 0 || some.end < cut::width);
  }

  IPU_DSL_ALWAYS_INLINE void keep(const all_sums& sums, std::int32_t tap) {
    IPU_DSL_UNROLLED
    for (int v = 0; v < vectors; ++v) {
      if (partly(v, tap)) {
        IPU_DSL_UNROLLED
        for (int unit = 0; unit < cut::units; ++unit) {
          store(floats + (v * cut::units + unit) * cut::width, sums[v][unit]);
        }
      }
    }
  }

  IPU_DSL_ALWAYS_INLINE void restore(all_sums& sums, std::int32_t tap) const {
    IPU_DSL_UNROLLED
    for (int v = 0; v < vectors; ++v) {
      if (partly(v, tap)) {
        IPU_DSL_UNROLLED
        for (int unit = 0; unit < cut::units; ++unit) {
          const lanes before = load<lanes>(floats + (v * cut::units + unit) * cut::width);
          sums[v][unit] = within_lanes(met(v, tap), sums[v][unit], before);
        }
      }
    }
  }
};

/// Outputs beside each other of some lines, all units. Each is one chain as in `window_tile`.
///   rows   of the sources that each row of taps of each line meets, laid out
///   y      the first line, from the first output on
///   First  the place at the rims, otherwise -1
template <layout::architecture Architecture, window_product Product, std::int32_t First,
          std::int32_t Lines, int PanelWidth, activation_kind Kind>
[[gnu::noinline]] void pixelwise_tile(const rows_of_lines<Product, Architecture>& rows,
                                      const float* __restrict w, const float* __restrict bias,
                                      float* __restrict y, const index_range& met,
                                      std::int32_t column, float alpha) noexcept {
  using cut = pixelwise_cut<Product, Architecture>;
  using lanes = vector<Architecture>;
  constexpr int vectors = Lines * cut::vectors;
  pixelwise_sums<Product, Architecture, Lines> sums;
  IPU_DSL_UNROLLED
  for (int unit = 0; unit < cut::units; ++unit) {
    const lanes start(bias == nullptr ? 0.0F : bias[unit]);
    IPU_DSL_UNROLLED
    for (int v = 0; v < vectors; ++v) {
      sums[v][unit] = start;
    }
  }
#pragma GCC unroll 1
  for (std::int32_t tap = met.begin; tap < met.end; ++tap) {
    IPU_DSL_UNROLLED
    for (std::int32_t column_tap = 0; column_tap < Product.columns.taps; ++column_tap) {
      const std::int32_t at =
          Product.columns.source(First < 0 ? column : First, column_tap) - cut::first_source;
      const float* const of_tap = weights_at<Product, PanelWidth>(w, tap, column_tap);
      kept_sums<Product, Architecture, First, Lines> kept;
      kept.keep(sums, column_tap);
#pragma GCC unroll 1
      for (std::int32_t k = 0; k < Product.depth; ++k) {
        const float* from[std::size_t{Lines}];
        IPU_DSL_UNROLLED
        for (int line = 0; line < Lines; ++line) {
          from[line] = rows.at[line][tap] + k * cut::plane + at;
        }
        add_number<Product, Architecture, First, Lines>(sums, from, of_tap + k * PanelWidth,
                                                        column_tap);
      }
      kept.restore(sums, column_tap);
    }
  }
  float made[std::size_t{cut::units} * std::size_t{cut::tile}];
  IPU_DSL_UNROLLED
  for (int line = 0; line < Lines; ++line) {
    IPU_DSL_UNROLLED
    for (int unit = 0; unit < cut::units; ++unit) {
      IPU_DSL_UNROLLED
      for (int v = 0; v < cut::vectors; ++v) {
        store(made + unit * cut::tile + v * cut::width,
              activate<Kind>(sums[line * cut::vectors + v][unit], alpha));
      }
    }
    store_pixels<Architecture, Product, (std::min)(cut::tile, cut::outputs)>(
        made, y + line * Product.written.row);
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
