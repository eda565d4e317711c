// SPDX-License-Identifier: MIT
// Every single change of the catalogue's programs, and every program under random costs and slots:
// judged and timed as an independent simulation judges and times them.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ipu_dsl/catalogue/asynchronous.hpp>
#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/catalogue/inference.hpp>
#include <ipu_dsl/catalogue/list_scheduler.hpp>
#include <ipu_dsl/catalogue/looped.hpp>
#include <ipu_dsl/catalogue/v_blocks.hpp>
#include <ipu_dsl/catalogue/v_shape.hpp>
#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/schedule/facts.hpp>
#include <ipu_dsl/schedule/proof.hpp>
#include <ipu_dsl/schedule/schedules.hpp>
#include <ipu_dsl/schedule/timeline.hpp>

#include "schedule/oracle.hpp"
#include "schedule/simulation.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

using kind = action_kind;

struct named_program {
  std::string name;
  program rows;
};

template <typename Schedule>
named_program of(int devices, int stages, int micro_batches) {
  REQUIRE_FALSE(Schedule::allows(devices, stages, micro_batches, purpose::training).found());
  return {std::string(Schedule::name), Schedule::make(devices, stages, micro_batches)};
}

/// GPipe with the first device's activations offloaded between forward and backward, and the second
/// device's recomputed.
named_program saving_memory() {
  program rows = gpipe::make(3, 3, 3);
  oracle::row_table table = oracle::rows_of(rows);
  table[0] = {{kind::forward, 0, 0},  {kind::offload, 0, 0}, {kind::forward, 0, 1},
              {kind::offload, 0, 1},  {kind::forward, 0, 2}, {kind::fetch, 0, 0},
              {kind::backward, 0, 0}, {kind::fetch, 0, 1},   {kind::backward, 0, 1},
              {kind::backward, 0, 2}, {kind::update, 0, 0}};
  table[1] = {{kind::forward, 1, 0},   {kind::forward, 1, 1},  {kind::forward, 1, 2},
              {kind::recompute, 1, 0}, {kind::backward, 1, 0}, {kind::input_gradient, 1, 1},
              {kind::recompute, 1, 2}, {kind::backward, 1, 2}, {kind::weight_gradient, 1, 1},
              {kind::update, 1, 0}};
  return {"saving-memory", oracle::program_of(table, rows)};
}

/// 1F1B with every micro-batch recomputed.
named_program recomputing() {
  const program rows = one_f_one_b::make(3, 3, 4);
  oracle::row_table table;
  for (const std::vector<action>& row : oracle::rows_of(rows)) {
    table.emplace_back();
    for (const action& what : row) {
      if (what.kind == kind::backward) {
        table.back().push_back({kind::recompute, what.stage, what.micro_batch});
      }
      table.back().push_back(what);
    }
  }
  return {"recomputing", oracle::program_of(table, rows)};
}

/// Two pipes in opposite directions that update after every micro-batch.
named_program updating_copies() {
  program rows(2, mirrored_placement(2), 3);
  rows.weights = {.copies = 2, .update_interval = 1};
  for (const int first : {0, 2}) {
    const int second = 3 - first;
    for (int i = 0; i < 3; ++i) {
      rows.put(kind::forward, first, i);
      rows.put(kind::forward, second, i);
      rows.put(kind::backward, second, i);
      rows.put(kind::backward, first, i);
      rows.put(kind::update, first, i);
      rows.put(kind::update, second, i);
    }
    rows.end_row();
  }
  return {"updating copies", rows};
}

