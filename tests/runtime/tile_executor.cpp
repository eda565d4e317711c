// SPDX-License-Identifier: MIT
// Tests of runtime/tile_executor.hpp: an MLP of odd extents has the same bits on any number of
// tiles, and what tiles do wrong is found.
#include <cstdio>
#include <string>

#include "runtime/tile_checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::check_tiles;
using tests::drawn_samples;
using tests::tile_check;

constexpr int tile_counts[] = {1, 4, 16, 64, 1472};

struct odd : model<input<37>, pipeline<stage<Dense<19, relu>>, stage<Dense<11, relu>, Dense<5>>>> {
};

template <typename Optimizer>
struct odd_training : compile<odd, micro_batch<6>, gradient_accumulation<3>, grouped,
                              loss<sparse_categorical_crossentropy>, optimizer<Optimizer>> {};

const auto& samples() {
  static const auto made = drawn_samples<shape{37}, 5>(72, 11);
  return made;
}

using data_set = labelled_dataset<shape{37}, 5, float>;
using checked = tile_check<odd_training<sgd<momentum>>, data_set>;

TEST_CASE("an MLP of odd extents has the same bits on any number of tiles") {
  std::int64_t blocks = check_tiles<odd_training<sgd<momentum>>>(samples(), 3, tile_counts);
  blocks += check_tiles<odd_training<sgd<>>>(samples(), 3, tile_counts);
  blocks += check_tiles<odd_training<sgd<momentum, nesterov>>>(samples(), 3, tile_counts);
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of three optimizers\n", static_cast<long long>(blocks));
}

TEST_CASE("more tiles hold less each and receive more together") {
  tile_account one;
  tile_account many;
  const checked check(samples());
  check.by_tiles(1, 1, &one);
  check.by_tiles(1, 64, &many);
  CHECK(many.most_bytes < one.most_bytes);
  CHECK(many.received_bytes > one.received_bytes);
  CHECK(many.sent_bytes == one.sent_bytes);
  CHECK(many.supersteps == one.supersteps);
  // The weight gradient of the first layer: its operands, and sum, parameter and velocity.
  CHECK(one.most_bytes == 4 * (6 * 37 + 6 * 19 + 3 * 37 * 19));
}

/// A plan with the code of one of its families exchanged.
std::string sentence_with(tile_jobs_function exchanged, bool run) {
  using compiled = odd_training<sgd<momentum>>::compiled;
  const session_parts parts = parts_of<compiled>();
  const region_set memory(std::vector<program_plan_view>{parts.train.plan});
  const auto code = tile_code_of<compiled, program_kind::train>.view();
  std::vector<tile_jobs_function> changed(code.begin(), code.end());
  for (std::size_t i = 0; i < parts.train.plan.codes.size(); ++i) {
    if (parts.train.plan.codes[i].transfer == transfer_kind::infeed) {
      changed[i] = exchanged;
    }
  }
  try {
    tile_executor made(parts.train.plan, parts.train.functions, changed, memory, 4);
    if (run) {
      made.run({});
    }
  } catch (const error& found) {
    return found.what();
  }
  return "nothing was refused";
}

/// Writes a block of the features, in one of several ways.
template <tile_function Compute>
tile_jobs features_jobs(const call_signature& signature) {
  const stored_matrix rows(storage::rows, signature.extents[0], signature.extents[1]);
  tile_job job{.rows = rows.rows(), .columns = rows.columns(), .compute = Compute, .operands = {}};
  job.writes(0, rows);
  return {job};
}

void fill(const tile_step& here, float value) {
  tile_code::for_elements(here.operands[0], [&](std::int32_t row, std::int32_t column) {
    here.operands[0](row, column) = value;
  });
}

void leave_one_out(const tile_step& here) {
  const float before = here.operands[0](0, 0);
  fill(here, 1);
  here.operands[0](0, 0) = before;
}

void read_behind(const tile_step& here) {
  fill(here, here.operands[0](0, here.operands[0].columns()) + 1);
}

void read_before(const tile_step& here) {
  fill(here, here.operands[0](-1, 0) * 2);
}

void write_behind(const tile_step& here) {
  fill(here, 1);
  here.operands[0](here.operands[0].rows(), 0) = 1;
}

TEST_CASE("what is wrong with code for tiles is said in one sentence") {
  CHECK(sentence_with(nullptr, false) ==
        "The family infeed has no code for tiles. Hint: specialise tile_operators<&its family> "
        "before the executor is made.");
  const std::string unwritten =
      "The tile code of infeed left an element of its block unwritten, or read beside its "
      "operands.";
  CHECK(sentence_with(features_jobs<leave_one_out>, true) == unwritten);
  CHECK(sentence_with(features_jobs<read_behind>, true) == unwritten);
  CHECK(sentence_with(features_jobs<read_before>, true) == unwritten);
  CHECK(sentence_with(features_jobs<write_behind>, true) ==
        "The tile code of infeed wrote beside the operands of its block.");
}

TEST_CASE("a device without tiles is refused") {
  const checked check(samples());
  CHECK_THROWS_AS(check.by_tiles(1, 0), error);
}

}  // namespace
