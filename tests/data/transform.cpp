// SPDX-License-Identifier: MIT
// Tests of data/transform.hpp.
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/data/transform.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using points = labelled_dataset<shape{1}, 2, float>;

template <typename Data>
concept can_be_transformed = requires(Data&& data) { std::forward<Data>(data) | repeated(); };

static_assert(can_be_transformed<const points&>);
static_assert(can_be_transformed<points&>);
static_assert(can_be_transformed<transformed<points>>);
static_assert(std::same_as<decltype(std::declval<points>() | repeated() | take(1)),
                           owned_transformed<points>>);
static_assert(std::same_as<decltype(std::declval<int&>() | repeated()), refused_data>);

TEST_CASE("steps are kept in the order they are written") {
  const points data;
  const transformed<points> order = data | shuffled(10) | take(3) | repeated();
  CHECK(order.data == &data);
  REQUIRE(order.steps.size() == 3);
  CHECK(order.steps[0] == shuffled(10));
  CHECK(order.steps[1] == take(3));
  CHECK(order.steps[2] == repeated());
}

TEST_CASE("length_after follows tf.data's cardinality") {
  constexpr std::int64_t endless = without_end;
  CHECK(length_after(shuffled(4), 10) == 10);
  CHECK(length_after(shuffled(4), endless) == endless);
  CHECK(length_after(take(4), 10) == 4);
  CHECK(length_after(take(40), 10) == 10);
  CHECK(length_after(take(4), endless) == 4);
  CHECK(length_after(skip(4), 10) == 6);
  CHECK(length_after(skip(40), 10) == 0);
  CHECK(length_after(skip(4), endless) == endless);
  CHECK(length_after(repeated(3), 10) == 30);
  CHECK(length_after(repeated(0), 10) == 0);
  CHECK(length_after(repeated(0), endless) == 0);
  CHECK(length_after(repeated(3), endless) == endless);
  CHECK(length_after(repeated(), 10) == endless);
  CHECK(length_after(repeated(), 0) == 0);
}

TEST_CASE("counts that mean nothing are refused") {
  CHECK(tests::sentence_of([] { shuffled(0); }) ==
        "shuffled(buffer) needs 1 to 4294967295 slots, got 0.");
  CHECK(tests::sentence_of([] { repeated(-2); }) ==
        "repeated(count) needs a count of 0 or more, got -2.");
  CHECK(tests::sentence_of([] { take(-1); }) == "take(count) needs a count of 0 or more, got -1.");
  CHECK(tests::sentence_of([] { skip(-1); }) == "skip(count) needs a count of 0 or more, got -1.");
  CHECK(tests::sentence_of([] { length_after(repeated(std::int64_t{1} << 62), 2); }) ==
        "repeated(4611686018427387904) of 2 samples is more than can be counted; repeated() has no "
        "end.");
}

}  // namespace