/// The catalogue as small as its constraints let it be, but for three devices and four
/// micro-batches.
std::vector<named_program> catalogue() {
  return {
      {"grouped", grouped::make(3, 3, 4)},
      {"interleaved", interleaved::make(3, 3, 4)},
      {"sequential", sequential_schedule::make(3, 3, 4)},
      {"grouped, two stages a device", grouped::make(2, 4, 4)},
      {"grouped, forward", grouped::make_forward(3, 3, 4)},
      saving_memory(),
      recomputing(),
      of<gpipe>(3, 3, 4),
      of<one_f_one_b>(3, 3, 4),
      of<eager_one_f_one_b>(3, 3, 4),
      of<fill<3, 1, 1>>(3, 3, 4),
      of<popart_implicit>(3, 3, 5),
      of<pipedream>(3, 3, 4),
      of<pipedream_2bw<3>>(3, 3, 9),
      of<zb_h1>(3, 3, 4),
      of<zb_h2>(3, 3, 4),
      of<interleaved_one_f_one_b>(3, 6, 4),
      of<interleaved_one_f_one_b_grouped<3>>(3, 6, 6),
      of<looped_bfs>(3, 6, 4),
      of<interleaved_zero_bubble>(3, 6, 4),
      of<zb_v>(3, 6, 4),
      of<v_half>(3, 6, 4),
      of<v_min>(3, 6, 4),
      of<one_f_one_b_v>(3, 6, 4),
      of<dualpipe_v>(2, 4, 4),
      of<chimera>(4, 8, 4),
      of<dualpipe>(4, 8, 8),
      updating_copies(),
      of<zero_bubble_list<0>>(3, 3, 4),
      of<zero_bubble_list<2>>(3, 3, 4),
      of<zero_bubble_list<4>>(2, 4, 4),
  };
}

/// A chain with costs that differ from stage to stage and kind to kind, and a hop.
stage_graph uneven_graph(const program& rows) {
  list<stage_cost> costs;
  for (int stage = 0; stage < rows.stages; ++stage) {
    costs.push_back({.forward = 3 + 2 * (stage % 3),
                     .input_gradient = 2 + stage % 5,
                     .weight_gradient = 1 + 3 * (stage % 2),
                     .update = stage % 3,
                     .offload = 1 + stage % 2,
                     .stash_bytes = 10 + stage});
  }
  stage_graph graph =
      chain_stage_graph(rows.stages, costs, output_use::own_backward, rows.weights.copies);
  graph.hop = 2;
  return graph;
}

/// What the proof says, at compile time, of a program with a change.
struct planted {
  schedule_fault kind;
  int device;
  int position;
  action at = {};

  friend constexpr bool operator==(const planted&, const planted&) = default;
};

template <typename Change>
constexpr planted fault_after(const program& from, const Change& change) {
  program rows = from;
  rows.slot = {};
  change(rows);
  const stage_graph graph = chain_stage_graph(rows.stages);
  const verdict found = prove(rows.view(), graph.view());
  return {found.kind, found.device, found.position, found.at};
}

/// Leaves out, or puts in, one action of the row of a device.
constexpr void drop(program& rows, int device, int position) {
  const int lost = rows.row_begin[static_cast<std::size_t>(device)] + position;
  list<action> kept;
  for (int i = 0; i < static_cast<int>(rows.actions.size()); ++i) {
    if (i != lost) {
      kept.push_back(rows.actions[static_cast<std::size_t>(i)]);
    }
  }
  rows.actions = kept;
  for (int later = device + 1; later <= rows.devices; ++later) {
    --rows.row_begin[static_cast<std::size_t>(later)];
  }
}

constexpr void repeat(program& rows, int device, int position) {
  const int twice = rows.row_begin[static_cast<std::size_t>(device)] + position;
  list<action> more;
  for (int i = 0; i < static_cast<int>(rows.actions.size()); ++i) {
    more.push_back(rows.actions[static_cast<std::size_t>(i)]);
    if (i == twice) {
      more.push_back(rows.actions[static_cast<std::size_t>(i)]);
    }
  }
  rows.actions = more;
  for (int later = device + 1; later <= rows.devices; ++later) {
    ++rows.row_begin[static_cast<std::size_t>(later)];
  }
}

constexpr void swap_in_row(program& rows, int device, int first, int second) {
  const auto begin = static_cast<std::size_t>(rows.row_begin[static_cast<std::size_t>(device)]);
  action& left = rows.actions[begin + static_cast<std::size_t>(first)];
  action& right = rows.actions[begin + static_cast<std::size_t>(second)];
  const action kept = left;
  left = right;
  right = kept;
}

