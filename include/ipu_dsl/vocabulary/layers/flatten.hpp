// SPDX-License-Identifier: MIT
// Layers that only look at the same elements in another shape: Flatten and Reshape.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/given_extents.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/node_draft.hpp>

namespace ipu_dsl {

namespace flatten_rules {

constexpr problem shapes(node_draft& draft) {
  draft.view(0, {static_cast<std::int32_t>(draft.input(0).elements())});
  return {};
}

}  // namespace flatten_rules

inline constexpr family flatten_family{
    .name = "Flatten", .reads_integers = true, .shapes = flatten_rules::shapes};

/// All elements of a sample as a vector: [28, 28] becomes [784]. Moves nothing.
struct Flatten {
  static constexpr element description{.kind = element_kind::layer, .rule = &flatten_family};
};

struct reshape_options {
  std::int32_t rank = 0;
  std::int32_t extents[shape::max_rank] = {};

  constexpr shape target() const {
    shape wanted;
    wanted.rank = rank;
    for (std::int32_t axis = 0; axis < rank; ++axis) {
      wanted.extents[axis] = extents[axis];
    }
    return wanted;
  }
};

namespace reshape_rules {

constexpr label describe(const family&, const attributes& options) {
  const shape target = options.as<reshape_options>().target();
  label words = "Reshape<";
  for (std::int32_t axis = 0; axis < target.rank; ++axis) {
    words << (axis == 0 ? "" : ", ") << target[axis];
  }
  words << ">";
  return words;
}

constexpr problem shapes(node_draft& draft) {
  const shape target = draft.options<reshape_options>().target();
  if (target.elements() != draft.input(0).elements()) {
    label expected = "an input of ";
    expected << target.elements() << " elements";
    label got = ipu_dsl::describe(draft.input(0));
    got << ", which has " << draft.input(0).elements();
    return refuse(expected, got, "Reshape keeps the number of elements");
  }
  draft.view(0, target);
  return {};
}

}  // namespace reshape_rules

inline constexpr family reshape_family{.name = "Reshape",
                                       .describe = reshape_rules::describe,
                                       .reads_integers = true,
                                       .shapes = reshape_rules::shapes};

constexpr element describe_reshape(const given_extents& given) {
  if (given.fault != nullptr) {
    return unfit_layer("Reshape<...>", *given.fault);
  }
  reshape_options options{.rank = given.value.rank};
  for (std::int32_t axis = 0; axis < given.value.rank; ++axis) {
    options.extents[axis] = given.value[axis];
  }
  return {.kind = element_kind::layer, .rule = &reshape_family, .options = attributes::of(options)};
}

/// The elements of a sample in another shape: `Reshape<28, 28>` of a vector of 784. Moves nothing.
template <auto... Extents>
struct Reshape {
  static constexpr element description = describe_reshape(extents_of({whole(Extents)...}));
};

}  // namespace ipu_dsl
