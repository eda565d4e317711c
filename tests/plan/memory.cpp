// SPDX-License-Identifier: MIT
// Tests of plan/memory.hpp, plan/lifetime.hpp, plan/in_place.hpp and plan/buffer_size.hpp:
// properties of layouts.
#include <cstdio>

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/plan/memory.hpp>
#include <ipu_dsl/schedule/program.hpp>

#include "plan/models.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using testing::lowered;
using testing::with_loss;
using tests::checks;

static_assert(aligned(0) == 0 && aligned(1) == 64 && aligned(64) == 64 && aligned(65) == 128);
static_assert(bytes_of(buffer{.type = dtype::int32, .extents = {}}, 32) == 128,
              "labels lie side by side");

/// What was looked at, and what was wrong with it.
struct findings {
  int buffers = 0;   ///< placed, and within their regions
  int pairs = 0;     ///< alive together in one region
  int lasting = 0;   ///< compared between programs
  int in_place = 0;  ///< pairs of which one gives way to the other
  int misplaced = 0;
  int overlapping = 0;
  int moved = 0;

  constexpr bool right() const { return misplaced + overlapping + moved == 0; }
};

constexpr std::int32_t micro_batches = 4;

/// One program of a model, laid out.
struct laid_out {
  lowered_program program;
  memory_layout memory;
  list<lifetime> lives;
};

constexpr laid_out lay_out(const graph_view& model, program_kind kind, std::int32_t batch,
                           int devices) {
  const list<int> device_of_stage = neighbouring_placement(devices, model.stages);
  const lowered_program trained = lowered(model, program_kind::train, batch);
  const parameter_layout lasting =
      lay_out_parameters(model, device_of_stage, devices, trained.view().buffers);
  laid_out made{.program = lowered(model, kind, batch), .memory = {}, .lives = {}};
  made.memory = memory_planner(model, made.program.view(), batch, micro_batches, device_of_stage,
                               view_of(lasting))
                    .plan();
  made.lives = lifetimes_of(made.program.view(), model.stages);
  return made;
}

/// What the copies of a buffer take where they lie beside each other.
constexpr std::int64_t bytes_of_copies(const buffer& memory, std::int32_t batch) {
  const std::int32_t copies = memory.life == buffer_life::each_micro_batch ? micro_batches : 1;
  return bytes_of(memory, batch) * copies;
}

constexpr bool lasts(const buffer& memory) {
  return memory.life == buffer_life::persistent;
}

/// Every buffer starts aligned and ends within its region or slot.
constexpr void check_places(const laid_out& made, std::int32_t batch, findings& seen) {
  for (std::size_t i = 0; i < made.program.made.buffers.size(); ++i) {
    const placement& where = made.memory.of_buffer[i];
    const auto devices = made.memory.bytes_of_device.size();
    const auto region = static_cast<std::size_t>(where.region);
    const std::int64_t end = where.edge < 0
                                 ? (region < devices ? made.memory.bytes_of_device[region] : -1)
                                 : made.memory.edges[static_cast<std::size_t>(where.edge)].bytes;
    const bool numbered =
        where.edge < 0 || region == devices + static_cast<std::size_t>(where.edge);
    const std::int64_t bytes = bytes_of_copies(made.program.made.buffers[i], batch);
    const bool inside = where.offset >= 0 && where.offset + bytes <= end;
    seen.misplaced += numbered && inside && where.offset % buffer_alignment == 0 ? 0 : 1;
    ++seen.buffers;
  }
}

/// Whether two buffers hold something at the same time: what lasts, what each micro-batch has for
/// itself and what lies in a slot always does, the rest from its first to its last call within the
/// one action that it belongs to.
constexpr bool alive_together(const laid_out& made, std::size_t i, std::size_t j) {
  const buffer& left = made.program.made.buffers[i];
  const buffer& right = made.program.made.buffers[j];
  const bool always = left.life != buffer_life::micro_batch ||
                      right.life != buffer_life::micro_batch || made.memory.of_buffer[i].edge >= 0;
  return always || (made.lives[i].first_call <= made.lives[j].last_call &&
                    made.lives[j].first_call <= made.lives[i].last_call);
}