// Device 2 of grouped: F2(0) B2(0) F2(1) B2(1) ...; device 1: F1(0) F1(1) F1(2) B1(0) F1(3) ...
static_assert(fault_after(grouped::make(3, 3, 4), [](program&) {}).kind == schedule_fault::none);
static_assert(fault_after(grouped::make(3, 3, 4), [](program& rows) {
                swap_in_row(rows, 2, 2, 3);
              }) == planted{schedule_fault::out_of_order, 2, 2, {kind::backward, 2, 1}});
static_assert(fault_after(grouped::make(3, 3, 4), [](program& rows) {
                swap_in_row(rows, 1, 2, 8);
              }) == planted{schedule_fault::early_update, 1, 2, {kind::update, 1, 0}});
static_assert(fault_after(grouped::make(3, 3, 4), [](program& rows) { drop(rows, 1, 3); }) ==
              planted{schedule_fault::missing, 1, -1, {kind::backward, 1, 0}});
static_assert(fault_after(grouped::make(3, 3, 4), [](program& rows) { drop(rows, 2, 8); }) ==
              planted{schedule_fault::missing, 2, -1, {kind::update, 2, 0}});
static_assert(fault_after(grouped::make(3, 3, 4), [](program& rows) { repeat(rows, 1, 3); }) ==
              planted{schedule_fault::twice, 1, 4, {kind::backward, 1, 0}});
// Device 2 of 1F1B asks for its last forward before the backward that the others need to get there.
static_assert(fault_after(one_f_one_b::make(3, 3, 4), [](program& rows) {
                swap_in_row(rows, 2, 1, 6);
              }) == planted{schedule_fault::deadlock, 0, 3, {kind::backward, 0, 0}});
// Device 1 of ZB-H1: F1(0) I1(0) F1(1) I1(1) W1(0) W1(1).
static_assert(fault_after(zb_h1::make(2, 2, 2), [](program& rows) {
                swap_in_row(rows, 1, 1, 4);
              }) == planted{schedule_fault::out_of_order, 1, 1, {kind::weight_gradient, 1, 0}});

/// Numbers that look random and are the same everywhere (Knuth's linear congruential generator).
class chance {
 public:
  explicit chance(int seed) : state_(static_cast<std::uint64_t>(seed) * 977 + 1) {}

  int below(int limit) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<int>((state_ >> 33) % static_cast<std::uint64_t>(limit));
  }

 private:
  std::uint64_t state_;
};

/// An edge between two stages of a pipe: what is written on the way there is read by any of the
/// steps of a later stage, what is written on the way back by those of an earlier one.
void add_random_edge(stage_graph& graph, const program& rows, chance& random) {
  const int length = rows.stages / rows.weights.copies;
  const int pipe = random.below(rows.weights.copies) * length;
  const int early = random.below(length - 1);
  const int late = early + 1 + random.below(length - 1 - early);
  const bool back = random.below(2) == 0;
  const step writer{pipe + (back ? late : early), back ? kind::backward : kind::forward};
  graph.add_edge(writer);
  for (const kind reads : {kind::backward, kind::forward, kind::recompute, kind::input_gradient,
                           kind::weight_gradient}) {
    if (random.below(2) == 0 && !(back && reads == kind::forward)) {
      graph.read_by(pipe + (back ? early : late), reads);
    }
  }
  if (random.below(3) == 0) {
    graph.read_by(writer.stage, kind::weight_gradient);
  }
}

/// Part of a chain with any costs and hop, and edges that skip stages.
stage_graph random_graph(const program& rows, chance& random) {
  list<stage_cost> costs;
  for (int stage = 0; stage < rows.stages; ++stage) {
    costs.push_back({random.below(20), random.below(20), random.below(20), random.below(3),
                     random.below(5), random.below(9)});
  }
  const output_use use = random.below(2) == 0 ? output_use::own_backward : output_use::forward_only;
  const stage_graph chain = chain_stage_graph(rows.stages, costs, use, rows.weights.copies);
  stage_graph graph = {
      .stages = rows.stages, .edges = {}, .readers = {}, .costs = costs, .hop = random.below(4)};
  const int kept = 1 + random.below(4);
  for (const edge& link : chain.edges) {
    if (random.below(4) < kept) {
      graph.add_edge(link.writer, link.bytes);
      for (const step& reader : chain.view().readers_of(link)) {
        graph.read_by(reader.stage, reader.kind);
      }
    }
  }
  for (int count = random.below(5); count > 0; --count) {
    add_random_edge(graph, rows, random);
  }
  return graph;
}

