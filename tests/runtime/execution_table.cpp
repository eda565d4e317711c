// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <ipu_dsl/runtime/execution_table.hpp>

#include "formats/sentence_of.hpp"
#include "runtime/loaded_model.hpp"
#include "runtime/pipelines.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

/// A plan on memory, as an executor sees it.
template <compiled_model C>
struct resolved_plan {
  session_parts parts = parts_of<typename C::compiled>();
  program_plan_view plan = parts.train.plan;
  region_set memory{std::vector<program_plan_view>{plan}};
  execution_table table;

  explicit resolved_plan(int workers, std::int64_t shared_from = 0)
      : table(plan, parts.train.functions(), memory, workers, 1, shared_from) {}
};

/// Every action stands in exactly one row, with the calls of its kind and stage, and is counted.
template <compiled_model C>
int check_steps(int workers) {
  const resolved_plan<C> made(workers);
  const program_view& actions = made.plan.actions;
  std::vector<int> seen(actions.actions.size(), 0);
  std::vector<int> counted(made.table.counts().size(), 0);
  int steps = 0;
  for (int worker = 0; worker < workers; ++worker) {
    for (const execution_step& step : made.table.row(worker)) {
      const auto found = std::find(actions.actions.begin(), actions.actions.end(), step.what);
      REQUIRE(found != actions.actions.end());
      ++seen[static_cast<std::size_t>(found - actions.actions.begin())];
      const auto stage = static_cast<std::size_t>(step.what.stage);
      CHECK(step.device == actions.device_of_stage[stage]);
      CHECK(step.counter == counter_of(step.what.stage, step.what.kind));
      CHECK(step.order == counted[static_cast<std::size_t>(step.counter)]++);
      for (const resolved_call& row : made.table.calls(step)) {
        CHECK(row.run != nullptr);
        CHECK(row.operands <= execution_table::most_operands);
      }
      ++steps;
    }
  }
  CHECK(seen == std::vector<int>(actions.actions.size(), 1));
  CHECK(std::equal(counted.begin(), counted.end(), made.table.counts().begin()));
  return steps;
}

/// What the table says of one edge: the slots in which its micro-batches lie, and how often.
struct slot_use {
  std::vector<std::size_t> tenants;  ///< by slot
  std::size_t operands = 0;
};

/// Whether micro-batches of an operand lie in whole slots of its edge's region, from slot 0 up.
template <compiled_model C>
slot_use slots_of(const resolved_plan<C>& made, std::size_t edge_number) {
  const edge& link = made.plan.edges[edge_number];
  const std::byte* const begin = made.memory.edge(edge_number);
  const std::int64_t end = link.bytes * made.plan.slots[edge_number];
  slot_use use;
  use.tenants.resize(static_cast<std::size_t>(made.plan.slots[edge_number]), 0);
  for (std::size_t i = 0; i < made.plan.operands.size(); ++i) {
    const placement& where = made.plan.placements[static_cast<std::size_t>(made.plan.operands[i])];
    if (where.edge != static_cast<std::int32_t>(edge_number)) {
      continue;
    }
    ++use.operands;
    for (int micro_batch = 0; micro_batch < made.plan.actions.micro_batches; ++micro_batch) {
      const auto* lies = static_cast<const std::byte*>(
          made.table.address(static_cast<std::int32_t>(i), micro_batch));
      const std::int64_t at = lies - begin;
      REQUIRE(at >= 0);
      REQUIRE(at < end);
      CHECK(at % link.bytes == where.offset);
      ++use.tenants[static_cast<std::size_t>(at / link.bytes)];
    }
  }
  return use;
}

/// Every edge uses all of its slots, the micro-batches dealt over them in turn.
template <compiled_model C>
int check_slots() {
  const resolved_plan<C> made(1);
  const auto micro_batches = static_cast<std::size_t>(made.plan.actions.micro_batches);
  int slots = 0;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < made.plan.edges.size(); ++i) {
    const slot_use use = slots_of(made, i);
    REQUIRE(use.operands > 0);
    const std::size_t depth = use.tenants.size();
    for (std::size_t slot = 0; slot < depth; ++slot) {
      const std::size_t tenants = (micro_batches - slot + depth - 1) / depth;
      CHECK(use.tenants[slot] == tenants * use.operands);
      ++slots;
    }
    bytes += made.plan.edges[i].bytes * made.plan.slots[i];
  }
  for (const std::int64_t of_device : made.plan.bytes_of_device) {
    bytes += of_device;
  }
  CHECK(made.memory.bytes() == static_cast<std::size_t>(bytes));
  return slots;
}

