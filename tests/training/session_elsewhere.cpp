// SPDX-License-Identifier: MIT
#include "training/session_elsewhere.hpp"

#include "support/catch2.hpp"
#include "support/labelled_points.hpp"

using namespace ipu_dsl;

namespace {

template <typename Compiled>
std::uint64_t trained_weights() {
  session<Compiled> run({.learning_rate = 0.1F});
  const tests::point_set points = tests::labelled_points(64, 3);
  run.fit(points, {.epochs = 3});
  return run.weights().fingerprint();
}

}  // namespace

TEST_CASE("a session whose code is compiled elsewhere trains as one that is compiled here") {
  CHECK(trained_weights<tests::compiled_elsewhere>() == trained_weights<tests::compiled_here>());
}
