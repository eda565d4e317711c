// SPDX-License-Identifier: MIT
// Tests of core/storage.hpp.
#include <ipu_dsl/core/storage.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

/// What lies alike in both storages on every processor is not laid out again on any.
constexpr checks test_padding() {
  checks done;
  done.that(pads_positions({5, 5, 3}));
  done.that(pads_positions({2, widest_vector + 1}));
  done.that(!pads_positions({5, 5, 2 * widest_vector}));
  done.that(!pads_positions({1, 1, 7}));
  done.that(!pads_positions({7}));
  done.that(!pads_positions({}));
  return done;
}

constexpr checks test_orders() {
  checks done;
  const storage_order both(storage::columns, storage::rows);
  done.that(both.has(storage::rows));
  done.that(both.has(storage::columns));
  done.that(!both.has(storage::positions));
  done.that(!storage_order().has(storage::rows));
  done.that(both.nearest(storage::rows) == storage::rows);
  done.that(both.nearest(storage::positions) == storage::columns);
  const storage_order rows = storage::rows;
  done.that(both.first_of(rows, storage::plain) == storage::rows);
  done.that(both.first_of(both, storage::plain) == storage::columns);
  done.that(rows.first_of(storage::positions, storage::plain) == storage::plain);
  return done;
}

static_assert(test_padding());
static_assert(test_orders());

TEST_CASE("positions are padded where a sample does not end with whole vectors") {
  CHECK(test_padding());
}

TEST_CASE("of two orders of storages the first is taken that both have") {
  CHECK(test_orders());
}

}  // namespace
