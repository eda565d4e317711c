// SPDX-License-Identifier: MIT
// A model of 200 distinct layers, trained in two stages on a simulated machine: every constant
// evaluation of its check takes at most three quarters of the steps that clang allows by default.
#include <utility>

#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

using namespace ipu_dsl;

template <int First, typename Indices>
struct layers_of;

template <int First, int... Indices>
struct layers_of<First, std::integer_sequence<int, Indices...>> {
  using type = stage<Dense<First + Indices, relu>...>;
};

template <int First>
using hundred_layers = typename layers_of<First, std::make_integer_sequence<int, 100>>::type;

struct net : model<input<64>, pipeline<hundred_layers<8>, hundred_layers<108>>> {};

struct training
    : compile<net, micro_batch<32>, gradient_accumulation<4>, grouped, on<ipu2>,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

static_assert(is_valid<training>());
static_assert(training::memory.fits());
