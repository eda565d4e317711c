// SPDX-License-Identifier: MIT
// Channels of a batch in blocks: what is kept of each stands in registers while all positions pass.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/layout/padding.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

/// A batch of samples [positions][channels], each a row that is padded to whole vectors.
struct channel_rows {
  std::int32_t batch;
  std::int32_t positions;
  std::int32_t channels;

  constexpr std::int32_t elements() const { return positions * channels; }

  constexpr std::int32_t stride() const { return layout::row_stride(elements()); }
};

/// Calls `visit.template operator()<channels>(first channel)` for blocks of that many channels: of
/// two vectors each, and what is left in narrower ones.
template <layout::architecture Architecture, std::int32_t Width = 2 * Architecture.lanes,
          typename Visit>
IPU_DSL_ALWAYS_INLINE void for_channel_blocks(std::int32_t channels, const Visit& visit,
                                              std::int32_t first = 0) {
  for (; channels - first >= Width; first += Width) {
    visit.template operator()<Width>(first);
  }
  if constexpr (Width > Architecture.lanes) {
    for_channel_blocks<Architecture, Architecture.lanes>(channels, visit, first);
  } else if constexpr (Width > 1) {
    for_channel_blocks<Architecture, (Width > 4 ? 4 : 1)>(channels, visit, first);
  }
}

/// Calls `visit(index of the first channel)` for each position of the first `samples` samples, in
/// ascending order.
template <typename Visit>
IPU_DSL_ALWAYS_INLINE void for_positions(const channel_rows& rows, std::int32_t samples,
                                         const Visit& visit) {
  for (std::int32_t sample = 0; sample < samples; ++sample) {
    const std::ptrdiff_t row = std::ptrdiff_t{sample} * rows.stride();
    for (std::int32_t position = 0; position < rows.positions; ++position) {
      visit(row + std::ptrdiff_t{position} * rows.channels);
    }
  }
}

/// Calls `visit(index of the first channel)` for each position of the first `samples` samples, the
/// last sample first: for what follows a pass of `for_positions`, whose last samples the caches
/// still have. Whoever reads what is written finds the first samples there in turn.
template <typename Visit>
IPU_DSL_ALWAYS_INLINE void for_positions_of_last_samples_first(const channel_rows& rows,
                                                               std::int32_t samples,
                                                               const Visit& visit) {
  for (std::int32_t sample = samples - 1; sample >= 0; --sample) {
    const std::ptrdiff_t row = std::ptrdiff_t{sample} * rows.stride();
    for (std::int32_t position = 0; position < rows.positions; ++position) {
      visit(row + std::ptrdiff_t{position} * rows.channels);
    }
  }
}

/// Floats and as many doubles, as the compilers' own vectors: those of xsimd do not convert. (Said
/// for each length, because g++ 12 converts none whose length depends on a template.)
template <std::int32_t Count>
struct widened;

template <>
struct widened<1> {
  using floats = float;
  using doubles = double;
};

template <>
struct widened<4> {
  typedef float floats __attribute__((vector_size(16)));
  typedef double doubles __attribute__((vector_size(32)));
};

template <>
struct widened<8> {
  typedef float floats __attribute__((vector_size(32)));
  typedef double doubles __attribute__((vector_size(64)));
};

/// What g++ 12 makes of them by itself are two halves, which it then puts together.
template <typename Doubles, typename Floats>
IPU_DSL_ALWAYS_INLINE void widen(const Floats& from, Doubles& to) {
  if constexpr (std::is_same_v<Floats, float>) {
    to = static_cast<double>(from);
#if !defined(IPU_DSL_PORTABLE) && defined(__AVX512F__)
  } else if constexpr (sizeof(Floats) == 32) {
    to = _mm512_cvtps_pd(from);
#endif
#if !defined(IPU_DSL_PORTABLE) && defined(__AVX__)
  } else if constexpr (sizeof(Floats) == 16) {
    to = _mm256_cvtps_pd(from);
#endif
  } else {
    to = __builtin_convertvector(from, Doubles);
  }
}

/// sum += left * right of doubles that were floats: their product is exact, so that it does not
/// matter whether it is fused with the sum.
template <typename Doubles>
IPU_DSL_ALWAYS_INLINE void add_exact_product(const Doubles& left, const Doubles& right,
                                             Doubles& sum) {
  if constexpr (std::is_same_v<Doubles, double>) {
    sum += left * right;
#if !defined(IPU_DSL_PORTABLE) && defined(__AVX512F__)
  } else if constexpr (sizeof(Doubles) == 64) {
    sum = _mm512_fmadd_pd(left, right, sum);
#endif
#if !defined(IPU_DSL_PORTABLE) && defined(__FMA__)
  } else if constexpr (sizeof(Doubles) == 32) {
    sum = _mm256_fmadd_pd(left, right, sum);
#endif
  } else {
    sum += left * right;
  }
}

/// Floats of which one register of doubles is made, or two where registers hold two.
template <layout::architecture Architecture>
inline constexpr std::int32_t floats_of_doubles = (std::max)(4, Architecture.lanes / 2);

/// Chains in float64 of the channels of a block, beside each other in registers.
template <std::int32_t Width, layout::architecture Architecture>
struct channel_chains {
  static constexpr std::int32_t step = (std::min)(Width, floats_of_doubles<Architecture>);
  static constexpr std::int32_t parts = Width / step;

  using floats = typename widened<step>::floats;
  using doubles = typename widened<step>::doubles;

  doubles sums[std::size_t{parts}] = {};

  /// What was summed, channel by channel.
  IPU_DSL_ALWAYS_INLINE void tell(double* to) const { std::memcpy(to, sums, sizeof(sums)); }
};

/// The floats of one part of such chains.
template <typename Chains>
IPU_DSL_ALWAYS_INLINE typename Chains::floats floats_at(const float* from) {
  typename Chains::floats read;
  std::memcpy(&read, from, sizeof(read));
  return read;
}

/// A number for each channel of a block, in registers: vectors, or floats where those are too long.
template <std::int32_t Width, layout::architecture Architecture>
struct channel_numbers {
  static constexpr layout::architecture unit{(std::max)((std::min)(Width, Architecture.lanes), 4),
                                             Architecture.registers,
                                             Architecture.fused_multiply_add};
  using piece = std::conditional_t<Width == 1, float, vector<unit>>;
  static constexpr std::int32_t step = Width == 1 ? 1 : unit.lanes;
  static constexpr std::int32_t pieces = Width / step;

  piece numbers[std::size_t{pieces}];

  IPU_DSL_ALWAYS_INLINE explicit channel_numbers(const float* from) {
    IPU_DSL_UNROLLED
    for (std::int32_t i = 0; i < pieces; ++i) {
      numbers[i] = load<piece>(from + i * step);
    }
  }

  IPU_DSL_ALWAYS_INLINE const piece& operator[](std::int32_t i) const { return numbers[i]; }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
