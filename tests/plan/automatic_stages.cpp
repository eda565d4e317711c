// SPDX-License-Identifier: MIT
// Pipelines that are cut when they are compiled.
#include <cstdio>

#include <ipu_dsl/catalogue/v_shape.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "model/same_graph.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::testing;

namespace {

// Costs descend, so that an even count of layers a stage is far from even work. Gelu is a node of
// its own: both nodes of the layer must move together.
using layers = sequential<Flatten, Dense<96, relu>, Dense<80, gelu>, Dense<64, relu>,
                          residual<Dense<64, relu>>, Dense<32, relu>, Dense<10>>;

struct automatic : model<input<8, 8>, auto_pipeline<layers, 3>> {};

template <typename M, typename... Options>
struct compiled_as : compile<M, micro_batch<8>, gradient_accumulation<12>,
                             loss<sparse_categorical_crossentropy>, optimizer<sgd<>>, Options...> {
};

using trained = compiled_as<automatic, grouped>;
static_assert(check<automatic>());
static_assert(check<trained>());
static_assert(trained::stages == 3);

constexpr auto chosen = automatic_stages_of<trained>;
static_assert(chosen.size() == 7);

/// The same layers with the chosen stages written by hand.
struct by_hand : model<input<8, 8>, layers,
                       stage_assignment<chosen[0], chosen[1], chosen[2], chosen[3], chosen[4],
                                        chosen[5], chosen[6]>> {};

using hand_trained = compiled_as<by_hand, grouped>;

/// The makespan of the layers cut at `second` and `third`.
template <int Second, int Third>
struct cut_at
    : model<input<8, 8>, layers,
            stage_assignment<0, (1 >= Second) + (1 >= Third), (2 >= Second) + (2 >= Third),
                             (3 >= Second) + (3 >= Third), (4 >= Second) + (4 >= Third),
                             (5 >= Second) + (5 >= Third), 2>> {};

template <int Second, int Third>
constexpr std::int64_t makespan_cut_at() {
  return compiled_as<cut_at<Second, Third>, grouped>::timeline.makespan;
}

}  // namespace

TEST_CASE("an automatic pipeline is the pipeline with the same stages") {
  const graph chosen_graph = fold_planned<trained>();
  const graph written = fold_planned<hand_trained>();
  CHECK(same_graph(chosen_graph.view(), written.view()));
  CHECK(trained::timeline.makespan == hand_trained::timeline.makespan);
  CHECK_FALSE(chosen_graph.automatic);
}

TEST_CASE("no other cut of these layers is faster") {
  const std::int64_t others[] = {
      makespan_cut_at<1, 2>(), makespan_cut_at<1, 3>(), makespan_cut_at<2, 3>(),
      makespan_cut_at<2, 4>(), makespan_cut_at<3, 4>(), makespan_cut_at<2, 5>(),
      makespan_cut_at<3, 5>(), makespan_cut_at<4, 5>(),
  };
  int slower = 0;
  for (const std::int64_t makespan : others) {
    CHECK(trained::timeline.makespan <= makespan);
    slower += trained::timeline.makespan < makespan ? 1 : 0;
  }
  CHECK(slower > 0);
  std::printf("checked 8 cuts, %d of them slower\n", slower);
}

TEST_CASE("several stages a device are balanced over the devices") {
  struct four : model<input<8, 8>, auto_pipeline<layers, 4>> {};

  using on_two = compiled_as<four, zb_v>;
  STATIC_REQUIRE(on_two::settings.devices == 2);
  STATIC_REQUIRE(is_valid<on_two>());
  CHECK(on_two::timeline.devices == 2);
  CHECK(on_two::timeline.speedup_bound() > 1.5);
}

TEST_CASE("a model without a loss is cut by its forward work") {
  using predicted = compile<automatic, micro_batch<8>>;
  STATIC_REQUIRE(is_valid<predicted>());
  CHECK(automatic_stages_of<predicted>[0] == 0);
  CHECK(automatic_stages_of<predicted>[6] == 2);
}
