// SPDX-License-Identifier: MIT
#include <cstdio>
#include <vector>

#include <ipu_dsl/layout/panel.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

constexpr layout::architecture avx2{8, 16, true};

constexpr checks test_widths() {
  checks done;
  done.that(layout::panel_width(256, avx2) == 24);
  done.that(layout::panel_width(32, avx2) == 16);
  done.that(layout::panel_width(10, avx2) == 16);
  done.that(layout::panel_width(1, avx2) == 8);
  done.that(layout::panel_count(256, avx2) == 11);
  done.that(layout::bias_elements(256, avx2) == 264);
  done.that(layout::panel_elements(784, 256, avx2) == 784 * 264);
  return done;
}

constexpr checks test_offsets() {
  const layout::panels place(5, 30, avx2);
  checks done;
  done.that(place.width == 16);
  done.that(place.offset(0, 0) == 0);
  done.that(place.offset(0, 15) == 15);
  done.that(place.offset(1, 0) == 16);
  done.that(place.offset(0, 16) == 80);
  done.that(place.offset(4, 29) == 157);
  return done;
}

constexpr bool test_packing() {
  const layout::panels place(2, 3, avx2);
  const float rows[] = {1, 2, 3, 4, 5, 6};
  float packed[16] = {};
  float back[6] = {};
  for (float& element : packed) {
    element = 9.0F;
  }
  layout::pack_panels(place, rows, packed);
  layout::unpack_panels(place, packed, back);
  bool same = packed[8] == 4.0F && packed[3] == 0.0F && packed[15] == 0.0F;
  for (int i = 0; i < 6; ++i) {
    same = same && back[i] == rows[i];
  }
  return same;
}

static_assert(test_widths());
static_assert(test_offsets());
static_assert(test_packing());

}  // namespace

TEST_CASE("widths, offsets and packing of known layers") {
  CHECK(test_widths());
  CHECK(test_offsets());
  CHECK(test_packing());
}

TEST_CASE("every weight has a place of its own, and only padding is left over") {
  int checked = 0;
  for (const std::int32_t lanes : {4, 8, 16}) {
    const layout::architecture target{lanes, lanes == 16 ? 32 : 16, true};
    for (const std::int32_t inputs : {1, 2, 7, 33}) {
      for (const std::int32_t outputs : {1, 3, 4, 7, 8, 9, 10, 17, 24, 25, 33, 48, 49, 100}) {
        const layout::panels place(inputs, outputs, target);
        const auto elements =
            static_cast<std::size_t>(layout::panel_elements(inputs, outputs, target));
        std::vector<int> taken(elements, 0);
        for (std::int32_t k = 0; k < inputs; ++k) {
          for (std::int32_t n = 0; n < outputs; ++n) {
            taken.at(static_cast<std::size_t>(place.offset(k, n))) += 1;
          }
        }
        int used = 0;
        bool once = true;
        for (const int count : taken) {
          used += count;
          once = once && count <= 1;
        }
        CHECK(once);
        CHECK(used == inputs * outputs);
        CHECK(elements % static_cast<std::size_t>(lanes) == 0);
        ++checked;
      }
    }
  }
  CHECK(checked == 3 * 4 * 14);
  std::printf("panel: checked %d layouts\n", checked);
}