/// The action that a call belongs to.
constexpr std::size_t action_of(const laid_out& made, std::int32_t row) {
  std::size_t entry = 0;
  while (made.program.first_call[entry + 1] <= row) {
    ++entry;
  }
  return entry;
}

/// Whether a call reads a buffer, and wherever it does in place of what it writes.
constexpr bool reads_in_place(const laid_out& made, std::int32_t row, std::size_t read,
                              std::size_t written) {
  const call_list& calls = made.program.made;
  const emitted_call& of = calls.calls[row];
  bool found = calls.operands[of.first_operand] == static_cast<std::int32_t>(written);
  for (std::int32_t i = 0; i < of.reads; ++i) {
    const bool same =
        calls.operands[of.first_operand + of.writes + i] == static_cast<std::int32_t>(read);
    found = found && (!same || (of.in_place >> i & 1) != 0);
  }
  return found;
}

/// Whether one buffer may lie where another does that is written later in the action that the first
/// lives in: nobody reads the first any more, or the call that writes the other over it.
constexpr bool gives_way(const laid_out& made, std::size_t first, std::size_t later) {
  const placement& here = made.memory.of_buffer[first];
  const placement& there = made.memory.of_buffer[later];
  const lifetime& ends = made.lives[first];
  const lifetime& begins = made.lives[later];
  if (here.offset != there.offset || ends.actions != 1 || lasts(made.program.made.buffers[later]) ||
      action_of(made, ends.first_call) != action_of(made, begins.first_call)) {
    return false;
  }
  return ends.last_call < begins.first_call || (ends.last_call == begins.first_call &&
                                                reads_in_place(made, ends.last_call, first, later));
}

constexpr void check_pairs(const laid_out& made, std::int32_t batch, findings& seen) {
  for (std::size_t i = 0; i < made.program.made.buffers.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const placement& left = made.memory.of_buffer[i];
      const placement& right = made.memory.of_buffer[j];
      if (left.region != right.region || !alive_together(made, i, j)) {
        continue;
      }
      const bool apart =
          left.offset + bytes_of_copies(made.program.made.buffers[i], batch) <= right.offset ||
          right.offset + bytes_of_copies(made.program.made.buffers[j], batch) <= left.offset;
      const bool in_place = !apart && (gives_way(made, i, j) || gives_way(made, j, i));
      seen.overlapping += apart || in_place ? 0 : 1;
      seen.in_place += in_place ? 1 : 0;
      ++seen.pairs;
    }
  }
}

/// What lasts lies at the same place in both programs.
constexpr void compare(const laid_out& trained, const laid_out& other, findings& seen) {
  for (std::size_t i = 0; i < other.program.made.buffers.size(); ++i) {
    const buffer& memory = other.program.made.buffers[i];
    for (std::size_t j = 0; lasts(memory) && j < trained.program.made.buffers.size(); ++j) {
      const buffer& same = trained.program.made.buffers[j];
      if (same.role == memory.role && same.tensor == memory.tensor && same.index == memory.index) {
        const placement& here = other.memory.of_buffer[i];
        const placement& there = trained.memory.of_buffer[j];
        seen.moved += here.region == there.region && here.offset == there.offset ? 0 : 1;
        ++seen.lasting;
      }
    }
  }
}

template <typename M>
constexpr findings examine(std::int32_t batch, int devices) {
  findings seen;
  const graph model = with_loss<M>();
  const graph_view view = model.view();
  const laid_out trained = lay_out(view, program_kind::train, batch, devices);
  for (const program_kind kind :
       {program_kind::train, program_kind::evaluate, program_kind::predict}) {
    const laid_out made = lay_out(view, kind, batch, devices);
    check_places(made, batch, seen);
    check_pairs(made, batch, seen);
    compare(trained, made, seen);
  }
  return seen;
}

