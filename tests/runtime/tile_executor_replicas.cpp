// SPDX-License-Identifier: MIT
// Tests of runtime/tile_executor.hpp with replicas: taking turns tile by tile they have the bits of
// the kernels, and a wrong sum of their gradients is found.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "runtime/tile_checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::check_tiles;
using tests::drawn_samples;
using tests::tile_check;
using tests::trained_bits;

constexpr int tile_counts[] = {1, 4, 16, 64, 1472};

struct one_device : model<input<23>, sequential<Dense<19, relu>, Dense<5>>> {};

struct two_devices : model<input<23>, pipeline<stage<Dense<19, relu>>, stage<Dense<5>>>> {};

template <typename Model, int Replicas, int Accumulation, typename Optimizer = sgd<momentum>>
struct training
    : compile<Model, micro_batch<6>, gradient_accumulation<Accumulation>, replicas<Replicas>,
              loss<sparse_categorical_crossentropy>, optimizer<Optimizer>> {};

using data_set = labelled_dataset<shape{23}, 5, float>;
using two_replicas = training<one_device, 2, 1>;
using by_descent = training<one_device, 3, 2, sgd<>>;
using three_replicas = training<two_devices, 3, 2>;

const data_set& samples() {
  static const data_set made = drawn_samples<shape{23}, 5>(90, 13);
  return made;
}

TEST_CASE("replicas have the same bits on any number of tiles") {
  std::int64_t blocks = check_tiles<two_replicas>(samples(), 3, tile_counts);
  blocks += check_tiles<by_descent>(samples(), 3, tile_counts);
  blocks += check_tiles<training<two_devices, 2, 3>>(samples(), 3, tile_counts);
  blocks += check_tiles<three_replicas>(samples(), 3, tile_counts);
  CHECK(blocks > 0);
  std::printf("checked %lld blocks of replicas\n", static_cast<long long>(blocks));
}

TEST_CASE("each replica computes its micro-batches, and all update once") {
  tile_account two;
  tile_account six;
  tile_check<two_replicas, data_set>(samples()).by_tiles(1, 1, &two);
  tile_check<by_descent, data_set>(samples()).by_tiles(1, 1, &six);
  const std::int64_t of_micro_batch = (six.supersteps - two.supersteps) / (6 - 2);
  CHECK(of_micro_batch > 0);
  // A kernel and a bias for each of two layers are summed and updated.
  CHECK(two.supersteps == 2 * of_micro_batch + 2 * 2 * 2);
  CHECK(six.supersteps == 6 * of_micro_batch + 2 * 2 * 2);
}

/// Code for the sum over replicas that is wrong in one of several ways.
template <tile_function Compute>
tile_jobs sum_jobs(const call_signature& signature) {
  tile_jobs made = tile_operators<&replica_sum_family>::jobs(signature);
  made[0].compute = Compute;
  return made;
}

void add_backwards(const tile_step& here) {
  const private_matrix& sum = here.operands[0];
  tile_code::for_elements(sum, [&](std::int32_t row, std::int32_t column) {
    float chain = here.operands.back()(row, column);
    for (std::size_t replica = here.operands.size() - 1; replica > 0; --replica) {
      chain = chain + here.operands[replica - 1](row, column);
    }
    sum(row, column) = chain;
  });
}

void keep_the_first(const tile_step&) {}

void leave_out_the_last(const tile_step& here) {
  const private_matrix& sum = here.operands[0];
  tile_code::for_elements(sum, [&](std::int32_t row, std::int32_t column) {
    for (std::size_t replica = 1; replica + 1 < here.operands.size(); ++replica) {
      sum(row, column) = sum(row, column) + here.operands[replica](row, column);
    }
  });
}

TEST_CASE("a wrong sum over replicas is found") {
  const tile_check<three_replicas, data_set> check(samples());
  const trained_bits expected = check.by_kernels(1);
  constexpr const auto& codes =
      planned_program_of<three_replicas::compiled, program_kind::train>.codes;
  const auto right = tile_code_of<three_replicas::compiled, program_kind::train>.view();
  int found = 0;
  for (const tile_jobs_function wrong :
       {&sum_jobs<add_backwards>, &sum_jobs<keep_the_first>, &sum_jobs<leave_out_the_last>}) {
    std::vector<tile_jobs_function> changed(right.begin(), right.end());
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (codes[i].rule == &replica_sum_family) {
        changed[i] = wrong;
      }
    }
    const trained_bits other = check.by_tiles_with(changed, 1, 16);
    // The sum comes behind all micro-batches of the run, whose losses it cannot change.
    CHECK(other.losses == expected.losses);
    CHECK(other.weights != expected.weights);
    ++found;
  }
  CHECK(found == 3);
  std::printf("found %d wrong sums\n", found);
}

TEST_CASE("a program of another number of replicas is refused") {
  using compiled = three_replicas::compiled;
  const session_parts parts = parts_of<compiled>();
  const region_set memory(std::vector<program_plan_view>{parts.train.plan}, 3);
  const auto sentence = [&](int replicas) -> std::string {
    try {
      const tile_executor made(parts.train.plan, parts.train.functions,
                               tile_code_of<compiled, program_kind::train>.view(), memory, 4,
                               replicas);
    } catch (const error& refused) {
      return refused.what();
    }
    return "nothing was refused";
  };
  CHECK(sentence(3) == "nothing was refused");
  CHECK(sentence(2) == "The program was planned for 3 replicas, it cannot run with 2.");
  CHECK(sentence(1) == "The program was planned for 3 replicas, it cannot run with 1.");
}

}  // namespace
