// SPDX-License-Identifier: MIT
// Slots of backwards in halves and of several stages a device: nothing is read that nobody wrote,
// and what is freed too early is found.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <vector>

#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/catalogue/v_shape.hpp>

#include "runtime/loaded_model.hpp"
#include "runtime/trace_checks.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

/// The backward of every Dense reads what it made.
struct network
    : model<input<8>,
            pipeline<stage<Dense<8, relu>>, stage<Dense<8, relu>>, stage<leaky_relu>,
                     stage<Dense<8, relu>>, stage<Dense<8, relu>>, stage<Dense<3, relu>>>> {};

/// Six stages on three devices, more micro-batches than slots.
template <typename Schedule>
struct planned : compile<network, micro_batch<4>, gradient_accumulation<12>, Schedule,
                         loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

using v_shaped = planned<zb_v>;
using mixed = planned<dualpipe_v>;

template <compiled_model C>
constexpr program_plan_view plan_of_training() {
  return frozen_plan_of<typename C::compiled, program_kind::train>.view();
}

struct outcome {
  std::vector<float> losses;
  std::uint64_t weights = 0;

  friend bool operator==(const outcome&, const outcome&) = default;
};

const point_set& points() {
  static const point_set made = labelled_points(96, 1);
  return made;
}

template <compiled_model C>
outcome two_updates(loaded_model<C>& made) {
  outcome found;
  found.losses = made.update();
  const std::vector<float>& second = made.update();
  found.losses.insert(found.losses.end(), second.begin(), second.end());
  found.weights = made.weights.fingerprint();
  return found;
}

/// Two updates of a changed plan, with poison.
template <compiled_model C>
outcome train(const program_plan_view& plan, int threads = 1) {
  loaded_model<C> made(points(), threads, plan);
  made.train.poison_freed_slots(true);
  return two_updates(made);
}

/// Fills with NaN what a run has to write before it reads: every slot, and of every device what is
/// behind the parameters, what the optimizer keeps and the sums of gradients. Returns the bytes.
template <compiled_model C>
std::int64_t poison_fresh(const loaded_model<C>& made, const program_plan_view& plan) {
  std::int64_t bytes = 0;
  const auto fill = [&bytes](std::byte* memory, std::int64_t count) {
    std::memset(memory, 0xFF, static_cast<std::size_t>(count));
    bytes += count;
  };
  for (std::size_t i = 0; i < plan.edges.size(); ++i) {
    fill(made.memory.edge(i), plan.edges[i].bytes * plan.slots[i]);
  }
  for (std::size_t i = 0; i < plan.bytes_of_device.size(); ++i) {
    const std::int64_t lasting = parameter_layout_of<C>.view().bytes_of_device[i];
    fill(made.memory.at(static_cast<std::int32_t>(i)) + lasting, plan.bytes_of_device[i] - lasting);
  }
  return bytes;
}

/// Returns the bytes that were poisoned before the first run.
template <compiled_model C>
std::int64_t check_fresh() {
  const program_plan_view plan = plan_of_training<C>();
  loaded_model<C> plain(points(), 1);
  const outcome expected = two_updates(plain);
  CHECK(std::all_of(expected.losses.begin(), expected.losses.end(),
                    [](float loss) { return std::isfinite(loss); }));
  std::int64_t bytes = 0;
  for (const int threads : {1, 2, 3}) {
    loaded_model<C> made(points(), threads);
    made.train.poison_freed_slots(true);
    bytes = poison_fresh(made, plan);
    CHECK(two_updates(made) == expected);
  }
  return bytes;
}

/// Whether an edge is read when it is free: one whose last reader was taken out is freed by the
/// reader before it, or by its writer, and nothing keeps that reader behind the writer any more.
bool read_while_free(const edge& whole, std::span<const step> readers, const run_times& times,
                     int micro_batches) {
  const std::size_t last = readers.size() - 1;
  const step frees = last > 0 ? readers[last - 1] : whole.writer;
  for (int i = 0; i < micro_batches; ++i) {
    const std::int64_t start = times.of(readers[last], i).start;
    if (start >= times.of(frees, i).end || start < times.of(whole.writer, i).end) {
      return true;
    }
  }
  return false;
}

