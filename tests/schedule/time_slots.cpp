// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>
#include <vector>

#include <ipu_dsl/catalogue/asynchronous.hpp>
#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/catalogue/looped.hpp>
#include <ipu_dsl/catalogue/v_shape.hpp>
#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/schedule/facts.hpp>
#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/schedule/schedules.hpp>
#include <ipu_dsl/schedule/time_slots.hpp>
#include <ipu_dsl/study/text/csv_reader.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

using kind = action_kind;

constexpr stage_graph chain_of(const program& rows) {
  return chain_stage_graph(rows.stages, stage_cost(), output_use::forward_only,
                           rows.weights.copies);
}

constexpr int slots_needed(const program& rows) {
  int most = 0;
  for (const int slot : unit_slots(rows.view(), chain_of(rows).view())) {
    most = most < slot + 1 ? slot + 1 : most;
  }
  return most;
}

static_assert(slots_needed(interleaved::make(4, 4, 8)) == 2 * (8 + 4 - 1) + 1);
static_assert(slots_needed(sequential_schedule::make(3, 3, 2)) == 2 * 6 + 1);
static_assert(slots_needed(grouped::make_forward(3, 3, 3)) == 5);
static_assert(slots_needed(chimera::make(4, 8, 4)) == 3 * 4 - 2 + 1);

/// The slots of an action's data, found by the rules of a chain: what F, B, I read of neighbours.
class slot_book {
 public:
  slot_book(const program& rows, const list<int>& slots) : rows_(rows) {
    for (std::size_t index = 0; index < rows.actions.size(); ++index) {
      const action& what = rows.actions[index];
      slot_[{what.kind, what.stage, what.micro_batch}] = slots[index];
    }
  }

  /// The slot after the last of what an action reads from other stages.
  int after_data(const action& what) const {
    const int length = rows_.stages / rows_.weights.copies;
    int earliest = 0;
    if (what.kind == kind::forward && what.stage % length > 0) {
      earliest = after(kind::forward, what.stage - 1, what.micro_batch);
    }
    if ((what.kind == kind::backward || what.kind == kind::input_gradient) &&
        what.stage % length < length - 1) {
      earliest = std::max(after(kind::backward, what.stage + 1, what.micro_batch),
                          after(kind::input_gradient, what.stage + 1, what.micro_batch));
    }
    return earliest;
  }

 private:
  int after(kind of, int stage, int micro_batch) const {
    const auto found = slot_.find({of, stage, micro_batch});
    return found == slot_.end() ? 0 : found->second + 1;
  }

  const program& rows_;
  std::map<std::tuple<kind, int, int>, int> slot_;
};

/// Every step of a device stands in the first slot after the step before it and after its data,
/// and the updates of a synchronous run share the last.
int check_slots(const program& rows) {
  const stage_graph graph = chain_of(rows);
  REQUIRE(prove(rows.view(), graph.view()).proven());
  const list<int> slots = unit_slots(rows.view(), graph.view());
  REQUIRE(slots.size() == rows.actions.size());
  const bool synchronous = rows.weights.update_interval == 0;
  const slot_book book(rows, slots);
  int last = 0;
  int checked = 0;
  for (std::size_t index = 0; index < slots.size(); ++index) {
    const bool updates = rows.actions[index].kind == kind::update;
    last = synchronous && updates ? last : std::max(last, slots[index]);
  }
  for (int device = 0; device < rows.devices; ++device) {
    int next = 0;
    const int end = rows.row_begin[static_cast<std::size_t>(device) + 1];
    for (int i = rows.row_begin[static_cast<std::size_t>(device)]; i < end;) {
      int earliest = next;
      int part = i;
      for (bool joined = true; joined; ++part) {
        const action& what = rows.actions[static_cast<std::size_t>(part)];
        earliest = std::max(earliest, book.after_data(what));
        joined = what.joined;
      }
      for (; i < part; ++i) {
        const auto at = static_cast<std::size_t>(i);
        INFO("device " << device << ", " << describe(rows.actions[at]).view());
        const bool final = synchronous && rows.actions[at].kind == kind::update;
        REQUIRE(slots[at] == (final ? last + 1 : earliest));
        ++checked;
      }
      next = earliest + 1;
    }
  }
  return checked;
}

constexpr bool ascends(const program& rows, const list<int>& slots) {
  for (int device = 0; device < rows.devices; ++device) {
    const int end = rows.row_begin[static_cast<std::size_t>(device) + 1];
    for (int i = rows.row_begin[static_cast<std::size_t>(device)] + 1; i < end; ++i) {
      if (slots[static_cast<std::size_t>(i)] < slots[static_cast<std::size_t>(i) - 1]) {
        return false;
      }
    }
  }
  return true;
}

constexpr checks test_updates_within() {
  checks done;
  program rows(1, neighbouring_placement(1, 2), 1);
  rows.put(kind::forward, 0, 0);
  rows.put(kind::forward, 1, 0);
  rows.put(kind::backward, 1, 0);
  rows.put(kind::update, 1, 0);
  rows.put(kind::backward, 0, 0);
  rows.put(kind::update, 0, 0);
  rows.end_row();
  const stage_graph graph = chain_stage_graph(2, {.update = 5});
  done.that(prove(rows.view(), graph.view()).proven());
  rows.slot = unit_slots(rows.view(), graph.view());
  done.that(ascends(rows, rows.slot));
  std::int64_t end = 0;
  for (const timed_action& times : lockstep_timeline(rows.view(), graph.view())) {
    done.that(times.start >= end);
    end = times.end;
  }
  return done;
}

static_assert(test_updates_within());

}  // namespace

