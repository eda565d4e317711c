// SPDX-License-Identifier: MIT
#include <cstdio>
#include <vector>

#include <ipu_dsl/runtime/worker_teams.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

constexpr checks test_teams() {
  constexpr worker_teams few(2, 5);
  constexpr worker_teams many(7, 3);
  constexpr worker_teams none(1, 0);
  checks done;
  done.that(few.rows() == 2);
  done.that(few.members() == 1);
  done.that(few.row_of_device(4) == 1);
  done.that(few.row_of_device(2) == 0);
  done.that(many.rows() == 3);
  done.that(many.members() == 2);
  done.that(many.workers() == 6);
  done.that(many.place_of(5).row == 2);
  done.that(many.place_of(5).member == 1);
  done.that(many.place_of(6).row == -1);
  done.that(none.rows() == 0);
  return done;
}

static_assert(test_teams());

}  // namespace

TEST_CASE("workers are dealt over devices") {
  CHECK(test_teams());
}

TEST_CASE("every device has a row, every row one leader and equally many members") {
  int checked = 0;
  for (int devices = 1; devices <= 9; ++devices) {
    for (int workers = 1; workers <= 20; ++workers) {
      const worker_teams teams(workers, devices);
      std::vector<int> leaders(static_cast<std::size_t>(teams.rows()), 0);
      std::vector<int> members(leaders);
      for (int worker = 0; worker < workers; ++worker) {
        const worker_place place = teams.place_of(worker);
        if (place.row >= 0) {
          leaders[static_cast<std::size_t>(place.row)] += place.member == 0 ? 1 : 0;
          ++members[static_cast<std::size_t>(place.row)];
        }
        ++checked;
      }
      CHECK(leaders == std::vector<int>(leaders.size(), 1));
      CHECK(members == std::vector<int>(members.size(), teams.members()));
      int before = 0;
      for (int device = 0; device < devices; ++device) {
        const int row = teams.row_of_device(device);
        CHECK((row >= before && row < teams.rows()));
        before = row;
      }
    }
  }
  CHECK(checked == 9 * 210);
  std::printf("checked %d places of workers\n", checked);
}
