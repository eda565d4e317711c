// SPDX-License-Identifier: MIT
// All schedules of the library in one list, for programs and people that choose by name.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include <ipu_dsl/catalogue/asynchronous.hpp>
#include <ipu_dsl/catalogue/best_of.hpp>
#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/catalogue/catalogue_entry.hpp>
#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/catalogue/inference.hpp>
#include <ipu_dsl/catalogue/list_scheduler.hpp>
#include <ipu_dsl/catalogue/looped.hpp>
#include <ipu_dsl/catalogue/v_blocks.hpp>
#include <ipu_dsl/catalogue/v_shape.hpp>
#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/near_names.hpp>
#include <ipu_dsl/schedule/schedules.hpp>

namespace ipu_dsl {

namespace catalogue_list {

inline constexpr catalogue_entry entries[] = {
    make_catalogue_entry<sequential_schedule>(
        {.summary = "one micro-batch in the machine at a time", .also = "sharded"}),
    make_catalogue_entry<grouped>(
        {.summary = "a backward and a forward of every device in each time slot",
         .also = "PipelineSchedule.Grouped"}),
    make_catalogue_entry<interleaved>(
        {.summary = "a forward on half of the devices and a backward on the others in each slot",
         .also = "PipelineSchedule.Interleaved"}),
    make_catalogue_entry<gpipe>(
        {.summary = "all forwards, then all backwards", .also = "fill-drain, torchgpipe"}),
    make_catalogue_entry<one_f_one_b>(
        {.summary = "as many forwards ahead as stages behind", .also = "PipeDream-flush, DAPPLE"}),
    make_catalogue_entry<eager_one_f_one_b>(
        {.summary = "1f1b with twice as many forwards ahead, which hides hops behind work",
         .also = "Eager1F1B, 1f1b_overlap_friendly"}),
    make_catalogue_entry<interleaved_one_f_one_b>(
        {.summary = "1f1b of virtual stages: several a device, and so shorter waits",
         .also = "VPP, looped DFS"}),
    make_catalogue_entry<looped_bfs>(
        {.summary = "virtual stages, every micro-batch through one before the next",
         .also = "breadth-first"}),
    make_catalogue_entry<zb_h1>(
        {.summary = "1f1b in which weight gradients fill waits, with the memory of 1f1b",
         .also = "ZB1P"}),
    make_catalogue_entry<zb_h2>(
        {.summary = "no wait within a device's span if F, I and W are equal, twice the memory",
         .also = "ZB2P"}),
    make_catalogue_entry<interleaved_zero_bubble>(
        {.summary = "interleaved 1f1b in which weight gradients fill waits",
         .also = "InterleavedZeroBubble"}),
    make_catalogue_entry<zb_v>(
        {.summary = "stages on a V: no wait within a span, with the memory of 1f1b",
         .also = "ZBVZeroBubble"}),
    make_catalogue_entry<v_half>({.summary = "stages on a V, half of the memory of 1f1b"}),
    make_catalogue_entry<v_min>(
        {.summary = "stages on a V, towards a third of the memory of 1f1b"}),
    make_catalogue_entry<one_f_one_b_v>(
        {.summary = "1f1b on a V, two thirds of its memory", .also = "V-1F1B"}),
    make_catalogue_entry<zero_bubble_list<>>(
        {.summary = "made for the costs at hand, the best of several heuristics",
         .also = "automatic zero bubble"}),
    make_catalogue_entry<chimera>(
        {.summary = "two pipes in opposite directions, each in the waits of the other"}),
    make_catalogue_entry<dualpipe>(
        {.summary = "two opposite pipes; a forward of one and a backward of the other are a step"}),
    make_catalogue_entry<dualpipe_v>(
        {.summary = "dualpipe cut in half: stages on a V, one copy of the weights",
         .also = "cut-in-half"}),
    make_catalogue_entry<pipedream>(
        {.summary = "1f1b without flush, an update after every backward",
         .also = "weight stashing",
         .synchronous = false}),
    make_catalogue_entry<pipedream_2bw<>>(
        {.summary = "1f1b without flush, batches of as many micro-batches as devices",
         .also = "double-buffered weights",
         .synchronous = false}),
    make_catalogue_entry<inference>(
        {.summary = "forward alone", .also = "forward-only", .aim = purpose::inference}),
    make_catalogue_entry<popart_implicit>(
        {.summary = "the reference's grouped order in the cycles of PopART",
         .also = "implicit pipelining"}),
};

}  // namespace catalogue_list

/// All schedules that need nothing but counts, and perhaps costs, to make a program: those of the
/// reference, those of the field with one stage a device, with virtual stages, without bubbles, on
/// a V, and with two copies of the weights; then what is asynchronous, and other systems' forms.
constexpr list_view<catalogue_entry> catalogue() {
  return catalogue_list::entries;
}

/// The schedule of this name, or null: `find_schedule("zb-h1")->make(4, 4, 8)`.
constexpr const catalogue_entry* find_schedule(std::string_view name) {
  for (const catalogue_entry& entry : catalogue()) {
    if (entry.name == name) {
      return &entry;
    }
  }
  return nullptr;
}

/// Schedules that `name` may stand for, nearest first and at most five: those with a name, here or
/// in the field, that is nearly it or begins with it. If it is one but for capitals or dashes, no
/// others.
constexpr list<std::string_view> near_schedules(std::string_view name) {
  constexpr std::size_t most = 5;
  list<std::string_view> names;
  list<int> distances;
  for (const catalogue_entry& entry : catalogue()) {
    const int own = near_names::distance(name, entry.name);
    const int others = near_names::least_distance(name, entry.also);
    const int distance = own < others ? own : others;
    if (distance == near_names::unrelated) {
      continue;
    }
    names.push_back(entry.name);
    distances.push_back(distance);
    for (std::size_t i = names.size() - 1; i > 0 && distances[i] < distances[i - 1]; --i) {
      std::swap(names[i], names[i - 1]);
      std::swap(distances[i], distances[i - 1]);
    }
  }
  std::size_t count = 0;
  while (count < names.size() && count < most && (distances[0] > 0 || distances[count] == 0)) {
    ++count;
  }
  names.resize(count);
  return names;
}

/// What to say of a name that `find_schedule` does not find.
constexpr problem unknown_schedule(std::string_view name) {
  problem found;
  found.where = "the catalogue of schedules";
  found.expected = "the name of one of them";
  found.got << '"' << name << '"';
  const list<std::string_view> alike = near_schedules(name);
  for (std::size_t i = 0; i < alike.size(); ++i) {
    found.hint << (i == 0 ? "did you mean " : i + 1 == alike.size() ? " or " : ", ") << alike[i];
  }
  if (!alike.empty()) {
    found.hint << "?";
  }
  return found;
}

}  // namespace ipu_dsl