/// At least this many slots on every edge.
list<int> random_slots(const stage_graph& graph, int least, int most, chance& random) {
  list<int> slots;
  for (std::size_t link = 0; link < graph.edges.size(); ++link) {
    slots.push_back(least + random.below(most - least + 1));
  }
  return slots;
}

/// Exchanges two neighbours, moves an action a little, or joins it to the next one or parts them.
void disturb(std::vector<action>& row, chance& random) {
  const int size = static_cast<int>(row.size());
  const auto at = static_cast<std::size_t>(random.below(size - 1));
  switch (random.below(3)) {
    case 0:
      std::swap(row[at], row[at + 1]);
      break;
    case 1: {
      const action moved = row[at];
      row.erase(row.begin() + static_cast<std::ptrdiff_t>(at));
      const int there = static_cast<int>(at) + random.below(5) - 2;
      row.insert(row.begin() + std::clamp(there, 0, size - 1), moved);
      break;
    }
    default:
      row[at].joined = !row[at].joined;
      break;
  }
}

/// How programs were judged, and by which fault.
struct tally {
  int legal = 0;
  int caught = 0;
  std::map<schedule_fault, int> faults;

  void add(const tally& more) {
    legal += more.legal;
    caught += more.caught;
    for (const auto& [fault, times] : more.faults) {
      faults[fault] += times;
    }
  }
};

/// Everything that a disagreement is about.
std::string words_of(const program& rows, const stage_graph& graph, std::span<const int> slots) {
  std::string words;
  for (std::size_t link = 0; link < graph.edges.size(); ++link) {
    const edge& each = graph.edges[link];
    words += std::string(1, letter(each.writer.kind)) + std::to_string(each.writer.stage) + " ->";
    for (const step& reader : graph.view().readers_of(each)) {
      words += std::string(" ") + letter(reader.kind) + std::to_string(reader.stage);
    }
    words += ", " + std::to_string(slots.empty() ? rows.micro_batches : slots[link]) + " slots\n";
  }
  for (int device = 0; device < rows.devices; ++device) {
    for (const action& what : rows.view().row(device)) {
      words += std::string(describe(what).view()) + (what.joined ? "&" : "") + " ";
    }
    words += "\n";
  }
  return words;
}

void compare_times(const program& rows, const stage_graph& graph, std::span<const int> slots,
                   const oracle::outcome& expected) {
  const list<timed_action> timeline = asynchronous_timeline(rows.view(), graph.view(), slots);
  bool same = timeline.size() == expected.times.size() &&
              facts_of(rows.view(), timeline).makespan == expected.makespan;
  for (std::size_t i = 0; same && i < timeline.size(); ++i) {
    same =
        timeline[i].start == expected.times[i].first && timeline[i].end == expected.times[i].second;
  }
  if (!same) {
    FAIL(words_of(rows, graph, slots) << "takes other times");
  }
}

/// One program: the same verdict at the same place, or the same times and makespan.
void compare(const program& rows, const stage_graph& graph, std::span<const int> slots,
             tally& count, const oracle::limits& kept = {}) {
  list<int> stash;
  for (const std::int64_t limit : kept.micro_batches) {
    stash.push_back(static_cast<int>(limit));
  }
  const proof_limits limits = {stash, kept.bytes};
  const verdict found = prove(rows.view(), graph.view(), slots, "mine", limits);
  const oracle::outcome expected = oracle::judge(rows.view(), graph.view(), slots, kept);
  if (found.kind != expected.kind || found.device != expected.device ||
      found.position != expected.position || found.at != expected.at) {
    INFO(words_of(rows, graph, slots) << found.fault.message().view());
    CHECK(static_cast<int>(found.kind) == static_cast<int>(expected.kind));
    CHECK(found.device == expected.device);
    CHECK(found.position == expected.position);
    CHECK(describe(found.at).view() == describe(expected.at).view());
    REQUIRE(found.at == expected.at);
    FAIL("not the same verdict");
  }
  if (found.proven()) {
    ++count.legal;
    compare_times(rows, graph, slots, expected);
  } else {
    ++count.caught;
    ++count.faults[found.kind];
  }
}

