// SPDX-License-Identifier: MIT
#include <ipu_dsl/data/columns.hpp>
#include <ipu_dsl/data/input_of.hpp>
#include <ipu_dsl/data/paired_dataset.hpp>
#include <ipu_dsl/data/zipped_dataset.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

using digits = labelled_dataset<shape{28, 28}, 10>;
using homes = zipped_dataset<feature_column<shape{5}>, index_column<shape{3}, 9>,
                             byte_column<shape{4, 4}>, target_column<shape{1}>>;

template <typename Input>
constexpr bool is(const shape& extents, dtype type) {
  return Input::given.fault == nullptr && Input::extents == extents && Input::type == type;
}

static_assert(is<input_of<digits>>({28, 28}, dtype::float32));
static_assert(is<input_of<const digits&>>({28, 28}, dtype::float32));
static_assert(is<input_of<byte_samples<shape{28, 28}, 10>>>({28, 28}, dtype::uint8));
static_assert(is<input_of<paired_dataset<{20}, {2}>>>({20}, dtype::float32));
static_assert(is<input_of<feature_column<shape{5}>>>({5}, dtype::float32));
static_assert(is<input_of<homes>>({5}, dtype::float32));
static_assert(is<input_of<homes, 1>>({3}, dtype::int32));
static_assert(is<input_of<homes, 2>>({4, 4}, dtype::uint8));
static_assert(is<input_of<transformed<digits>>>({28, 28}, dtype::float32));

static_assert(input_of<homes, 3>::given.fault->expected.view() == "the number of an input below 3");
static_assert(input_of<int>::given.fault->got.view() == "int");
static_assert(input_of<label_column<4>>::given.fault->expected.view() ==
              "a data set, or data of one input");

}  // namespace

TEST_CASE("data say the input of their model") {
  const digits none;
  const auto order = none | shuffled(10) | repeated();
  CHECK(is<input_of<decltype(order)>>({28, 28}, dtype::float32));
  CHECK(input_of<homes, 3>::given.fault->got.view() == "3");
}
