// SPDX-License-Identifier: MIT
// Tests of plan/planned_graph.hpp and plan/compile.hpp: what a model is not compiled with.
#include <string_view>

#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

constexpr family counting_family{.name = "Counting",
                                 .shapes =
                                     [](node_draft& draft) {
                                       draft.state("seen", draft.input(0), {});
                                       draft.output(draft.input(0));
                                       return problem{};
                                     },
                                 .forward =
                                     [](emitter& emit) {
                                       emit.call()
                                           .writes(emit.output_value(0))
                                           .reads(emit.input_value(0))
                                           .reads(emit.parameter_value(0));
                                     }};

struct Counting {
  static constexpr element description{.kind = element_kind::layer, .rule = &counting_family};
};

struct image : model<input<28, 28>, sequential<Flatten, Dense<10>>> {};

struct counted : model<input<8>, sequential<Counting, Dense<3>>> {};

template <typename M, typename... Options>
constexpr sentence sentence_of_fault =
    compile_fault_of<compile<M, loss<sparse_categorical_crossentropy>, Options...>>::value
        .message();

template <typename M, typename... Options>
constexpr std::string_view said = sentence_of_fault<M, Options...>.view();

constexpr std::string_view too_many_samples =
    "compile: expected a micro_batch of at most 1369568 samples, got 2000000000. Hint: a tensor "
    "holds at most 1073741824 elements";

static_assert(said<image, micro_batch<1'369'568>>.empty());
static_assert(said<image, micro_batch<2'000'000'000>> == too_many_samples);
static_assert(said<counted>.empty());
static_assert(said<counted, replicas<2>>.empty());
static_assert(said<image, replicas<2>>.empty());

TEST_CASE("a micro-batch holds what a tensor may hold") {
  CHECK(said<image, micro_batch<2'000'000'000>> == too_many_samples);
}

TEST_CASE("replicas share states") {
  CHECK(said<counted, replicas<2>>.empty());
}

}  // namespace