/// Edges whose last reader was taken out, by whether that reader really came last.
struct early_frees {
  int found = 0;
  int harmless = 0;
};

/// Takes the last reader out of every edge but the labels'.
template <compiled_model C>
early_frees check_early_free() {
  const program_plan_view plan = plan_of_training<C>();
  const outcome expected = train<C>(plan);
  const std::size_t labels = edge_of_labels(plan);
  REQUIRE(labels < plan.edges.size());
  early_frees seen;
  for (std::size_t i = 0; i < plan.edges.size(); ++i) {
    if (i == labels) {
      continue;
    }
    std::vector<edge> edges(plan.edges.begin(), plan.edges.end());
    --edges[i].reader_count;
    program_plan_view planted = plan;
    planted.edges = edges;
    loaded_model<C> made(points(), 1, planted);
    made.train.poison_freed_slots(true);
    made.train.enable_trace();
    const outcome wrong = two_updates(made);
    const run_times times(plan.actions, made.train.last_trace());
    const bool read = read_while_free(plan.edges[i], plan.readers_of(plan.edges[i]), times,
                                      plan.actions.micro_batches);
    INFO("edge " << i << ", written by stage " << plan.edges[i].writer.stage);
    CHECK((wrong == expected) == !read);
    ++(read ? seen.found : seen.harmless);
  }
  return seen;
}

/// What one slot fewer does to an edge.
struct fewer_slots {
  int refused = 0;
  int same = 0;
};

/// With one slot fewer an edge is refused by the proof, or it waits and nothing changes.
template <compiled_model C>
fewer_slots check_fewer_slots() {
  const program_plan_view plan = plan_of_training<C>();
  const outcome expected = train<C>(plan);
  fewer_slots found;
  for (std::size_t i = 0; i < plan.edges.size(); ++i) {
    std::vector<int> slots(plan.slots.begin(), plan.slots.end());
    --slots[i];
    program_plan_view planted = plan;
    planted.slots = slots;
    if (prove(plan.actions, plan.stages(), slots).proven()) {
      for (const int threads : {1, 2}) {
        INFO("edge " << i << ", " << threads << " threads");
        CHECK(train<C>(planted, threads) == expected);
      }
      ++found.same;
    } else {
      ++found.refused;
    }
  }
  return found;
}

}  // namespace

TEST_CASE("fresh memory is NaN and nobody notices") {
  const std::int64_t bytes = check_fresh<v_shaped>() + check_fresh<mixed>();
  CHECK(bytes > 0);
  std::printf("schedules: poisoned %lld fresh bytes\n", static_cast<long long>(bytes));
}

TEST_CASE("a slot of a split backward that is freed too early is found") {
  const early_frees of_v = check_early_free<v_shaped>();
  const early_frees of_mixed = check_early_free<mixed>();
  const int found = of_v.found + of_mixed.found;
  const int harmless = of_v.harmless + of_mixed.harmless;
  CHECK(of_v.found > 10);
  CHECK(of_mixed.found > 10);
  std::printf("schedules: found %d edges freed too early, %d whose reader was not the last\n",
              found, harmless);
}

TEST_CASE("one slot fewer is refused or only waits") {
  const fewer_slots of_v = check_fewer_slots<v_shaped>();
  const fewer_slots of_mixed = check_fewer_slots<mixed>();
  CHECK(of_v.refused > 0);
  CHECK(of_v.same + of_mixed.same > 0);
  std::printf("schedules: of edges with a slot fewer %d were refused, %d gave the same bits\n",
              of_v.refused + of_mixed.refused, of_v.same + of_mixed.same);
}
