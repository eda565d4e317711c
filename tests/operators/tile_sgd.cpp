// SPDX-License-Identifier: MIT
// Tests of operators/tile_sgd.hpp: updates that no gradient is fused with have the kernel's bits.
#include <array>
#include <cstdio>
#include <vector>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/layout/storage_size.hpp>
#include <ipu_dsl/operators/tile_sgd.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

std::vector<float> drawn(std::size_t count, std::uint64_t stream) {
  std::vector<float> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    numbers.push_back(2 * uniform_unit(random_word(9, stream, i)) - 1);
  }
  return numbers;
}

constexpr std::array<float, 4> rates{0.03F, 0.9F};

/// One update of a kernel [rows, columns], in one block that is the whole of it.
template <update_kind Kind>
int check_update(std::int32_t rows, std::int32_t columns) {
  const call_signature signature{
      .variant = static_cast<std::int32_t>(Kind),
      .extents = {static_cast<std::int32_t>(storage::panels), 2, rows, columns}};
  const tile_job job = tile_operators<&sgd_family<Kind>>::jobs(signature)[0];
  CHECK(job.rows == rows);
  CHECK(job.columns == columns);
  const auto count =
      static_cast<std::size_t>(layout::padded_elements(storage::panels, shape{rows, columns}, 1));
  std::vector<float> parameter = drawn(count, 1);
  std::vector<float> velocity = drawn(count, 2);
  const std::vector<float> gradient = drawn(count, 3);
  std::vector<std::vector<float>> copies;
  std::vector<private_matrix> operands;
  const std::vector<float>* const sources[] = {&parameter, &velocity, &gradient};
  copies.reserve(3);
  for (const tile_operand& operand : job.operands) {
    const bool reads_gradient = !operand.sent;
    const std::vector<float>& source =
        reads_gradient ? gradient : *sources[static_cast<std::size_t>(operand.operand)];
    std::vector<float>& copy = copies.emplace_back();
    for (std::int32_t row = 0; row < rows; ++row) {
      for (std::int32_t column = 0; column < columns; ++column) {
        copy.push_back(source[static_cast<std::size_t>(operand.matrix.index_of(row, column))]);
      }
    }
    operands.emplace_back(copy.data(), rows, columns, columns);
  }
  run_context context;
  context.optimizer = rates.data();
  job.compute({signature, nullptr, context, {0, rows}, {0, columns}, operands});
  kernels::sgd_update<Kind>(parameter.data(), velocity.data(), gradient.data(),
                            static_cast<std::ptrdiff_t>(count), {rates[0], rates[1]});
  int checked = 0;
  for (std::size_t i = 0; i < job.operands.size(); ++i) {
    const std::vector<float>& expected = i == 0 ? parameter : velocity;
    for (std::int32_t row = 0; job.operands[i].sent && row < rows; ++row) {
      for (std::int32_t column = 0; column < columns; ++column) {
        const auto place = static_cast<std::size_t>(job.operands[i].matrix.index_of(row, column));
        CHECK(operands[i](row, column) == expected[place]);
        ++checked;
      }
    }
  }
  return checked;
}

TEST_CASE("an update of a block has the bits of the kernel") {
  int checked = 0;
  for (const std::int32_t rows : {1, 7, 19}) {
    for (const std::int32_t columns : {1, 5, 26}) {
      checked += check_update<update_kind::descent>(rows, columns);
      checked += check_update<update_kind::momentum>(rows, columns);
      checked += check_update<update_kind::nesterov>(rows, columns);
    }
  }
  CHECK(checked > 0);
  std::printf("checked %d updated numbers\n", checked);
}

}  // namespace