/// A slot is freed once for every micro-batch that lay in it, by its last reader.
template <compiled_model C>
int check_freed() {
  const resolved_plan<C> made(1);
  std::vector<int> freed(made.plan.edges.size(), 0);
  int all = 0;
  for (const execution_step& step : made.table.row(0)) {
    for (const freed_slot& slot : made.table.freed(step)) {
      for (std::size_t i = 0; i < made.plan.edges.size(); ++i) {
        const edge& link = made.plan.edges[i];
        const std::int64_t at = slot.memory - made.memory.edge(i);
        if (at >= 0 && at < link.bytes * made.plan.slots[i]) {
          const ipu_dsl::step last = made.plan.readers_of(link).back();
          CHECK(slot.bytes == link.bytes);
          CHECK(last.stage == step.what.stage);
          CHECK(last.kind == step.what.kind);
          ++freed[i];
          ++all;
        }
      }
    }
  }
  CHECK(freed == std::vector<int>(made.plan.edges.size(), made.plan.actions.micro_batches));
  return all;
}

}  // namespace

TEST_CASE("the rows of workers hold every action once, in its own order") {
  int steps = 0;
  for (int workers = 1; workers <= 3; ++workers) {
    steps += check_steps<trained<three_stages, grouped>>(workers);
    steps += check_steps<trained<three_stages, interleaved>>(workers);
  }
  CHECK(steps == 2 * 3 * (3 * 2 * 12 + 3));
  std::printf("checked %d steps\n", steps);
}

TEST_CASE("edges have exactly the slots of the plan, and use them in turn") {
  const int of_grouped = check_slots<trained<three_stages, grouped>>();
  const int of_interleaved = check_slots<trained<three_stages, interleaved>>();
  const int of_sequential = check_slots<trained<three_stages, sequential_schedule>>();
  CHECK(of_grouped > of_interleaved);
  CHECK(of_interleaved > of_sequential);
  const auto edges = training_plan<trained<three_stages, sequential_schedule>>().edges.size();
  CHECK(of_sequential == static_cast<int>(edges));
  std::printf("checked %d, %d and %d slots\n", of_grouped, of_interleaved, of_sequential);
}

TEST_CASE("the last reader frees a slot, once for every micro-batch") {
  const int freed = check_freed<trained<three_stages, grouped>>();
  CHECK(freed > 0);
  std::printf("checked %d freed slots\n", freed);
}

TEST_CASE("calls of fewer operations than asked for are too small to share") {
  using small_model = trained<three_stages, grouped>;
  constexpr std::int64_t products = std::int64_t{samples_of_micro_batch} * 8 * 8;
  int checked = 0;
  for (const std::int64_t shared_from : {std::int64_t{0}, products, products + 1}) {
    const resolved_plan<small_model> made(6, shared_from);
    int shared = 0;
    for (int row = 0; row < made.table.teams().rows(); ++row) {
      for (const execution_step& step : made.table.row(row)) {
        for (const resolved_call& each : made.table.calls(step)) {
          const call& planned = made.plan.calls[static_cast<std::size_t>(each.number)];
          CHECK(each.too_small == (planned.operations < shared_from));
          shared += each.too_small ? 0 : 1;
          ++checked;
        }
      }
    }
    CHECK((shared == 0) == (shared_from > products));
  }
  CHECK(checked > 0);
  std::printf("checked %d calls for sharing\n", checked);
}

TEST_CASE("a call with more operands than an executor takes is refused") {
  const auto refused = [](std::int32_t reads) {
    call row;
    row.writes = 1;
    row.reads = reads;
    const std::vector<std::int32_t> operands(static_cast<std::size_t>(reads) + 1, 0);
    const std::int32_t code = 0;
    const kernel_name greedy{.family = "Greedy", .key = {}};
    const placement where;
    const std::int64_t bytes = 64;
    const kernel_code function = {};
    program_plan_view plan;
    plan.calls = {&row, 1};
    plan.code_of_call = {&code, 1};
    plan.codes = {&greedy, 1};
    plan.operands = operands;
    plan.placements = {&where, 1};
    plan.bytes_of_device = {&bytes, 1};
    const int none[] = {0};
    plan.actions.row_begin = none;
    plan.first_wait = none;
    const region_set memory(std::vector<program_plan_view>{plan});
    return sentence_of([&] { execution_table(plan, {&function, 1}, memory, 1); });
  };
  CHECK(refused(31).empty());
  CHECK(refused(32) == "A kernel takes at most 32 operands, one of Greedy has 33.");
}

TEST_CASE("a plan that does not say what its calls run, or in which order, is refused") {
  using planned = trained<three_stages, grouped>::compiled;
  const session_parts parts = parts_of<planned>();
  const auto refused = [&](const program_plan_view& plan) {
    const region_set memory(std::vector<program_plan_view>{plan});
    return sentence_of([&] { execution_table(plan, parts.train.functions(), memory, 1); });
  };
  CHECK(refused(parts.train.plan).empty());
  CHECK(refused(planned_program_of<planned, program_kind::train>.plan.view()) ==
        "The plan does not say in which order its actions are done.");
  program_plan_view without_waits = parts.train.plan;
  without_waits.first_wait = {};
  CHECK(refused(without_waits) == "The plan does not say in which order its actions are done.");
  program_plan_view without_code = parts.train.plan;
  without_code.code_of_call = {};
  CHECK(refused(without_code) == "The plan does not say what code its calls run.");
}
