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

using namespace ipu_dsl;

namespace {

template <typename M>
std::vector<std::uint64_t> streams() {
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
  const std::vector<std::uint64_t> expected = streams<plain>();
  REQUIRE(expected.size() == 6);
  // Flatten, Dense, [Dropout, Dense, Dropout], the sum of the residual, Dense.
  const std::vector<std::uint64_t> staged_ones = streams<staged>();
  REQUIRE(staged_ones.size() == 7);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(staged_ones[i] == expected[i]);
  }
  CHECK(staged_ones[6] == expected[5]);
  const std::vector<std::uint64_t> inserted_ones = streams<inserted>();
  REQUIRE(inserted_ones.size() == 8);
  CHECK(inserted_ones[0] == expected[0]);
  CHECK(inserted_ones[2] == expected[1]);
  for (std::size_t i = 2; i < expected.size(); ++i) {
    CHECK(inserted_ones[i + 2] == expected[i]);
  }
}

TEST_CASE("parameters of one layer draw different numbers") {
  const std::uint64_t node = streams<plain>()[1];
  CHECK(stream_of_parameter(node, "kernel") != stream_of_parameter(node, "bias"));
  CHECK(stream_of_parameter(node, "kernel") != node);
}
