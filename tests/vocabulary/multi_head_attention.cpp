// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/multi_head_attention.hpp: weights in Keras's order, which input each
// product reads, refusals.
#include <ipu_dsl/vocabulary/layers/multi_head_attention.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"
#include "vocabulary/one_layer.hpp"

namespace {

using namespace ipu_dsl;
using testing::apply;
using testing::same_start;
using tests::checks;

constexpr checks test_weights() {
  const auto made = apply<MultiHeadAttention<2, 3, value_dim<4>>>({{7, 10}, {5, 11}, {5, 12}});
  checks done;
  done.that(made.gives({7, 10}));
  done.that(made.only().parameters == 8);
  constexpr std::string_view names[] = {"query_kernel",  "query_bias",   "key_kernel",
                                        "key_bias",      "value_kernel", "value_bias",
                                        "output_kernel", "output_bias"};
  const shape extents[] = {{10, 6}, {6}, {12, 6}, {6}, {11, 8}, {8}, {8, 10}, {10}};
  for (std::int32_t i = 0; i < 8; ++i) {
    done.that(made.parameter(i).name == names[i]);
    done.that(made.parameter(i).extents == extents[i]);
    done.that(
        same_start(made.parameter(i).start, i % 2 == 0 ? glorot_uniform::start : zeros::start));
  }
  done.that(apply<MultiHeadAttention<2, 3, use_bias<false>>>({{7, 10}}).only().parameters == 4);
  const auto of_two = apply<MultiHeadAttention<2, 3>>({{7, 10}, {5, 11}});
  done.that(of_two.parameter(2).extents == shape{11, 6});
  done.that(of_two.parameter(4).extents == shape{11, 6});
  return done;
}

constexpr checks test_words() {
  checks done;
  done.that(describe(MultiHeadAttention<4, 32>::description).view() == "MultiHeadAttention<4, 32>");
  done.that(describe(MultiHeadAttention<4, 32, use_bias<false>, use_causal_mask<true>,
                                        value_dim<8>>::description)
                .view() ==
            "MultiHeadAttention<4, 32, value_dim<8>, use_causal_mask<true>, use_bias<false>>");
  done.that(describe(MultiHeadAttention<4, 32, use_attention_mask<true>>::description).view() ==
            "MultiHeadAttention<4, 32, use_attention_mask<true>>");
  return done;
}

constexpr checks test_refusals() {
  checks done;
  done.that(apply<MultiHeadAttention<2, 3>>({{10}}).refused("sequences (steps, features)", "(10)"));
  done.that(apply<MultiHeadAttention<0, 3>>({{7, 10}}).refused("at least 1 head", "0"));
  done.that(apply<MultiHeadAttention<2, 0>>({{7, 10}}).refused(
      "a key_dim and a value_dim of at least 1", "0 and 0"));
  done.that(apply<MultiHeadAttention<2, 3>>({{7, 10}, {5, 11}, {6, 12}})
                .refused("a key for each value", "6 keys and 5 values"));
  done.that(apply<MultiHeadAttention<2, 256>>({{1024, 10}})
                .refused("at most 131072 numbers a head", "1024 steps of 256 numbers"));
  done.that(apply<MultiHeadAttention<2, 3>>({{7, 10}, {7, 10}, {7, 10}, {7, 10}})
                .refused("1 to 3 inputs", "4"));
  using told = MultiHeadAttention<2, 3, use_attention_mask<true>>;
  done.that(apply<told>({{7, 10}, {5, 11}, {7, 5}}).gives({7, 10}));
  done.that(apply<told>({{7, 10}, {7, 7}}).gives({7, 10}));
  done.that(apply<told>({{7, 10}, {5, 11}, {5, 7}})
                .refused("an attention mask (queries, keys), (7, 5)", "(5, 7)"));
  done.that(apply<told>({{7, 10}}).refused("1 to 3 inputs and an attention mask behind them", "1"));
  done.that(MultiHeadAttention<2, 3, relu>::description.fault->found());
  done.that(
      MultiHeadAttention<2, 3, use_bias<false>, bias_init<zeros>>::description.fault->found());
  return done;
}

static_assert(test_weights());
static_assert(test_words());
static_assert(test_refusals());

TEST_CASE("MultiHeadAttention has Keras's weights in Keras's order") {
  CHECK(test_weights());
  CHECK(test_words());
  CHECK(test_refusals());
}

}  // namespace
