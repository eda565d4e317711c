// SPDX-License-Identifier: MIT
#include "ours/two_workers.hpp"

#include "measure/machine.hpp"
#include "ours/network.hpp"

namespace ours {
namespace {

using namespace ipu_dsl;

constexpr int micro_batches = 16;

template <typename Schedule>
struct cut : compile<cut_mlp, micro_batch<32>, gradient_accumulation<micro_batches>, mean_gradients,
                     Schedule, loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

/// Each replica has half of the micro-batches.
struct replicated
    : compile<mlp, micro_batch<32>, gradient_accumulation<micro_batches / 2>, mean_gradients,
              replicas<2>, loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

/// Workers beyond one a device share its operators.
struct spread : compile<mlp, micro_batch<32>, loss<sparse_categorical_crossentropy>,
                        optimizer<sgd<momentum>>> {};

template <typename Compiled>
std::unique_ptr<peers::step_contestant> make(const peers::network_question& question, int threads) {
  return std::make_unique<session_step<Compiled>>(question, threads);
}

template <typename Schedule>
shared_step enter_cut(double goal) {
  return {.name = "cut after 784x256, " + std::string(Schedule::name),
          .micro_batches = micro_batches,
          .goal = goal,
          .bound = cut<Schedule>::timeline.speedup_bound(),
          .make = make<cut<Schedule>>};
}

}  // namespace

const std::vector<shared_step>& shared_steps() {
  const double goal_of_operators = measure::vector_unit() == "AVX-512" ? 1.55 : 1.6;
  static const std::vector<shared_step> all{
      enter_cut<interleaved>(1.3),
      enter_cut<grouped>(0),
      {"two replicas", micro_batches, 1.9, 2, make<replicated>},
      {"one device's operators", 1, goal_of_operators, 2, make<spread>}};
  return all;
}

}  // namespace ours
