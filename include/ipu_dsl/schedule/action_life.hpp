// SPDX-License-Identifier: MIT
// What may happen to a micro-batch in a stage, and in which order.
#pragma once

#include <ipu_dsl/schedule/action.hpp>

namespace ipu_dsl::proof {

/// What each kind of action makes of what has happened to its micro-batch in its stage: bits that
/// must be there, bits that must not, bits that mean it stands there again, bits it sets and
/// clears.
struct life_rule {
  int needs;
  int refuses;
  int repeats;
  int sets;
  int clears;
};

inline constexpr int forward_done = 1;
inline constexpr int recompute_done = 2;
inline constexpr int backward_begun = 4;
inline constexpr int backward_ended = 8;
inline constexpr int offloaded = 16;
inline constexpr int fetched = 32;
inline constexpr int away = 64;

inline constexpr life_rule life_rules[action_kinds] = {
    {0, forward_done, forward_done, forward_done, 0},
    {forward_done, backward_begun | backward_ended | away, backward_begun | backward_ended,
     backward_begun | backward_ended, 0},
    {forward_done, backward_begun | away, backward_begun, backward_begun, 0},
    {backward_begun, backward_ended, backward_ended, backward_ended, 0},
    {forward_done, recompute_done | backward_begun | away, recompute_done, recompute_done, 0},
    {0, 0, 0, 0, 0},
    {forward_done, offloaded | backward_begun, offloaded, offloaded | away, 0},
    {away, 0, fetched, fetched, away},
};

}  // namespace ipu_dsl::proof
