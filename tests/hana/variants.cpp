// SPDX-License-Identifier: MIT
#include <string>
#include <string_view>
#include <type_traits>

#include <boost/hana/map.hpp>

#include <ipu_dsl/hana/literals.hpp>
#include <ipu_dsl/hana/variants.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::literals;
namespace hana = boost::hana;
using tests::checks;

template <int Number>
struct numbered {
  static constexpr int number = Number;
};

constexpr auto plain = hana::tuple_t<numbered<3>, numbered<5>, numbered<8>>;
constexpr auto with_names = hana::make_tuple(hana::make_pair("three"_s, hana::type_c<numbered<3>>),
                                             hana::make_pair("five"_s, hana::type_c<numbered<5>>));

constexpr auto number_of = [](auto chosen) { return decltype(chosen)::type::number; };

constexpr checks test_choices() {
  checks done;
  done.that(with_variant(plain, 0, number_of) == 3);
  done.that(with_variant(plain, 1, number_of) == 5);
  done.that(with_variant(plain, std::size_t{2}, number_of) == 8);
  done.that(with_variant(with_names, "three", number_of) == 3);
  done.that(with_variant(with_names, "five", number_of) == 5);
  // By number, those with names as well.
  done.that(with_variant(with_names, 1, number_of) == 5);
  done.that(variant_names(with_names)[0] == "three" && variant_names(with_names)[1] == "five");
  int called = 0;
  with_variant(plain, 2, [&](auto chosen) { called += decltype(chosen)::type::number; });
  done.that(called == 8);
  return done;
}

static_assert(test_choices());

// What is refused.
constexpr auto to_own_type = [](auto chosen) { return typename decltype(chosen)::type(); };
constexpr auto of_numbers = [](int number) { return number; };

using first = decltype(hana::type_c<numbered<3>>);
using second = decltype(hana::type_c<numbered<5>>);
using first_with_name = decltype(hana::make_pair("three"_s, hana::type_c<numbered<3>>));

template <typename Visitor, typename... Variants>
constexpr std::string_view got_of() {
  return chosen_variants::fault_of<const Visitor, Variants...>::value.got.view();
}

using second_with_name = decltype(hana::make_pair("five"_s, hana::type_c<numbered<5>>));
static_assert(got_of<decltype(number_of), first, second, first_with_name>().empty());
static_assert(got_of<decltype(number_of)>() == "none");
static_assert(got_of<decltype(of_numbers), first>() == "another");
static_assert(got_of<decltype(to_own_type), first, second>() == "several");
static_assert(chosen_variants::fault_of_names<first_with_name, first>::value.found());
static_assert(chosen_variants::fault_of_names<first_with_name, first_with_name>::value.got.view() ==
              "two of one name");
static_assert(!chosen_variants::fault_of_names<first_with_name, second_with_name>::value.found());

TEST_CASE("a variant is chosen by number or by name") {
  CHECK(test_choices());
  const std::string name = "five";
  CHECK(with_variant(with_names, name, number_of) == 5);
  const auto as_map = hana::to_map(with_names);
  CHECK(with_variant(as_map, "three", number_of) == 3);
}

TEST_CASE("a variant that is not there is refused, and nothing is called") {
  bool called = false;
  const auto note = [&](auto) { called = true; };
  CHECK_THROWS_WITH(with_variant(plain, 3, note),
                    "There is no variant 3; there are 3 of them, counted from 0.");
  CHECK_THROWS_WITH(with_variant(plain, -1, note),
                    "There is no variant -1; there are 3 of them, counted from 0.");
  CHECK_THROWS_WITH(with_variant(with_names, "four", note),
                    "There is no variant \"four\"; there are three, five.");
  CHECK(!called);
}

}  // namespace