/// Exchanges two actions; what is joined stays where it is.
void exchange(action& left, action& right) {
  std::swap(left, right);
  std::swap(left.joined, right.joined);
}

class mutated {
 public:
  explicit mutated(const program& from)
      : from_(from), graph_(uneven_graph(from)), base_(oracle::rows_of(from)) {}

  tally swapped() {
    tally count;
    for (std::size_t device = 0; device < base_.size(); ++device) {
      for (std::size_t i = 0; i < base_[device].size(); ++i) {
        for (std::size_t j = i + 1; j < base_[device].size(); ++j) {
          oracle::row_table table = base_;
          exchange(table[device][i], table[device][j]);
          judge(table, count);
        }
      }
    }
    return count;
  }

  tally swapped_across_rows() {
    tally count;
    for (std::size_t device = 0; device < base_.size(); ++device) {
      for (std::size_t other = device + 1; other < base_.size(); ++other) {
        for (std::size_t i = 0; i < base_[device].size(); ++i) {
          for (std::size_t j = 0; j < base_[other].size(); ++j) {
            oracle::row_table table = base_;
            exchange(table[device][i], table[other][j]);
            judge(table, count);
          }
        }
      }
    }
    return count;
  }

  tally dropped() {
    tally count;
    for (std::size_t device = 0; device < base_.size(); ++device) {
      for (std::size_t i = 0; i < base_[device].size(); ++i) {
        oracle::row_table table = base_;
        table[device].erase(table[device].begin() + static_cast<std::ptrdiff_t>(i));
        judge(table, count);
      }
    }
    return count;
  }

  tally doubled() {
    tally count;
    for (std::size_t device = 0; device < base_.size(); ++device) {
      for (std::size_t i = 0; i < base_[device].size(); ++i) {
        for (std::size_t at = 0; at <= base_[device].size(); ++at) {
          oracle::row_table table = base_;
          table[device].insert(table[device].begin() + static_cast<std::ptrdiff_t>(at),
                               base_[device][i]);
          judge(table, count);
        }
      }
    }
    return count;
  }

  /// Every action joined to the next one, or parted from it.
  tally joined() {
    tally count;
    for (std::size_t device = 0; device < base_.size(); ++device) {
      for (std::size_t i = 0; i < base_[device].size(); ++i) {
        oracle::row_table table = base_;
        table[device][i].joined = !table[device][i].joined;
        judge(table, count);
      }
    }
    return count;
  }

  /// Every action as every other kind, and one stage or micro-batch off.
  tally renamed() {
    tally count;
    for (std::size_t device = 0; device < base_.size(); ++device) {
      for (std::size_t i = 0; i < base_[device].size(); ++i) {
        for (int other = 0; other < action_kinds; ++other) {
          oracle::row_table table = base_;
          table[device][i].kind = static_cast<kind>(other);
          if (table != base_) {
            judge(table, count);
          }
        }
        for (const int step : {-1, 1}) {
          oracle::row_table table = base_;
          table[device][i].stage += step;
          judge(table, count);
          table = base_;
          table[device][i].micro_batch += step;
          judge(table, count);
        }
      }
    }
    return count;
  }

 private:
  void judge(const oracle::row_table& table, tally& count) {
    const program rows = oracle::program_of(table, from_);
    compare(rows, graph_, {}, count);
    // As many slots as it takes to let most of them through.
    compare(rows, graph_, random_slots(graph_, 2, 2 * rows.micro_batches, chance_), count);
  }

  const program& from_;
  stage_graph graph_;
  oracle::row_table base_;
  chance chance_{1};
};

}  // namespace

