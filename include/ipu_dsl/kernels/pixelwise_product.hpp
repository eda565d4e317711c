// SPDX-License-Identifier: MIT
// Products over windows of few units with pixels as lanes: a first layer of few filters, the
// gradient of an image of few channels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <ipu_dsl/core/deal.hpp>
#include <ipu_dsl/kernels/pixelwise_cut.hpp>
#include <ipu_dsl/kernels/pixelwise_inner.hpp>
#include <ipu_dsl/kernels/pixelwise_planes.hpp>
#include <ipu_dsl/kernels/product_tile.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/kernels/windows.hpp>
#include <ipu_dsl/layout/panel.hpp>

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

/// One number of what a tap meets: `First` is a place at the rim, or -1 for any that meets all
/// taps. The fewer of pixels and weights stay in registers.
template <window_product Product, layout::architecture Architecture, std::int32_t First>
IPU_DSL_ALWAYS_INLINE void add_number(
    vector<Architecture> (&sums)[std::size_t{pixelwise_cut<Product, Architecture>::vectors}]
                                [std::size_t{Product.units}],
    const float* from, const float* w, std::int32_t tap) {
  using cut = pixelwise_cut<Product, Architecture>;
  using lanes = vector<Architecture>;
  const auto add = [&](int v, int unit, const lanes& sample, const lanes& weight)
                       IPU_DSL_ALWAYS_INLINE_LAMBDA {
                         const index_range some = cut::lanes_met(First, v, tap);
                         lanes& sum = sums[v][unit];
                         if (First < 0 || (Product.depth > 1 && some.begin < some.end)) {
                           sum = multiply_add(sample, weight, sum);
                         } else if (some.begin < some.end) {
                           sum = multiply_add_within(some, sample, weight, sum);
                         }
                       };
  if constexpr (cut::vectors <= cut::units) {
    lanes samples[std::size_t{cut::vectors}];
    IPU_DSL_UNROLLED
    for (int v = 0; v < cut::vectors; ++v) {
      samples[v] = load_once<lanes>(from + v * cut::width);
    }
    IPU_DSL_UNROLLED
    for (int unit = 0; unit < cut::units; ++unit) {
      const lanes weight(w[unit]);
      IPU_DSL_UNROLLED
      for (int v = 0; v < cut::vectors; ++v) {
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
    for (int v = 0; v < cut::vectors; ++v) {
      const lanes sample = load_once<lanes>(from + v * cut::width);
      IPU_DSL_UNROLLED
      for (int unit = 0; unit < cut::units; ++unit) {
        add(v, unit, sample, weights[unit]);
      }
    }
  }
}

/// The sums before a tap of those vectors of which some lanes meet nothing there: an addition in
/// each lane, and none in those lanes after all, costs less than one choice a number.
template <window_product Product, layout::architecture Architecture, std::int32_t First>
struct kept_sums {
  using cut = pixelwise_cut<Product, Architecture>;
  using lanes = vector<Architecture>;
  static constexpr bool needed = First >= 0 && Product.depth > 1;
  float floats[needed ? std::size_t{cut::units} * std::size_t{cut::tile} : std::size_t{1}];

  static constexpr bool partly(std::int32_t v, std::int32_t tap) {
    const index_range some = cut::lanes_met(First, v, tap);
    return needed && some.begin < some.end && (some.begin > 0 || some.end < cut::width);
  }

  IPU_DSL_ALWAYS_INLINE void keep(
      const lanes (&sums)[std::size_t{cut::vectors}][std::size_t{cut::units}], std::int32_t tap) {
    IPU_DSL_UNROLLED
    for (int v = 0; v < cut::vectors; ++v) {
      if (partly(v, tap)) {
        IPU_DSL_UNROLLED
        for (int unit = 0; unit < cut::units; ++unit) {
          store(floats + (v * cut::units + unit) * cut::width, sums[v][unit]);
        }
      }
    }
  }

  IPU_DSL_ALWAYS_INLINE void restore(
      lanes (&sums)[std::size_t{cut::vectors}][std::size_t{cut::units}], std::int32_t tap) const {
    IPU_DSL_UNROLLED
    for (int v = 0; v < cut::vectors; ++v) {
      if (partly(v, tap)) {
        IPU_DSL_UNROLLED
        for (int unit = 0; unit < cut::units; ++unit) {
          const lanes before = load<lanes>(floats + (v * cut::units + unit) * cut::width);
          sums[v][unit] = within_lanes(cut::lanes_met(First, v, tap), sums[v][unit], before);
        }
      }
    }
  }
};

/// Outputs beside each other of one line, all units. Each is one chain as in `window_tile`.
///   rows   of the sources that each row of taps meets, laid out
///   First  the place at the rims, otherwise -1
template <layout::architecture Architecture, window_product Product, std::int32_t First,
          int PanelWidth, activation_kind Kind>
[[gnu::noinline]] void pixelwise_tile(const float* const* rows, const float* __restrict w,
                                      const float* __restrict bias, float* __restrict y,
                                      const index_range& met, std::int32_t column,
                                      float alpha) noexcept {
  using cut = pixelwise_cut<Product, Architecture>;
  using lanes = vector<Architecture>;
  lanes sums[std::size_t{cut::vectors}][std::size_t{cut::units}];
  IPU_DSL_UNROLLED
  for (int unit = 0; unit < cut::units; ++unit) {
    const lanes start(bias == nullptr ? 0.0F : bias[unit]);
    IPU_DSL_UNROLLED
    for (int v = 0; v < cut::vectors; ++v) {
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
      kept_sums<Product, Architecture, First> kept;
      kept.keep(sums, column_tap);
#pragma GCC unroll 1
      for (std::int32_t k = 0; k < Product.depth; ++k) {
        add_number<Product, Architecture, First>(sums, rows[tap] + k * cut::plane + at,
                                                 of_tap + k * PanelWidth, column_tap);
      }
      kept.restore(sums, column_tap);
    }
  }
  float made[std::size_t{cut::units} * std::size_t{cut::tile}];
  IPU_DSL_UNROLLED
  for (int unit = 0; unit < cut::units; ++unit) {
    IPU_DSL_UNROLLED
    for (int v = 0; v < cut::vectors; ++v) {
      store(made + unit * cut::tile + v * cut::width, activate<Kind>(sums[v][unit], alpha));
    }
  }
  store_pixels<Architecture, Product, (std::min)(cut::tile, cut::outputs)>(made, y);
}

/// One line of outputs from rows that are laid out.
template <layout::architecture Architecture, window_product Product, int PanelWidth,
          activation_kind Kind, std::int32_t... Tiles>
IPU_DSL_ALWAYS_INLINE void pixelwise_line(const float* const* rows, const float* w,
                                          const float* bias, float* y, const index_range& met,
                                          float alpha,
                                          std::integer_sequence<std::int32_t, Tiles...>) {
  using cut = pixelwise_cut<Product, Architecture>;
  constexpr index_range full = Product.columns.full_outputs();
  (pixelwise_tile<Architecture, Product,
                  (cut::begin(Tiles) >= full.begin && cut::begin(Tiles) + cut::tile <= full.end)
                      ? -1
                      : cut::begin(Tiles),
                  PanelWidth, Kind>(rows, w, bias, y + cut::begin(Tiles) * Product.written.pixel,
                                    met, cut::begin(Tiles), alpha),
   ...);
}

/// `multiply_windows` where `pixelwise_cut` suits it, or a grain of it: of its lines.
template <window_product Product, activation_kind Kind,
          layout::architecture Architecture = layout::native>
void multiply_by_pixels(const float* __restrict x, const float* __restrict w,
                        const float* __restrict bias, float* __restrict y, float alpha,
                        const grain& part = {}) noexcept {
  using cut = pixelwise_cut<Product, Architecture>;
  constexpr activation_kind in_tile = applied_in_registers(Kind) ? Kind : activation_kind::linear;
  constexpr std::int32_t panel = layout::panel_width(Product.units, Architecture);
  constexpr std::int32_t stride = layout::row_stride(Product.units, Architecture);
  constexpr std::ptrdiff_t row_floats = std::ptrdiff_t{Product.depth} * cut::plane;
  // Zeros stand in the padding, so that no lane that is not chosen is slow.
  float ring[std::size_t{cut::floats}] = {};
  const float* rows[std::size_t{cut::rows}] = {};
  std::int32_t sample_of_ring = -1;
  std::int32_t next_row = 0;  // the first that is not laid out yet
  const index_range mine = range_of(Product.lines(), part);
  for (std::int32_t number = mine.begin; number < mine.end; ++number) {
    const std::int32_t sample = number / Product.lines_of_sample();
    const std::int32_t line = number % Product.lines_of_sample();
    const index_range met = cut::rows_met(line);
    const float* const image = x + sample * Product.read.sample;
    if (sample != sample_of_ring) {
      sample_of_ring = sample;
      next_row = 0;
    }
    const std::int32_t first_place = cut::place_in_ring(Product.rows.source(line, 0));
    IPU_DSL_UNROLLED
    for (std::int32_t tap = 0; tap < cut::rows; ++tap) {
      rows[tap] = ring + cut::place_behind(first_place, tap) * row_floats;
    }
    if (met.begin < met.end) {
      const std::int32_t one = Product.rows.source(line, met.begin);
      const std::int32_t other = Product.rows.source(line, met.end - 1);
      const std::int32_t last = (std::max)(one, other);
      for (std::int32_t row = (std::max)(next_row, (std::min)(one, other)); row <= last; ++row) {
        lay_out_row<Architecture, Product>(image + row * Product.read.row,
                                           ring + cut::place_in_ring(row) * row_floats);
      }
      next_row = last + 1;
    }
    float* const to = y + sample * Product.written.sample + Product.written_line(line);
    if constexpr (cut::has_rims_apart()) {
      line_with_rims_apart<Architecture, Product, panel, in_tile>(rows, w, bias, to, met, alpha);
    } else {
      pixelwise_line<Architecture, Product, panel, in_tile>(
          rows, w, bias, to, met, alpha, std::make_integer_sequence<std::int32_t, cut::tiles>());
    }
    if constexpr (!applied_in_registers(Kind)) {
      activate_block<Kind, Architecture>(to, Product.written.pixel, Product.columns.outputs, stride,
                                         Product.units, alpha);
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
