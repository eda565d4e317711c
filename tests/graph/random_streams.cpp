// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <set>
#include <vector>

#include <ipu_dsl/graph/random_streams.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

template <typename M>
constexpr std::vector<std::uint64_t> streams() {
  const list<std::uint64_t> found = streams_of_nodes(graph_of<M>);
  return {found.data(), found.data() + found.size()};
}

struct plain : model<input<4, 4>, sequential<Flatten, Dense<8>, Dropout<0.5F>, Dense<8>,
                                             Dropout<0.5F>, named<"last", Dense<3>>>> {};

struct staged : model<input<4, 4>, pipeline<stage<Flatten, Dense<8>>,
                                            stage<residual<Dropout<0.5F>, Dense<8>, Dropout<0.5F>>>,
                                            stage<named<"last", Dense<3>>>>> {};

struct inserted
    : model<input<4, 4>, sequential<Flatten, named<"new", Dense<8>>, Dense<8>, relu, Dropout<0.5F>,
                                    Dense<8>, Dropout<0.5F>, named<"last", Dense<3>>>> {};

/// A layer that is followed by another within itself has two nodes.
struct activated : model<input<16>, sequential<Dense<8, softmax>, Dense<8, softmax>>> {};

constexpr checks test_independent_streams() {
  checks done;
  const std::vector<std::uint64_t> expected = streams<plain>();
  done.that(expected.size() == 6);
  // Flatten, Dense, [Dropout, Dense, Dropout], the sum of the residual, Dense.
  const std::vector<std::uint64_t> staged_ones = streams<staged>();
  done.that(staged_ones.size() == 7);
  for (std::size_t i = 0; i < 5; ++i) {
    done.that(staged_ones[i] == expected[i]);
  }
  done.that(staged_ones[6] == expected[5]);
  const std::vector<std::uint64_t> inserted_ones = streams<inserted>();
  done.that(inserted_ones.size() == 8);
  done.that(inserted_ones[0] == expected[0]);
  done.that(inserted_ones[2] == expected[1]);
  for (std::size_t i = 2; i < expected.size(); ++i) {
    done.that(inserted_ones[i + 2] == expected[i]);
  }
  return done;
}

static_assert(test_independent_streams());

constexpr checks test_parameters_of_one_layer() {
  checks done;
  const std::uint64_t node = streams<plain>()[1];
  done.that(stream_of_parameter(node, "kernel") != stream_of_parameter(node, "bias"));
  done.that(stream_of_parameter(node, "kernel") != node);
  return done;
}

static_assert(test_parameters_of_one_layer());

}  // namespace

TEST_CASE("every node has a stream of its own") {
  std::size_t checked = 0;
  for (const std::vector<std::uint64_t>& found :
       {streams<plain>(), streams<staged>(), streams<inserted>(), streams<activated>()}) {
    CHECK(std::set<std::uint64_t>(found.begin(), found.end()).size() == found.size());
    checked += found.size();
  }
  CHECK(checked > 20);
  std::printf("checked %zu streams\n", checked);
}

TEST_CASE(
    "streams do not depend on stages, combinators and what has a name or is of another kind") {
  CHECK(test_independent_streams());
}

TEST_CASE("parameters of one layer draw different numbers") {
  CHECK(test_parameters_of_one_layer());
}
