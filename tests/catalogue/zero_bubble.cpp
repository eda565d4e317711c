// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>

#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/catalogue/looped.hpp>
#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/schedule/facts.hpp>
#include <ipu_dsl/schedule/proof.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

static_assert(schedule_type<zb_h1> && zb_h1::name == "zb-h1");
static_assert(schedule_type<zb_h2> && zb_h2::name == "zb-h2");

constexpr bool proves(const program& rows) {
  const stage_graph graph = chain_stage_graph(rows.stages);
  return prove(rows.view(), graph.view()).proven();
}

constexpr facts facts_with(const program& rows, const stage_cost& cost = {}) {
  const stage_graph graph = chain_stage_graph(rows.stages, cost);
  return facts_of(rows.view(), asynchronous_timeline(rows.view(), graph.view()));
}

constexpr bool same_rows(const program& left, const program& right) {
  return std::ranges::equal(left.actions, right.actions) &&
         std::ranges::equal(left.row_begin, right.row_begin);
}

/// The row of a device as letters and micro-batches: "F0 F1 I0".
constexpr text<255> words_of(const program& rows, int device) {
  text<255> words;
  for (const action& what : rows.view().row(device)) {
    words << (words.empty() ? "" : " ") << letter(what.kind) << what.micro_batch;
  }
  return words;
}

static_assert(proves(zb_h1::make(3, 3, 2)));
static_assert(proves(zb_h2::make(3, 3, 4)));
static_assert(facts_with(zb_h1::make(4, 4, 8)).makespan == 27);
static_assert(facts_with(zb_h1::make(4, 4, 8)).span_bubble == 3);
static_assert(facts_with(zb_h2::make(4, 4, 8)).makespan == 27);
static_assert(facts_with(zb_h2::make(4, 4, 8)).span_bubble == 0);
static_assert(same_rows(zb_h1::make(3, 3, 4), interleaved_zero_bubble::make(3, 3, 4)));

static_assert(zb_h1::allows(4, 3, 8, purpose::training).message().view() ==
              "schedule zb-h1: expected 1 stage on each of 4 devices, got 3 stages. Hint: cut the "
              "model into 4 stages, or use 3 devices");
static_assert(!zb_h2::allows(4, 4, 1, purpose::training).found());

/// Costs of F, I and W on both sides of every maximum in the closed forms.
constexpr stage_cost costs[] = {{1, 1, 1}, {1, 3, 2}, {3, 1, 2}, {2, 1, 5},  {4, 3, 1},
                                {5, 6, 7}, {1, 5, 1}, {2, 2, 0}, {10, 12, 8}};

constexpr checks test_zero_bubble_rows() {
  checks done;
  done.that(words_of(zb_h1::make(3, 3, 4), 0).view() == "F0 F1 F2 I0 W0 F3 I1 W1 I2 W2 I3 W3 U0");
  done.that(words_of(zb_h1::make(3, 3, 4), 2).view() == "F0 I0 F1 I1 F2 I2 W0 F3 I3 W1 W2 W3 U0");
  done.that(words_of(zb_h2::make(2, 2, 4), 1).view() == "F0 I0 F1 I1 F2 I2 W0 F3 I3 W1 W2 W3 U0");
  done.that(words_of(zb_h2::make(2, 2, 4), 0).view() == "F0 F1 F2 I0 W0 F3 I1 W1 I2 W2 I3 W3 U0");
  return done;
}

static_assert(test_zero_bubble_rows());

}  // namespace

TEST_CASE("rows of zero bubble") {
  CHECK(test_zero_bubble_rows());
}

TEST_CASE("ZB-H1 keeps what 1F1B's first device keeps, and its bubbles have closed forms") {
  int checked = 0;
  for (int stages = 1; stages <= 8; ++stages) {
    for (int m = 1; m <= 3 * stages + 2; ++m) {
      const program rows = zb_h1::make(stages, stages, m);
      REQUIRE(proves(rows));
      REQUIRE(accumulates_ascending(rows.view()));
      for (const int kept : peak_stash_of_stages(rows.view())) {
        REQUIRE(kept == std::min(m, stages));
        ++checked;
      }
      for (const stage_cost& cost : costs) {
        const facts found = facts_with(rows, cost);
        const std::int64_t waits =
            cost.input_gradient + std::max<std::int64_t>(0, cost.forward - cost.weight_gradient);
        if (m >= stages) {
          REQUIRE(found.flush_bubble() == (stages - 1) * std::max(cost.forward, waits));
          REQUIRE(found.span_bubble == (stages - 1) * waits);
          checked += 2;
        }
        const facts whole = facts_with(one_f_one_b::make(stages, stages, m), cost);
        REQUIRE(found.makespan <= whole.makespan);
        ++checked;
      }
      checked += 2;
    }
  }
  std::printf("checked %d facts of zb-h1\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("ZB-H2 waits for nothing in between if weight gradients fill the gaps") {
  int checked = 0;
  int without_bubble = 0;
  for (int stages = 1; stages <= 8; ++stages) {
    for (int m = 1; m <= 3 * stages + 2; ++m) {
      const program rows = zb_h2::make(stages, stages, m);
      REQUIRE(proves(rows));
      REQUIRE(accumulates_ascending(rows.view()));
      for (const int kept : peak_stash_of_stages(rows.view())) {
        REQUIRE(kept == std::min(m, 2 * stages - 1));
        ++checked;
      }
      for (const stage_cost& cost : costs) {
        const facts found = facts_with(rows, cost);
        const std::int64_t forward = cost.forward;
        const std::int64_t waits =
            std::max(cost.input_gradient - forward,
                     forward + cost.input_gradient - 2 * cost.weight_gradient);
        if (m >= 2 * stages - 1) {
          REQUIRE(found.flush_bubble() == (stages - 1) * std::max(forward, waits));
          REQUIRE(found.span_bubble == (stages - 1) * std::max<std::int64_t>(0, waits));
          checked += 2;
          without_bubble += stages > 1 && found.span_bubble == 0;
        }
      }
      checked += 2;
    }
  }
  std::printf("checked %d facts of zb-h2, %d runs without a wait in between\n", checked,
              without_bubble);
  CHECK(checked > 0);
  CHECK(without_bubble > 0);
}

TEST_CASE("the published numbers of zero bubble") {
  CHECK(facts_with(zb_h1::make(8, 8, 16)).makespan == 55);
  CHECK(facts_with(zb_h1::make(8, 8, 16)).span_bubble == 7);
  CHECK(facts_with(zb_h2::make(8, 8, 16)).makespan == 55);
  CHECK(facts_with(zb_h2::make(8, 8, 16)).span_bubble == 0);
  // In tenths: forward 1, input gradient 1.2, weight gradient 0.8 give a bubble of 4.2.
  CHECK(facts_with(zb_h1::make(4, 4, 8), {10, 12, 8}).flush_bubble() == 42);
}

TEST_CASE("ZB-H1 is interleaved zero bubble of one stage a device") {
  int checked = 0;
  for (int stages = 1; stages <= 8; ++stages) {
    for (int m = 1; m <= 3 * stages + 1; ++m) {
      REQUIRE(same_rows(zb_h1::make(stages, stages, m),
                        interleaved_zero_bubble::make(stages, stages, m)));
      ++checked;
    }
  }
  std::printf("checked %d programs of one stage a device\n", checked);
  CHECK(checked > 0);
}
