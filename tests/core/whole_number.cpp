// SPDX-License-Identifier: MIT
// Tests of core/whole_number.hpp and core/given_extents.hpp.
#include <ipu_dsl/core/given_extents.hpp>
#include <ipu_dsl/core/whole_number.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

template <typename T>
constexpr bool is_whole(const T& value, std::int32_t expected) {
  const whole_number read = read_whole(value);
  return read.fault == nullptr && read.value == expected;
}

template <typename T>
constexpr bool is_refused(const T& value, std::string_view expected) {
  const whole_number read = read_whole(value);
  return read.fault != nullptr && read.fault->expected.view() == expected;
}

static_assert(is_whole(32, 32) && is_whole(-1, -1) && is_whole(32U, 32) && is_whole(32L, 32));
static_assert(is_whole(2'147'483'647LL, 2'147'483'647) && is_whole('a', 'a'));
static_assert(is_refused(2'147'483'648LL, "a whole number of at most 2147483647"));
static_assert(is_refused(-3'000'000'000LL, "a whole number of at most 2147483647"));
static_assert(is_refused(18'446'744'073'709'551'615ULL, "a whole number of at most 2147483647"));
static_assert(is_refused(32.0, "a whole number") && is_refused(true, "a whole number"));
static_assert(is_refused(no_number{}, "a whole number") &&
              is_refused(shape{28, 28}, "a whole number") && is_refused(nullptr, "a whole number"));

static_assert(real(0.2).value == 0.2F && real(0.2).fault == nullptr);
static_assert(real(2).value == 2.0F && real(0.5F).value == 0.5F);
static_assert(real(nullptr).fault != nullptr && real(false).fault != nullptr);

static_assert(extents_of({read_whole(28), read_whole(28L)}).value == shape{28, 28});
static_assert(extents_of({}).value == shape{} && extents_of({}).fault == nullptr);
static_assert(extents_of({read_whole(28), read_whole(28.0)}).fault->expected.view() ==
              "a whole number");
static_assert(extents_of({read_whole(1), read_whole(1), read_whole(1), read_whole(1), read_whole(1),
                          read_whole(1), read_whole(1)})
                  .fault->expected.view() == "at most six extents");

TEST_CASE("numbers as template arguments are read whatever their type") {
  CHECK(is_whole(256, 256));
  CHECK(is_refused(256.0, "a whole number"));
  CHECK(read_whole(256.0).fault->got.view() == "a value of type double");
  CHECK(real(0.1).value == 0.1F);
}

}  // namespace
