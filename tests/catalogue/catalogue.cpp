// SPDX-License-Identifier: MIT
#include <cstdio>
#include <string>

#include <ipu_dsl/catalogue/catalogue.hpp>
#include <ipu_dsl/schedule/proof.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

constexpr bool test_names() {
  for (const catalogue_entry& entry : catalogue()) {
    if (find_schedule(entry.name) != &entry || entry.name.empty() || entry.summary.empty() ||
        entry.summary.ends_with('.')) {
      return false;
    }
  }
  return find_schedule("") == nullptr && find_schedule("1f1") == nullptr &&
         find_schedule("1F1B") == nullptr;
}

static_assert(catalogue().size() == 23);
static_assert(test_names());
static_assert(find_schedule("zb-h1")->make(4, 4, 8).micro_batches == 8);

// What an entry derives from its type.
static_assert(find_schedule("1f1b")->stages_a_device == 1);
static_assert(!find_schedule("1f1b")->virtual_stages && find_schedule("1f1b")->copies == 1);
static_assert(find_schedule("zb-v")->stages_a_device == 2 &&
              !find_schedule("zb-v")->virtual_stages);
static_assert(find_schedule("looped-bfs")->stages_a_device == 2);
static_assert(find_schedule("looped-bfs")->virtual_stages);
static_assert(find_schedule("chimera")->stages_a_device == 2);
static_assert(find_schedule("chimera")->copies == 2 && find_schedule("dualpipev")->copies == 1);
static_assert(find_schedule("inference")->aim == purpose::inference);

static_assert(near_names::edit_distance("", "abc") == 3);
static_assert(near_names::edit_distance("abc", "") == 3);
static_assert(near_names::edit_distance("kitten", "sitting") == 3);
static_assert(near_names::edit_distance("flaw", "lawn") == 2);
static_assert(near_names::edit_distance("ZB_H1", "zb-h1") == 0);

/// "zb-h1, zb-h2"
constexpr label near(std::string_view name) {
  label words;
  for (const std::string_view schedule : near_schedules(name)) {
    words << (words.empty() ? "" : ", ") << schedule;
  }
  return words;
}

static_assert(near("1f1").view() == "1f1b, eager-1f1b, 1f1b-v");
static_assert(near("ZB_H1").view() == "zb-h1");
static_assert(near("dapple").view() == "1f1b");
static_assert(near("dappel").view() == "1f1b");
static_assert(near("zb").view() == "zb-h1, zb-h2, zb-v, zb-list");
static_assert(near("PipeDream-flush").view() == "1f1b");
static_assert(near("z").empty() && near("").empty() && near("hanayo").empty());

static_assert(unknown_schedule("ghpipe").message().view() ==
              "the catalogue of schedules: expected the name of one of them, got \"ghpipe\". Hint: "
              "did you mean gpipe?");
static_assert(unknown_schedule("dualpip").hint.view() == "did you mean dualpipe or dualpipev?");
static_assert(unknown_schedule("hanayo").hint.empty() && unknown_schedule("hanayo").found());

constexpr bool equal(const program& left, const program& right) {
  if (left.devices != right.devices || left.stages != right.stages ||
      left.micro_batches != right.micro_batches || left.weights != right.weights ||
      left.actions.size() != right.actions.size() || left.slot.size() != right.slot.size()) {
    return false;
  }
  for (std::size_t i = 0; i < left.actions.size(); ++i) {
    if (left.actions[i] != right.actions[i]) {
      return false;
    }
  }
  for (std::size_t i = 0; i < left.device_of_stage.size(); ++i) {
    if (left.device_of_stage[i] != right.device_of_stage[i]) {
      return false;
    }
  }
  for (std::size_t i = 0; i < left.row_begin.size(); ++i) {
    if (left.row_begin[i] != right.row_begin[i]) {
      return false;
    }
  }
  return true;
}

/// The entry of a type, found by its name, does what the type does.
template <schedule_type Schedule>
void check_entry_of(int& checked) {
  const catalogue_entry* const entry = find_schedule(Schedule::name);
  INFO(std::string(Schedule::name));
  REQUIRE(entry != nullptr);
  const int devices = 4;
  const int stages = devices * entry->stages_a_device;
  const stage_graph graph =
      chain_stage_graph(stages, stage_cost{2, 3, 1}, output_use::forward_only, entry->copies);
  CHECK(equal(entry->make(devices, stages, 8), Schedule::make(devices, stages, 8)));
  CHECK(equal(entry->make_forward(devices, stages, 6), Schedule::make_forward(devices, stages, 6)));
  CHECK(equal(entry->make_for(devices, 8, graph.view()),
              make_program_for<Schedule>(devices, 8, graph.view(), purpose::training)));
  for (int micro_batches = 0; micro_batches < 10; ++micro_batches) {
    for (const purpose aim : {purpose::training, purpose::inference}) {
      CHECK(entry->allows(devices, stages, micro_batches, aim).message() ==
            Schedule::allows(devices, stages, micro_batches, aim).message());
    }
  }
  ++checked;
}