template <typename M>
void check_model(std::string_view name, findings& all) {
  const int stages = fold<M>().stages;
  for (const std::int32_t batch : {1, 3, 32}) {
    for (int devices = 1; devices <= stages; ++devices) {
      INFO(name << " in batches of " << batch << " on " << devices << " devices");
      const findings seen = examine<M>(batch, devices);
      CHECK(seen.misplaced == 0);
      CHECK(seen.overlapping == 0);
      CHECK(seen.moved == 0);
      CHECK(seen.buffers > 0);
      all.buffers += seen.buffers;
      all.pairs += seen.pairs;
      all.lasting += seen.lasting;
      all.in_place += seen.in_place;
    }
  }
}

/// Buffers that one action alone touches are overlaid: the tutorial's scratch takes less than the
/// sum of its parts. What several actions touch lies in slots.
constexpr checks test_edges_of_mlp() {
  const graph model = with_loss<testing::mlp>();
  const laid_out made = lay_out(model.view(), program_kind::train, 32, 2);
  const list<edge>& edges = made.memory.edges;
  checks done;
  done.that(edges.size() >= 3);
  bool hands_on = false;
  bool gradient_back = false;
  for (const edge& flow : edges) {
    done.that(flow.bytes > 0);
    done.that(flow.reader_count > 0);
    const step first = made.memory.readers[static_cast<std::size_t>(flow.first_reader)];
    hands_on = hands_on || (flow.writer == step{0, action_kind::forward} &&
                            first == step{1, action_kind::forward});
    gradient_back = gradient_back || (flow.writer == step{1, action_kind::backward} &&
                                      first == step{0, action_kind::backward});
  }
  done.that(hands_on);
  done.that(gradient_back);
  return done;
}

static_assert(examine<testing::alike>(3, 1).right());

/// Every stage reads what the first one made.
struct read_by_all {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor point = build.input({8});
    const symbolic_tensor first = build.layer<Dense<8, relu>>("first", point);
    symbolic_tensor last = build.layer<Dense<8>>("", first);
    for (int stage = 1; stage < 8; ++stage) {
      build.stage(stage);
      last = build.layer<Add>("", build.layer<Dense<8>>("", last), first);
    }
    return last;
  }
};

/// An edge has as many readers as there are actions that read it.
constexpr bool test_readers() {
  const graph model = with_loss<read_by_all>();
  const laid_out made = lay_out(model.view(), program_kind::train, 32, 8);
  int most = 0;
  std::size_t readers = 0;
  for (const edge& flow : made.memory.edges) {
    most = flow.reader_count > most ? flow.reader_count : most;
    readers += static_cast<std::size_t>(flow.reader_count);
  }
  return most >= 8 && readers == made.memory.readers.size();
}

static_assert(test_readers());
static_assert(test_edges_of_mlp());

TEST_CASE("no two buffers that are alive share a byte") {
  findings all;
  check_model<testing::mlp>("mlp", all);
  check_model<testing::branching>("branching", all);
  check_model<testing::alike>("alike", all);
  check_model<testing::slender>("slender", all);
  check_model<testing::passing>("passing", all);
  std::printf("checked %d buffers, %d pairs, %d in place, %d lasting places\n", all.buffers,
              all.pairs, all.in_place, all.lasting);
  CHECK(all.buffers > 1000);
  CHECK(all.pairs > 1000);
  CHECK(all.in_place > 100);
  CHECK(all.lasting > 100);
}

TEST_CASE("an edge has any number of readers") {
  CHECK(test_readers());
}

TEST_CASE("activations and gradients between stages lie in slots") {
  CHECK(test_edges_of_mlp());
}

}  // namespace
