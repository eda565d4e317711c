// SPDX-License-Identifier: MIT
// Tests of graph/initializer.hpp: fans, and for which parameters an initialiser is.
#include <ipu_dsl/graph/initializer.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

constexpr bool fans_are(const shape& extents, std::int64_t inputs, std::int64_t outputs) {
  const fans found = fans_of(extents);
  return found.inputs == inputs && found.outputs == outputs;
}

/// What Keras's compute_fans says of these shapes.
constexpr checks test_fans() {
  checks done;
  done.that(fans_are({}, 1, 1));
  done.that(fans_are({7}, 7, 7));                   // a bias
  done.that(fans_are({784, 256}, 784, 256));        // Dense
  done.that(fans_are({1000, 16}, 1000, 16));        // Embedding
  done.that(fans_are({32, 32}, 32, 32));            // a recurrent kernel
  done.that(fans_are({5, 8, 16}, 40, 80));          // a convolution over one axis
  done.that(fans_are({3, 5, 8, 16}, 120, 240));     // over two
  done.that(fans_are({2, 3, 5, 8, 16}, 240, 480));  // over three
  done.that(fans_are({1 << 10, 1 << 10, 1 << 10, 1}, 1LL << 30, 1LL << 20));
  return done;
}

constexpr checks test_what_fits() {
  constexpr initializer orthogonal{initializer_kind::orthogonal, 1};
  constexpr initializer identity{initializer_kind::identity, 1};
  checks done;
  done.that(!check_start(orthogonal, {3, 4}).found());
  done.that(!check_start(orthogonal, {3, 3, 4, 5}).found());
  done.that(check_start(orthogonal, {4}).got.view() == "(4)");
  done.that(!check_start(identity, {3, 4}).found());
  done.that(check_start(identity, {4}).expected.view() == "2 extents to start as identity");
  done.that(check_start(identity, {3, 3, 4, 5}).found());
  done.that(!check_start({initializer_kind::scaled_uniform, 1}, {}).found());
  return done;
}

static_assert(test_fans());
static_assert(test_what_fits());

TEST_CASE("fans are Keras's, of parameters of every rank") {
  CHECK(test_fans());
}

TEST_CASE("orthogonal and identity want matrices") {
  CHECK(test_what_fits());
}

}  // namespace
