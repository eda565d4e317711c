// SPDX-License-Identifier: MIT
// Large schedules of one stage a device.
#include <string_view>

#include <ipu_dsl/catalogue/catalogue.hpp>

#include "schedule/large_catalogue.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using large_catalogue::check;

TEST_CASE(
    "schedules of one stage a device of 16 devices are studied while "
    "compiling") {
  CHECK(check<sequential_schedule, 1>() > 0);
  CHECK(check<interleaved, 1>() > 0);
  CHECK(check<gpipe, 1>() > 0);
  CHECK(check<one_f_one_b, 1>() > 0);
  CHECK(check<eager_one_f_one_b, 1>() > 0);
  CHECK(check<popart_implicit, 1>() > 0);
}

namespace {

/// All that large.cpp and its neighbours study.
constexpr std::string_view studied_names[] = {
    sequential_schedule::name,
    grouped::name,
    interleaved::name,
    gpipe::name,
    one_f_one_b::name,
    eager_one_f_one_b::name,
    popart_implicit::name,
    pipedream::name,
    pipedream_2bw<>::name,
    zb_h1::name,
    zb_h2::name,
    interleaved_one_f_one_b::name,
    looped_bfs::name,
    zb_v::name,
    interleaved_zero_bubble::name,
    one_f_one_b_v::name,
    v_half::name,
    v_min::name,
    chimera::name,
    dualpipe::name,
    dualpipe_v::name,
};

}  // namespace

TEST_CASE("every schedule of the catalogue is studied large, or says why not") {
  int checked = 0;
  for (const catalogue_entry& entry : catalogue()) {
    const bool studied = std::ranges::find(studied_names, entry.name) != std::end(studied_names);
    INFO(entry.name);
    // Nothing trains with the one, and the other tries orders of all devices together.
    CHECK(studied == (entry.name != inference::name && entry.name != zero_bubble_list<>::name));
    checked += studied ? 1 : 0;
  }
  CHECK(checked == static_cast<int>(std::size(studied_names)));
  std::printf("checked %d schedules\n", checked);
  using refused = study<zero_bubble_list<>, 16, 16, 256>;
  static_assert(refused::fault.found() && refused::rows.actions.empty());
  CHECK(refused::fault.message().view() ==
        "schedule zb-list: expected at most 2048 stages x micro-batches while compiling, got 16 x "
        "256. Hint: make and analyse it when the program runs; of a schedule with a make_row "
        "large_study makes each row by itself");
  using none = study<grouped, 16, 16, 4096>;
  static_assert(none::fault.found());
  CHECK(none::fault.expected.view() == "at most 32768 stages x micro-batches while compiling");
  using most = study<zero_bubble_list<>, 16, 16, 128>;
  static_assert(most::rows.actions.size() == 16 * (3 * 128 + 1));
  CHECK(prove(most::rows, unit_costs::make(16, 1).view(), most::slots).proven());
  CHECK(std::ranges::equal(most::rows.actions, zero_bubble_list<>::make(16, 16, 128).actions));
}