template <schedule_type... Schedules>
constexpr int check_entries() {
  int checked = 0;
  (check_entry_of<Schedules>(checked), ...);
  return checked;
}

constexpr stage_graph graph_for(const catalogue_entry& entry, int stages) {
  return chain_stage_graph(stages, stage_cost{2, 3, 1}, output_use::forward_only, entry.copies);
}

/// Proves what an entry makes of counts that it allows; 0 if it does not allow them.
int prove_entry(const catalogue_entry& entry, int devices, int each, int micro_batches) {
  const int stages = devices * each;
  int proven = 0;
  const stage_graph graph = graph_for(entry, stages);
  INFO(std::string(entry.name) << " on " << devices << " devices, " << stages << " stages, "
                               << micro_batches << " micro-batches");
  if (!entry.allows(devices, stages, micro_batches, entry.aim).found()) {
    const program rows = entry.make_for(devices, micro_batches, graph.view());
    const verdict found = prove(rows.view(), graph.view(), {}, entry.name);
    INFO(found.fault.message().characters);
    CHECK(found.proven());
    CHECK(rows.weights.copies == entry.copies);
    CHECK((rows.weights.update_interval == 0) == entry.synchronous);
    ++proven;
  }
  if (!entry.allows(devices, stages, micro_batches, purpose::inference).found()) {
    const program rows = entry.make_forward(devices, stages, micro_batches);
    CHECK(prove(rows.view(), graph.view(), {}, entry.name).proven());
    ++proven;
  }
  return proven;
}

constexpr checks test_2bw_by_devices() {
  checks done;
  done.that(equal(pipedream_2bw<>::make(4, 4, 8), pipedream_2bw<4>::make(4, 4, 8)));
  done.that(equal(pipedream_2bw<>::make(3, 3, 9), pipedream_2bw<3>::make(3, 3, 9)));
  done.that(pipedream_2bw<>::allows(4, 4, 6, purpose::training).hint.view() == "use 4 or 8");
  return done;
}

static_assert(test_2bw_by_devices());

}  // namespace

TEST_CASE("every entry does what its type does") {
  const int checked =
      check_entries<sequential_schedule, grouped, interleaved, gpipe, one_f_one_b,
                    eager_one_f_one_b, interleaved_one_f_one_b, looped_bfs, zb_h1, zb_h2,
                    interleaved_zero_bubble, zb_v, v_half, v_min, one_f_one_b_v, zero_bubble_list<>,
                    chimera, dualpipe, dualpipe_v, pipedream, pipedream_2bw<>, inference,
                    popart_implicit>();
  std::printf("checked %d entries against their types\n", checked);
  CHECK(checked == static_cast<int>(catalogue().size()));
}

TEST_CASE("PipeDream-2BW by devices has batches of as many micro-batches") {
  CHECK(test_2bw_by_devices());
}

TEST_CASE("every entry takes 4 devices and 8 micro-batches, and names no other entry") {
  int checked = 0;
  for (const catalogue_entry& entry : catalogue()) {
    INFO(std::string(entry.name));
    CHECK_FALSE(entry.allows(4, 4 * entry.stages_a_device, 8, entry.aim).found());
    CHECK((!entry.virtual_stages || !entry.allows(4, 12, 8, entry.aim).found()));
    for (const catalogue_entry& other : catalogue()) {
      CHECK((&entry == &other || entry.name != other.name));
      CHECK((&entry == &other || entry.summary != other.summary));
      CHECK(near_names::least_distance(entry.name, other.also) != 0);
      ++checked;
    }
  }
  std::printf("checked %d pairs of entries\n", checked);
  CHECK(checked > 0);
}

TEST_CASE("whatever an entry allows is proven") {
  int proven = 0;
  for (const catalogue_entry& entry : catalogue()) {
    int of_entry = 0;
    for (int devices = 1; devices <= 6; ++devices) {
      for (int each = 1; each <= 3; ++each) {
        for (int micro_batches = 1; micro_batches <= 13; ++micro_batches) {
          of_entry += prove_entry(entry, devices, each, micro_batches);
        }
      }
    }
    INFO(std::string(entry.name));
    CHECK(of_entry > 0);
    proven += of_entry;
  }
  std::printf("checked %d programs of the catalogue\n", proven);
  CHECK(proven > 0);
}
