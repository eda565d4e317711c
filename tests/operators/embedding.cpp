// SPDX-License-Identifier: MIT
// Tests of operators/embedding.hpp and kernels/embedding.hpp: rows are found by number, gradients
// are added in order of samples and words, and parts make the whole.
#include <cstdio>
#include <vector>

#include <ipu_dsl/operators/embedding.hpp>

#include "kernels/reference.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;

int checked = 0;

template <embedding_call Call>
void run(float* written, const float* read, const std::int32_t* words, grain part,
         bool continues = false) {
  run_context context;
  context.part = part;
  context.continues = continues;
  void* operands[] = {written, const_cast<float*>(read), const_cast<std::int32_t*>(words)};
  operators<&embedding_family>::run<Call>(context, operands, nullptr);
}

template <std::int32_t Batch, std::int32_t Positions, std::int32_t Words, std::int32_t Features,
          bool InOneRow>
void check_table() {
  constexpr embedding_call forward = {
      embedding_variant::forward, Batch, Positions, Words, Features, InOneRow ? 1 : 0};
  constexpr embedding_call gradient = {
      embedding_variant::gradient, Batch, Positions, Words, Features, InOneRow ? 1 : 0};
  constexpr std::int32_t rows = InOneRow ? Batch : Batch * Positions;
  constexpr std::int32_t length = InOneRow ? Positions * Features : Features;
  const auto place = [](int position, int feature) {
    const int element = position * Features + feature;
    return std::int64_t{element / length} * layout::row_stride(length) + element % length;
  };
  std::vector<std::int32_t> words;
  for (std::uint64_t i = 0; i < Batch * Positions; ++i) {
    words.push_back(static_cast<std::int32_t>(random_word(3, 0, i) % Words));
  }
  test::buffer table(Words * Features);
  for (std::int64_t i = 0; i < table.size(); ++i) {
    table[i] = test::number(4, static_cast<std::uint64_t>(i));
  }
  const test::buffer d = test::random_rows(rows, length, 5);
  for (const int parts : {1, 3}) {
    test::buffer y(d.size());
    test::buffer sums = table;
    test::buffer fresh(table.size());
    for (int index = parts - 1; index >= 0; --index) {
      run<forward>(y.data(), table.data(), words.data(), {index, parts});
      run<gradient>(sums.data(), d.data(), words.data(), {index, parts}, true);
      run<gradient>(fresh.data(), d.data(), words.data(), {index, parts});
    }
    test::buffer expected = table;
    test::buffer expected_fresh(table.size(), 0.0F);
    tests::checks done;
    for (int i = 0; i < Batch * Positions; ++i) {
      for (int n = 0; n < Features; ++n) {
        const std::int64_t entry = words[static_cast<std::size_t>(i)] * Features + n;
        done.that(test::same_bits(y[place(i, n)], table[entry]));
        expected[entry] += d[place(i, n)];
        expected_fresh[entry] += d[place(i, n)];
        ++checked;
      }
    }
    CHECK(done);
    CHECK(test::padding_is_zero(y, rows, length));
    CHECK(test::same_bits(sums.view(), expected.view()));
    CHECK(test::same_bits(fresh.view(), expected_fresh.view()));
    CHECK((y.intact() && sums.intact() && fresh.intact()));
  }
}

TEST_CASE("rows of a table are found by number, and gradients added to them in order") {
  checked = 0;
  check_table<3, 4, 7, 5, false>();
  check_table<2, 9, 3, 16, true>();
  check_table<1, 1, 2, 1, false>();
  check_table<4, 3, 20, 33, false>();
  CHECK(checked > 0);
  std::printf("embeddings: checked %d numbers\n", checked);
}

}  // namespace
