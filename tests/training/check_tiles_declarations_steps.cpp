// SPDX-License-Identifier: MIT
// Declarations of layers at every step, of masks and of what normalises and attends that are not
// true are found.
#include <cstdio>

#include "support/catch2.hpp"
#include "training/mutated.hpp"
#include "training/tile_models.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

TEST_CASE("declarations of what knows steps that are shifted or taken away are found") {
  int found = check_mutations<tiled<passed_over, from_scores, 2>>();
  found += check_mutations<tiled<at_every_step, from_scores, 2>>();
  // The first query of a causal attention attends to itself alone: who does not write its gradient,
  // which is zero, is not told from who does.
  found += check_mutations<tiled<normalized<false>, from_scores, 2>>();
  found += check_mutations<tiled<told_attention, from_scores, 2>>();
  std::printf("found %d wrong declarations of what knows steps\n", found);
}
