// SPDX-License-Identifier: MIT
// Sums over the positions of channels: of short runs in float32, of all runs in float64.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include <ipu_dsl/kernels/batch_normalization_channels.hpp>
#include <ipu_dsl/kernels/simd.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels {

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

/// Part `Part` of the parts that such chains have of a piece, as the compilers' own vector.
/// (Through memory g++ 12 keeps a sum there while positions pass: with sixteen lanes twice the
/// time.)
template <std::int32_t Part, typename Chains, typename Piece, std::size_t... Lanes>
IPU_DSL_ALWAYS_INLINE typename Chains::floats part_of(const Piece& piece,
                                                      std::index_sequence<Lanes...>) {
  typename Chains::floats made;
  if constexpr (sizeof(Piece) == sizeof(made)) {
    std::memcpy(&made, &piece, sizeof(made));
  } else {
    constexpr std::size_t first = std::size_t{Part} * sizeof...(Lanes);
    const auto lanes = __builtin_shufflevector(piece.data, piece.data, (first + Lanes)...);
    std::memcpy(&made, &lanes, sizeof(made));
  }
  return made;
}

/// The sums of two terms of each channel of a block over all positions: in float32 over the
/// positions of a run, and over the runs in float64, everything in ascending order. That is wrong
/// by 8 units in the last place of a float32 of the sum of all magnitudes at most, however many
/// there are, and takes half the time of chains in float64.
template <std::int32_t Width, layout::architecture Architecture>
class channel_sums {
  using numbers = channel_numbers<Width, Architecture>;
  using chains = channel_chains<Width, Architecture>;

 public:
  using piece = typename numbers::piece;

  /// One run, of `count` positions from `at` on: `add(i, index, sum, product)` adds the terms of
  /// piece i of the block's channels at a position.
  template <typename Add>
  IPU_DSL_ALWAYS_INLINE void add_run(std::ptrdiff_t at, std::int32_t channels, std::int32_t count,
                                     const Add& add) {
    piece sums[std::size_t{numbers::pieces}];
    piece products[std::size_t{numbers::pieces}];
    IPU_DSL_UNROLLED
    for (std::int32_t i = 0; i < numbers::pieces; ++i) {
      sums[i] = piece(0.0F);
      products[i] = piece(0.0F);
    }
    for (std::int32_t position = 0; position < count; ++position) {
      const std::ptrdiff_t here = at + std::ptrdiff_t{position} * channels;
      IPU_DSL_UNROLLED
      for (std::int32_t i = 0; i < numbers::pieces; ++i) {
        add(i, here + i * numbers::step, sums[i], products[i]);
      }
    }
    add_to(sums_, sums);
    add_to(products_, products);
  }

  /// What was summed, channel by channel.
  IPU_DSL_ALWAYS_INLINE void tell(double* sums, double* products) const {
    sums_.tell(sums);
    products_.tell(products);
  }

 private:
  IPU_DSL_ALWAYS_INLINE static void add_to(chains& total, const piece* of_run) {
    constexpr std::int32_t parts_of_piece = chains::parts / numbers::pieces;
    IPU_DSL_UNROLLED
    for (std::int32_t i = 0; i < numbers::pieces; ++i) {
      add_part<0>(total.sums[i * parts_of_piece], of_run[i]);
      if constexpr (parts_of_piece == 2) {
        add_part<1>(total.sums[i * parts_of_piece + 1], of_run[i]);
      }
    }
  }

  template <std::int32_t Part>
  IPU_DSL_ALWAYS_INLINE static void add_part(typename chains::doubles& total, const piece& of_run) {
    typename chains::doubles exact;
    widen(part_of<Part, chains>(of_run, std::make_index_sequence<chains::step>()), exact);
    total += exact;
  }

  chains sums_;
  chains products_;
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
