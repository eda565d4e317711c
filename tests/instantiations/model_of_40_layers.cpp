// SPDX-License-Identifier: MIT
// What 40 distinct layers instantiate: beside model.cpp, the growth a layer.
#include <utility>

#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>

using namespace ipu_dsl;

template <typename Indices>
struct distinct_layers;

template <int... Index>
struct distinct_layers<std::integer_sequence<int, Index...>> {
  using type = sequential<Dense<100 + Index, relu>...>;
};

struct deep
    : model<input<100>, typename distinct_layers<std::make_integer_sequence<int, 40>>::type> {};

static_assert(check<deep>());
