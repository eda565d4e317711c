// SPDX-License-Identifier: MIT
// Tests of operators/tile_sgd.hpp: updates that no gradient is fused with have the kernel's bits.
#include <array>
#include <cstdio>
#include <vector>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/kernels/elementwise.hpp>
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

/// What a tile receives of an operand of a job that is one block.
std::vector<float> received(const tile_operand& operand, const std::vector<float>& buffer) {
  std::vector<float> block;
  for (std::int32_t row = 0; row < operand.matrix.rows(); ++row) {
    for (std::int32_t column = 0; column < operand.matrix.columns(); ++column) {
      block.push_back(buffer[static_cast<std::size_t>(operand.matrix.index_of(row, column))]);
    }
  }
  return block;
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
    std::vector<float>& copy = copies.emplace_back(received(operand, source));
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

/// The sum of the accumulators [rows, columns] of replicas, in one block that is the whole of them.
int check_sum(std::int32_t replicas, std::int32_t rows, std::int32_t columns) {
  const call_signature signature{
      .variant = replicas,
      .extents = {static_cast<std::int32_t>(storage::panels), 2, rows, columns}};
  const tile_job job = tile_operators<&replica_sum_family>::jobs(signature)[0];
  CHECK(job.rows == rows);
  CHECK(job.columns == columns);
  CHECK(job.operands.size() == static_cast<std::size_t>(replicas));
  const auto count =
      static_cast<std::size_t>(layout::padded_elements(storage::panels, shape{rows, columns}, 1));
  std::vector<std::vector<float>> accumulators;
  std::vector<std::vector<float>> copies(job.operands.size());
  std::vector<const float*> terms;
  std::vector<private_matrix> operands;
  accumulators.reserve(job.operands.size());
  for (std::size_t replica = 0; replica < job.operands.size(); ++replica) {
    const tile_operand& operand = job.operands[replica];
    CHECK(operand.operand == static_cast<std::int32_t>(replica));
    CHECK(operand.received);
    CHECK(operand.sent == (replica == 0));
    terms.push_back(accumulators.emplace_back(drawn(count, 4 + replica)).data());
    copies[replica] = received(operand, accumulators[replica]);
    operands.emplace_back(copies[replica].data(), rows, columns, columns);
  }
  job.compute({signature, nullptr, {}, {0, rows}, {0, columns}, operands});
  kernels::sum_tensors(terms.data(), replicas, accumulators[0].data(),
                       static_cast<std::ptrdiff_t>(count));
  int checked = 0;
  for (std::int32_t row = 0; row < rows; ++row) {
    for (std::int32_t column = 0; column < columns; ++column) {
      const auto place = static_cast<std::size_t>(job.operands[0].matrix.index_of(row, column));
      CHECK(operands[0](row, column) == accumulators[0][place]);
      ++checked;
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

TEST_CASE("a sum over replicas has the bits of the kernel") {
  int checked = 0;
  for (const std::int32_t replicas : {2, 3, 7}) {
    checked += check_sum(replicas, 7, 5);
    checked += check_sum(replicas, 1, 26);
  }
  CHECK(checked > 0);
  std::printf("checked %d summed numbers\n", checked);
}

}  // namespace
