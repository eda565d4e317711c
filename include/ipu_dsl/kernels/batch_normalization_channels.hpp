// SPDX-License-Identifier: MIT
// Channels of a batch in blocks: what is kept of each stands in registers while all positions pass.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <ipu_dsl/core/deal.hpp>
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

/// The samples of a grain, as far as they are among the first `valid`.
constexpr index_range valid_of_grain(const channel_rows& rows, std::int32_t valid,
                                     const grain& part) {
  const index_range mine = range_of(rows.batch, part);
  return {(std::min)(mine.begin, valid), (std::min)(mine.end, valid)};
}

/// How many elements of a channel the first `valid` samples have; 1 for none, to divide by.
inline double elements_of_channel(const channel_rows& rows, std::int32_t valid) {
  return (std::max)(1.0, static_cast<double>(valid) * static_cast<double>(rows.positions));
}

/// Samples whose sums are taken apart from those of the others: as many as every other block of a
/// batch has.
struct sample_block {
  channel_rows rows;
  std::int32_t valid;    ///< of its samples
  std::ptrdiff_t first;  ///< of the batch's elements
};

/// Block `block` of the `blocks` of a batch, of which the first `valid` samples count.
constexpr sample_block block_of_samples(const channel_rows& rows, std::int32_t valid,
                                        std::int32_t blocks, std::int32_t block) {
  const std::int32_t samples = rows.batch / blocks;
  const std::int32_t before = block * samples;
  const std::int32_t left = (std::max)(0, valid - before);
  return {{samples, rows.positions, rows.channels},
          (std::min)(left, samples),
          std::ptrdiff_t{before} * rows.stride()};
}

/// Two sums of a channel over a block.
struct channel_pair {
  double first;
  double second;
};

/// The most blocks of channels whose positions pass together, so that of a row of many channels
/// whole lines of the caches are read.
inline constexpr std::int32_t most_blocks = 8;

/// Calls `visit.template operator()<channels of a block>(first channel, blocks)` for groups of
/// blocks: of two vectors each, and what is left in narrower ones.
template <layout::architecture Architecture, std::int32_t Width = 2 * Architecture.lanes,
          typename Visit>
IPU_DSL_ALWAYS_INLINE void for_channel_groups(std::int32_t channels, const Visit& visit,
                                              std::int32_t first = 0) {
  while (channels - first >= Width) {
    const std::int32_t blocks = (std::min)(most_blocks, (channels - first) / Width);
    visit.template operator()<Width>(first, blocks);
    first += blocks * Width;
  }
  if constexpr (Width > Architecture.lanes) {
    for_channel_groups<Architecture, Architecture.lanes>(channels, visit, first);
  } else if constexpr (Width > 1) {
    for_channel_groups<Architecture, (Width > 4 ? 4 : 1)>(channels, visit, first);
  }
}

/// How many positions are summed in float32 before their sum is added in float64.
inline constexpr std::int32_t positions_of_run = 16;

/// The runs of positions of a sample: of `positions_of_run` each, the last of what is left.
constexpr std::int32_t runs_of_sample(const channel_rows& rows) {
  return (rows.positions + positions_of_run - 1) / positions_of_run;
}

/// The runs of samples.
constexpr std::int32_t runs_of_samples(const channel_rows& rows, std::int32_t samples) {
  return samples * runs_of_sample(rows);
}

/// How many positions the first `runs` runs of samples have.
constexpr std::int32_t positions_of_runs(const channel_rows& rows, std::int32_t runs) {
  const std::int32_t whole = runs / runs_of_sample(rows);
  const std::int32_t rest = runs % runs_of_sample(rows);
  return whole * rows.positions + rest * positions_of_run;
}

/// Calls `visit(index of the first channel, positions)` for the first `runs` runs of samples, in
/// ascending order.
template <typename Visit>
IPU_DSL_ALWAYS_INLINE void for_runs(const channel_rows& rows, std::int32_t runs,
                                    const Visit& visit) {
  for (std::ptrdiff_t row = 0; runs > 0; row += rows.stride()) {
    std::ptrdiff_t at = row;
    std::int32_t left = rows.positions;
    for (; left >= positions_of_run && runs > 0; left -= positions_of_run) {
      visit(at, positions_of_run);
      at += std::ptrdiff_t{positions_of_run} * rows.channels;
      --runs;
    }
    if (left > 0 && runs > 0) {
      visit(at, left);
      --runs;
    }
  }
}

/// Calls `visit(index of the first channel, positions)` for stretches of some samples that stay in
/// the first cache, the last sample first: for what follows a pass of `for_runs`, whose last
/// samples the caches still have. Whoever reads what is written finds the first samples there in
/// turn.
template <typename Visit>
IPU_DSL_ALWAYS_INLINE void for_stretches_of_last_samples_first(const channel_rows& rows,
                                                               const index_range& samples,
                                                               const Visit& visit) {
  constexpr std::int32_t floats_of_stretch = 2048;
  const std::int32_t stretch = (std::max)(1, floats_of_stretch / rows.channels);
  for (std::int32_t sample = samples.end - 1; sample >= samples.begin; --sample) {
    const std::ptrdiff_t row = std::ptrdiff_t{sample} * rows.stride();
    for (std::int32_t position = 0; position < rows.positions; position += stretch) {
      visit(row + std::ptrdiff_t{position} * rows.channels,
            (std::min)(stretch, rows.positions - position));
    }
  }
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

/// Calls `visit(index, positions, first channel of the block)` for each block of a group at each
/// stretch of `for_stretches_of_last_samples_first`.
template <std::int32_t Width, typename Visit>
IPU_DSL_ALWAYS_INLINE void for_blocks_of_stretches(const channel_rows& rows,
                                                   const index_range& samples, std::int32_t blocks,
                                                   const Visit& visit) {
  for_stretches_of_last_samples_first(
      rows, samples, [&](std::ptrdiff_t at, std::int32_t count) IPU_DSL_ALWAYS_INLINE_LAMBDA {
        for (std::int32_t first = 0; first < blocks * Width; first += Width) {
          visit(at + first, count, first);
        }
      });
}

/// Calls `visit(piece, index)` for the pieces of a block at `count` positions from `at` on.
template <typename Numbers, typename Visit>
IPU_DSL_ALWAYS_INLINE void for_pieces(std::ptrdiff_t at, std::int32_t channels, std::int32_t count,
                                      const Visit& visit) {
  for (std::int32_t position = 0; position < count; ++position) {
    const std::ptrdiff_t here = at + std::ptrdiff_t{position} * channels;
    IPU_DSL_UNROLLED
    for (std::int32_t i = 0; i < Numbers::pieces; ++i) {
      visit(i, here + i * Numbers::step);
    }
  }
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE::kernels
