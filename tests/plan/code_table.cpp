// SPDX-License-Identifier: MIT
// Tests of plan/code_table.hpp: equal layers share code.
#include <cstdio>

#include <ipu_dsl/plan/code_table.hpp>

#include "plan/models.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using testing::lowered;
using testing::with_loss;

template <typename M>
constexpr code_table table_of(program_kind kind) {
  const graph model = with_loss<M>();
  const lowered_program program = lowered(model.view(), kind);
  return distinct_code({program.made.calls.data(), program.made.calls.size()});
}

/// Three equal layers: infeed, forward, accuracy; loss, mask (three times: the last gradient lies
/// in rows, and nobody reads the first by unit), input gradient, weight gradient with its update.
static_assert(table_of<testing::alike>(program_kind::train).distinct.size() == 9);
static_assert(table_of<testing::alike>(program_kind::predict).distinct.size() == 3);

/// By all pairs, as the table must not do it.
template <typename M>
int wrong_numbers(program_kind kind, int& checked) {
  const graph model = with_loss<M>();
  const lowered_program program = lowered(model.view(), kind);
  const list<emitted_call>& calls = program.made.calls;
  const code_table table = distinct_code({calls.data(), calls.size()});
  int wrong = 0;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const code& found = table.distinct[static_cast<std::size_t>(table.of_call[i])];
    wrong += found == code{calls[i].code, calls[i].key, calls[i].ending} ? 0 : 1;
    for (std::size_t j = 0; j < i; ++j) {
      const bool same = calls[i].code == calls[j].code && calls[i].key == calls[j].key &&
                        calls[i].ending == calls[j].ending;
      wrong += same == (table.of_call[i] == table.of_call[j]) ? 0 : 1;
      ++checked;
    }
  }
  return wrong;
}

TEST_CASE("calls have the same number exactly if they are the same code") {
  int checked = 0;
  CHECK(wrong_numbers<testing::mlp>(program_kind::train, checked) == 0);
  CHECK(wrong_numbers<testing::branching>(program_kind::train, checked) == 0);
  CHECK(wrong_numbers<testing::alike>(program_kind::predict, checked) == 0);
  std::printf("checked %d pairs of calls\n", checked);
  CHECK(checked > 500);
}

TEST_CASE("no calls need no code") {
  CHECK(distinct_code({}).distinct.empty());
}

}  // namespace
