// SPDX-License-Identifier: MIT
// Tests of operators/repack.hpp: elements find their places in both storages, padding is zero, and
// parts make the whole.
#include <cstdio>
#include <vector>

#include <ipu_dsl/layout/storage_size.hpp>
#include <ipu_dsl/operators/repack.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

std::size_t at(std::int64_t index) {
  return static_cast<std::size_t>(index);
}

template <repack_call Call>
std::vector<float> repacked(const std::vector<float>& read, std::int64_t elements, int parts) {
  std::vector<float> written(at(elements), -1.0F);
  std::vector<float> source = read;
  void* operands[] = {written.data(), source.data()};
  for (std::int32_t i = 0; i < parts; ++i) {
    run_context context;
    context.part = {.index = i, .count = parts};
    operators<&repack_family>::run<Call>(context, operands, nullptr);
  }
  return written;
}

/// Rows of ascending numbers from 1 on, to positions and back.
template <std::int32_t Batch, std::int32_t Positions, std::int32_t Features>
int check_round_trip() {
  const shape extents = {Positions, Features};
  const std::int64_t in_rows = layout::padded_elements(storage::rows, extents, Batch);
  const std::int64_t in_positions = layout::padded_elements(storage::positions, extents, Batch);
  const std::int32_t sample_stride = layout::row_stride(Positions * Features);
  const std::int32_t position_stride = layout::row_stride(Features);
  std::vector<float> rows(at(in_rows), 0.0F);
  std::vector<float> positions(at(in_positions), 0.0F);
  float number = 0;
  for (std::int32_t sample = 0; sample < Batch; ++sample) {
    for (std::int32_t element = 0; element < Positions * Features; ++element) {
      number += 1;
      rows[at(sample * sample_stride + element)] = number;
      const std::int32_t position = sample * Positions + element / Features;
      positions[at(position * position_stride + element % Features)] = number;
    }
  }
  int checked = 0;
  for (const int parts : {1, 2, 5}) {
    CHECK(repacked<repack_call{Batch, Positions, Features, 0}>(rows, in_positions, parts) ==
          positions);
    CHECK(repacked<repack_call{Batch, Positions, Features, 1}>(positions, in_rows, parts) == rows);
    checked += 2;
  }
  return checked;
}

TEST_CASE("rows become positions and positions rows") {
  const int checked = check_round_trip<3, 5, 6>() + check_round_trip<1, 25, 1>() +
                      check_round_trip<4, 3, 17>() + check_round_trip<2, 7, 16>();
  CHECK(checked > 0);
  std::printf("repacked %d times\n", checked);
}

}  // namespace