TEST_CASE("every single change of the catalogue is judged as the simulation judges it") {
  tally all;
  for (const named_program& each : catalogue()) {
    INFO(each.name);
    tally sound;
    compare(each.rows, uneven_graph(each.rows), {}, sound);
    REQUIRE(sound.legal == 1);
    mutated changes(each.rows);
    const tally swapped = changes.swapped();
    const tally across = changes.swapped_across_rows();
    const tally dropped = changes.dropped();
    const tally doubled = changes.doubled();
    const tally joined = changes.joined();
    const tally renamed = changes.renamed();
    std::printf(
        "checked %s: swaps caught %d legal %d, across rows %d, drops %d, duplicates %d, "
        "joins caught %d legal %d, other names caught %d legal %d\n",
        each.name.c_str(), swapped.caught, swapped.legal, across.caught, dropped.caught,
        doubled.caught, joined.caught, joined.legal, renamed.caught, renamed.legal);
    CHECK(swapped.caught > 0);
    CHECK(swapped.legal > 0);
    CHECK(across.caught > 0);
    CHECK(across.legal == 0);
    CHECK(dropped.caught > 0);
    CHECK(doubled.caught > 0);
    CHECK(doubled.legal == 0);
    CHECK(joined.caught + joined.legal > 0);
    CHECK(renamed.caught > 0);
    for (const tally& part : {swapped, across, dropped, doubled, joined, renamed}) {
      all.add(part);
    }
  }
  std::printf("checked %d changes: %d legal", all.legal + all.caught, all.legal);
  constexpr std::pair<schedule_fault, const char*> faults[] = {
      {schedule_fault::unknown, "unknown"},
      {schedule_fault::misplaced, "misplaced"},
      {schedule_fault::twice, "twice"},
      {schedule_fault::out_of_order, "out of order"},
      {schedule_fault::early_update, "early update"},
      {schedule_fault::no_version, "no version"},
      {schedule_fault::missing, "missing"},
      {schedule_fault::deadlock, "deadlock"},
  };
  for (const auto& [fault, name] : faults) {
    std::printf(", %d %s", all.faults[fault], name);
    INFO(name);
    CHECK(all.faults[fault] > 0);
  }
  std::printf("\n");
}

TEST_CASE("random costs, hops, edges and slots are judged and timed as the simulation does it") {
  tally all;
  for (const named_program& each : catalogue()) {
    tally count;
    for (int seed = 0; seed < 100; ++seed) {
      chance random(seed);
      const stage_graph graph = random_graph(each.rows, random);
      const int most = each.rows.micro_batches;
      const list<int> slots = random_slots(graph, 1 + seed % most, most, random);
      INFO(each.name << " seed " << seed);
      compare(each.rows, graph, slots, count);
    }
    INFO(each.name);
    CHECK(count.legal > 0);
    all.add(count);
  }
  std::printf("checked %d runs with random costs and slots: %d stuck, %d timed\n",
              all.caught + all.legal, all.caught, all.legal);
  CHECK(all.faults[schedule_fault::deadlock] > 0);
  CHECK(all.faults[schedule_fault::deadlock] == all.caught);
}

TEST_CASE("programs far from the catalogue's are judged as the simulation judges them") {
  tally all;
  for (const named_program& each : catalogue()) {
    tally count;
    for (int seed = 0; seed < 300; ++seed) {
      chance random(seed);
      const stage_graph graph = random_graph(each.rows, random);
      oracle::row_table table = oracle::rows_of(each.rows);
      for (int changes = random.below(4); changes >= 0; --changes) {
        disturb(table[static_cast<std::size_t>(random.below(each.rows.devices))], random);
      }
      const int most = each.rows.micro_batches;
      const list<int> slots = random_slots(graph, 1 + seed % most, most, random);
      oracle::limits kept;
      for (int device = 0; seed % 3 == 0 && device < each.rows.devices; ++device) {
        kept.micro_batches.push_back(2 + random.below(2 * most));
        kept.bytes.push_back(random.below(24 * most));
      }
      INFO(each.name << " seed " << seed);
      compare(oracle::program_of(table, each.rows), graph, slots, count, kept);
    }
    INFO(each.name);
    CHECK(count.caught > 0);
    CHECK(count.legal > 0);
    all.add(count);
  }
  std::printf(
      "checked %d disturbed programs: %d deadlocks, %d memory, %d other faults, %d timed\n",
      all.caught + all.legal, all.faults[schedule_fault::deadlock],
      all.faults[schedule_fault::memory],
      all.caught - all.faults[schedule_fault::deadlock] - all.faults[schedule_fault::memory],
      all.legal);
  CHECK(all.faults[schedule_fault::deadlock] > 0);
  CHECK(all.faults[schedule_fault::memory] > 0);
}
