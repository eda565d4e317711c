// SPDX-License-Identifier: MIT
// Declarations that are not true are found.
#include <cstdio>

#include "support/catch2.hpp"
#include "training/mutated.hpp"
#include "training/tile_models.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

TEST_CASE("declarations of all families that are shifted or taken away are found") {
  int found = check_mutations<tiled<branching, from_scores, 2>>();
  found +=
      check_mutations<tiled<convolutions, from_scores, 2, sgd<momentum>, sequential_schedule>>();
  found += check_mutations<tiled<convolution_kinds, from_scores, 2>>();
  found += check_mutations<tiled<recurrent, from_scores, 2, sgd<momentum>, sequential_schedule>>();
  found += check_mutations<tiled<gated, from_scores, 2, sgd<momentum>, sequential_schedule>>();
  found += check_mutations<tiled<pooled_windows, from_scores, 2>>();
  found += check_mutations<tiled<moved_numbers, from_scores, 2>>();
  found += check_mutations<tiled<of_words, from_scores, 2, sgd<momentum>, sequential_schedule>>();
  found += check_mutations<tiled<images, on_probabilities, 2>>();
  found += check_mutations<tiled<channels, from_scores, 2>>();
  found += check_mutations<tiled<odd_extents, from_scores, 2, sgd<>, replicas<2>>>();
  std::printf("found %d wrong declarations\n", found);
}