TEST_CASE("every step takes the first slot after its data and its device") {
  int checked = 0;
  for (int devices = 2; devices <= 4; ++devices) {
    for (int m = devices; m <= 3 * devices; ++m) {
      checked += check_slots(gpipe::make(devices, devices, m));
      checked += check_slots(one_f_one_b::make(devices, devices, m));
      checked += check_slots(sequential_schedule::make(devices, devices, m));
      checked += check_slots(grouped::make_forward(devices, devices, m));
      checked += check_slots(zb_h1::make(devices, devices, m));
      checked += check_slots(zb_h2::make(devices, devices, m));
      checked += check_slots(interleaved_zero_bubble::make(devices, 2 * devices, m));
      checked += check_slots(zb_v::make(devices, 2 * devices, m));
      checked += check_slots(pipedream::make(devices, devices, m));
    }
  }
  for (const int devices : {2, 4}) {
    checked += check_slots(chimera::make(devices, 2 * devices, 2 * devices));
    checked += check_slots(dualpipe::make(devices, 2 * devices, 2 * devices + 2));
    checked += check_slots(dualpipe_v::make(devices, 2 * devices, 2 * devices + 1));
  }
  std::printf("checked the slots of %d actions\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("1F1B takes two slots for each micro-batch and each stage behind, and one to update") {
  int checked = 0;
  for (int devices = 2; devices <= 6; ++devices) {
    for (int m = 1; m <= 3 * devices; ++m) {
      program rows = one_f_one_b::make(devices, devices, m);
      const stage_graph graph = chain_stage_graph(devices);
      rows.slot = unit_slots(rows.view(), graph.view());
      REQUIRE(prove(rows.view(), graph.view()).proven());
      const facts found = facts_of(rows.view(), lockstep_timeline(rows.view(), graph.view()));
      REQUIRE(found.slots == 2 * (m + devices - 1) + 1);
      ++checked;
    }
  }
  std::printf("checked %d slot counts of 1F1B\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("slots are those that the reference's interleaved schedule comes with") {
  int checked = 0;
  for (int devices = 2; devices <= 5; ++devices) {
    for (int m = devices; m <= 4 * devices; m += devices) {
      const program rows = interleaved::make(devices, devices, m);
      const list<int> found = unit_slots(rows.view(), chain_stage_graph(devices).view());
      const list<int> own = rows.slot;
      REQUIRE(found.size() == own.size());
      for (std::size_t i = 0; i < found.size(); ++i) {
        // As soon as possible: the reference's forwards wait for the rhythm.
        REQUIRE(found[i] <= own[i]);
        ++checked;
      }
      REQUIRE(found[found.size() - 1] == own[own.size() - 1]);
    }
  }
  std::printf("checked %d slots against the reference's\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("joined actions share a slot, and lockstep adds them up") {
  const program rows = dualpipe::make(4, 8, 8);
  const list<int> slots = unit_slots(rows.view(), chain_of(rows).view());
  int joined = 0;
  int apart = 0;
  for (std::size_t i = 0; i + 1 < slots.size(); ++i) {
    const bool same_row = rows.actions[i + 1].kind != kind::update && slots[i + 1] >= slots[i];
    if (rows.actions[i].joined) {
      REQUIRE(slots[i] == slots[i + 1]);
      ++joined;
    } else if (same_row) {
      REQUIRE(slots[i] < slots[i + 1]);
      ++apart;
    }
  }
  std::printf("checked %d joined pairs and %d neighbours\n", joined, apart);
  CHECK(joined > 0);
  CHECK(apart > 0);
}

TEST_CASE("updates in the middle of a row leave its slots in order") {
  CHECK(test_updates_within());
}

TEST_CASE("nothing is joined to the row of the next device") {
  program rows(2, neighbouring_placement(2, 2), 1);
  for (int device = 0; device < 2; ++device) {
    rows.put(kind::forward, device, 0);
    rows.put(kind::backward, device, 0);
    rows.put_joined(kind::update, device, 0);
    rows.end_row();
  }
  const stage_graph graph = chain_stage_graph(2);
  if (prove(rows.view(), graph.view()).proven()) {
    const list<int> slots = unit_slots(rows.view(), graph.view());
    const list<int> expected = {0, 3, 4, 1, 2, 4};
    CHECK(std::equal(slots.begin(), slots.end(), expected.begin(), expected.end()));
  } else {
    SUCCEED("refused");
  }
}

TEST_CASE("columns of a text need not agree with the data") {
  const auto agree = [](std::string_view text) {
    const parsed_schedule read = parse_csv(text);
    REQUIRE_FALSE(read.fault.found());
    const stage_graph graph = chain_stage_graph(read.rows.stages);
    REQUIRE(prove(read.rows.view(), graph.view()).proven());
    return slots_agree_with_data(read.rows.view(), graph.view());
  };
  // The rows are the same, and proven; only the columns differ.
  CHECK(agree("0F0,,,0B0\n,1F0,1B0,\n"));
  CHECK_FALSE(agree("0F0,0B0\n1F0,1B0\n"));
  CHECK_FALSE(agree("0F0,,0B0\n1F0,1B0,\n"));
  int checked = 0;
  for (int stages = 2; stages <= 4; ++stages) {
    const stage_graph graph = chain_stage_graph(stages);
    CHECK(slots_agree_with_data(grouped::make(stages, stages, 2 * stages).view(), graph.view()));
    CHECK(slots_agree_with_data(interleaved::make(stages, stages, stages).view(), graph.view()));
    checked += 2;
  }
  std::printf("checked %d programs with slots of their own\n", checked);
}
