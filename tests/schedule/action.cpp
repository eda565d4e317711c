// SPDX-License-Identifier: MIT
// Tests of schedule/action.hpp.
#include <string_view>

#include <ipu_dsl/schedule/action.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;
using kind = action_kind;

constexpr bool reads(const action& what, std::string_view words) {
  return describe(what).view() == words;
}

constexpr checks test_words() {
  checks done;
  done.that(reads({kind::forward, 2, 5}, "F2(5)"));
  done.that(reads({kind::weight_gradient, 0, 0}, "W0(0)"));
  done.that(reads({kind::update, 2, 0}, "U2"));
  done.that(reads({kind::update, 2, 1}, "U2(1)"));
  done.that(reads({kind::offload, 1, 3}, "O1(3)"));
  done.that(reads({kind::fetch, 1, 3}, "L1(3)"));
  done.that(reads(action(), "F0(0)"));
  done.that(letter(static_cast<kind>(action_kinds)) == '?');
  return done;
}

/// What a device does with one micro-batch, from the forward to the last half of the backward, adds
/// and takes the same.
constexpr checks test_stash() {
  checks done;
  int kept = 0;
  for (const kind next : {kind::forward, kind::offload, kind::fetch, kind::recompute,
                          kind::input_gradient, kind::weight_gradient, kind::update}) {
    kept += stash_change(next);
    done.that(kept == 0 || kept == 1);
  }
  done.that(kept == 0);
  done.that(stash_change(kind::forward) + stash_change(kind::backward) == 0);
  return done;
}

constexpr checks test_edges() {
  checks done;
  for (const kind next : {kind::forward, kind::backward, kind::input_gradient,
                          kind::weight_gradient, kind::recompute}) {
    done.that(uses_edges(next));
  }
  for (const kind next : {kind::update, kind::offload, kind::fetch}) {
    done.that(!uses_edges(next));
  }
  return done;
}

static_assert(test_words());
static_assert(test_stash());
static_assert(test_edges());

TEST_CASE("actions have short names") {
  CHECK(test_words());
}

TEST_CASE("what an action adds to the stash another takes, and some use edges") {
  CHECK(test_stash());
  CHECK(test_edges());
}

}  // namespace
