// SPDX-License-Identifier: MIT
// Tests of kernels/parameter_sums.hpp: every sum is the chain that is said, in the same bits.
#include <ipu_dsl/kernels/parameter_sums.hpp>

#include "reference.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using test::lanes;

namespace {

/// The squares of the gradient and of w, with something kept between them.
struct squares {
  static constexpr int kept = 1;
  static constexpr whole_sums sums{{2}};

  struct numbers {
    float scale = 1;
  };

  template <int Stage, typename Math, typename Vector>
  [[gnu::always_inline]] static void add(Vector* to, const Vector& w, const Vector* kept_beside,
                                         const Vector& gradient, const numbers& of_update) {
    const Vector seen = Math::multiply_add(Vector(of_update.scale), kept_beside[0], gradient);
    to[0] = Math::multiply_add(seen, seen, to[0]);
    to[1] = Math::multiply_add(w, w, to[1]);
  }
};

constexpr squares::numbers numbers{0.5F};

struct state {
  explicit state(int elements)
      : w(test::random_rows(1, elements, 71)),
        kept(test::random_rows(1, elements, 72)),
        gradient(test::random_rows(1, elements, 73)) {}

  kernels::summed_parameter<squares> read() { return {{w.data(), {kept.data()}}, gradient.data()}; }

  /// What an element adds to the sums.
  void add(int element, float (&sums)[2]) const {
    const float seen = test::chain_step(numbers.scale, kept[element], gradient[element]);
    sums[0] = test::chain_step(seen, seen, sums[0]);
    sums[1] = test::chain_step(w[element], w[element], sums[1]);
  }

  test::buffer w;
  test::buffer kept;
  test::buffer gradient;
};

}  // namespace

TEST_CASE("sums of columns are one chain a column, in order of rows") {
  constexpr int stride = 3 * lanes;
  int checked = 0;
  for (const int rows : {1, 2, 37, 256}) {
    state given(rows * stride);
    float got[2 * lanes];
    kernels::sum_columns<squares, 0>(given.read(), rows, stride, numbers, got);
    for (int column = 0; column < lanes; ++column) {
      float expected[2] = {};
      for (int row = 0; row < rows; ++row) {
        given.add(row * stride + column, expected);
      }
      CHECK(test::same_bits(got[column], expected[0]));
      CHECK(test::same_bits(got[lanes + column], expected[1]));
      ++checked;
    }
  }
  CHECK(checked == 4 * lanes);
}

TEST_CASE("sums of elements are sixteen chains, added in order") {
  int checked = 0;
  for (const int vectors : {1, 2, 3, 17, 64}) {
    state given(vectors * lanes);
    float got[2];
    kernels::sum_elements<squares, 0>(given.read(), vectors * lanes, numbers, got);
    float chains[16][2] = {};
    for (int element = 0; element < vectors * lanes; ++element) {
      given.add(element, chains[element % 16]);
    }
    float expected[2] = {};
    for (const auto& chain : chains) {
      expected[0] = expected[0] + chain[0];
      expected[1] = expected[1] + chain[1];
    }
    CHECK(test::same_bits(got[0], expected[0]));
    CHECK(test::same_bits(got[1], expected[1]));
    ++checked;
  }
  CHECK(checked == 5);
}

TEST_CASE("sums of blocks are folded in float64, in sixteen chains") {
  const test::buffer parts = test::random_rows(1, 100, 74);
  int checked = 0;
  for (int count = 0; count <= 100; ++count) {
    double chains[16] = {};
    for (int i = 0; i < count; ++i) {
      chains[i % 16] += static_cast<double>(parts[i]);
    }
    double expected = 0;
    for (const double chain : chains) {
      expected += chain;
    }
    CHECK(kernels::fold_sums(parts.data(), count) == expected);
    ++checked;
  }
  CHECK(checked == 101);
}
