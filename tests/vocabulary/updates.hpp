// SPDX-License-Identifier: MIT
// Compares an optimizer's updates with a reference in float64.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/kernels/arithmetic.hpp>
#include <ipu_dsl/kernels/update.hpp>

#include "support/catch2.hpp"

namespace ipu_dsl::tests {

inline constexpr std::size_t most_kept = 4;

/// One number of a parameter and what is kept beside it. A reference of an optimizer derives from
/// it: `void update(double gradient, double step)`, the first step being 1.
struct exact_number {
  double w = 0;
  double kept[most_kept] = {};
};

/// How far from a reference the numbers may be after an update, in roundings of what they are made
/// of, which is at most `scale`; the first is that of w.
struct update_tolerance {
  double roundings = 16;
  double scale[1 + most_kept] = {1, 1, 1, 1, 1};
};

/// In [-1, 1).
inline float drawn_number(std::uint64_t stream, std::uint64_t index) {
  return 2 * uniform_unit(random_word(11, stream, index)) - 1;
}

inline bool near(float got, double exact, double step, double scale,
                 const update_tolerance& allowed) {
  const double error = std::abs(static_cast<double>(got) - exact);
  return error <= step * allowed.roundings * 0x1p-24 * scale;
}

/// Twenty updates of some vectors of numbers by the kernel, of the same numbers one by one, and by
/// the reference. `begin` are the numbers kept before the first.
template <typename Rule, typename Exact, typename Settings>
void check_updates(const char* name, const Settings& settings, const Exact& begin,
                   const update_tolerance& allowed = {}) {
  constexpr int updates = 20;
  constexpr std::size_t elements = 4 * std::size_t{layout::native.lanes};
  constexpr std::size_t slots = std::size_t{Rule::kept};
  float w[elements] = {};
  float kept[most_kept][elements] = {};
  float single_w[elements] = {};
  float single_kept[elements][most_kept] = {};
  Exact exact[elements];
  for (std::size_t i = 0; i < elements; ++i) {
    w[i] = drawn_number(1, i);
    single_w[i] = w[i];
    exact[i] = begin;
    exact[i].w = static_cast<double>(w[i]);
    for (std::size_t slot = 0; slot < slots; ++slot) {
      kept[slot][i] = static_cast<float>(begin.kept[slot]);
      single_kept[i][slot] = kept[slot][i];
    }
  }
  kernels::updated_parameter<Rule::kept> of;
  of.parameter = w;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    of.kept[slot] = kept[slot];
  }
  std::size_t compared = 0;
  for (int step = 1; step <= updates; ++step) {
    const auto numbers = settings.numbers(static_cast<std::uint64_t>(step));
    float gradient[elements];
    for (std::size_t i = 0; i < elements; ++i) {
      gradient[i] = drawn_number(static_cast<std::uint64_t>(1 + step), i);
      Rule::template apply<kernels::arithmetic>(single_w[i], single_kept[i], gradient[i], numbers);
      exact[i].update(static_cast<double>(gradient[i]), step);
    }
    kernels::update_elements<Rule>(of, gradient, std::ptrdiff_t{elements}, numbers);
    CHECK(std::memcmp(w, single_w, sizeof(w)) == 0);
    for (std::size_t i = 0; i < elements; ++i) {
      INFO(name << ", update " << step << ", element " << i << ": " << w[i] << ", exactly "
                << exact[i].w);
      CHECK(near(w[i], exact[i].w, step, allowed.scale[0], allowed));
      for (std::size_t slot = 0; slot < slots; ++slot) {
        INFO("slot " << slot << ": " << kept[slot][i] << ", exactly " << exact[i].kept[slot]);
        CHECK(kept[slot][i] == single_kept[i][slot]);
        CHECK(near(kept[slot][i], exact[i].kept[slot], step, allowed.scale[1 + slot], allowed));
      }
      ++compared;
    }
  }
  CHECK(compared == std::size_t{updates} * elements);
  std::printf("%s: compared %d updates of %zu numbers\n", name, updates, elements);
}

/// Updates that meet nothing but zero leave it: padding stays what it is.
template <typename Rule, typename Settings>
void check_padding(const Settings& settings) {
  float w = 0;
  float kept[most_kept] = {};
  int checked = 0;
  for (std::uint64_t step = 1; step <= 3; ++step) {
    Rule::template apply<kernels::arithmetic>(w, kept, 0.0F, settings.numbers(step));
    CHECK(w == 0);
    for (const float number : kept) {
      CHECK(number == 0);
    }
    ++checked;
  }
  CHECK(checked == 3);
}

/// What is wrong with settings, as the session says it.
template <typename Settings>
std::string refusal_of(const Settings& settings) {
  const problem found = settings.fault();
  return found.found() ? std::string(found.message().view().substr(2)) : "nothing is refused";
}

}  // namespace ipu_dsl::tests
