// SPDX-License-Identifier: MIT
// Layers that only look at the same elements in another shape: Flatten and Reshape.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/addresses.hpp>
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

/// The extent of -1 is what is left of the input's elements, as in Keras.
constexpr shape resolved(shape target, const shape& input) {
  std::int32_t open = -1;
  std::int64_t others = 1;
  for (std::int32_t axis = 0; axis < target.rank; ++axis) {
    if (target[axis] == -1 && open < 0) {
      open = axis;
    } else {
      others *= target[axis];
    }
  }
  if (open >= 0 && others > 0 && input.elements() % others == 0) {
    target.extents[open] = static_cast<std::int32_t>(input.elements() / others);
  }
  return target;
}

/// What is wrong with extents of which some are still open, for so many elements.
constexpr problem refuse_open(const shape& written, std::int64_t elements) {
  std::int64_t others = 1;
  std::int32_t open = 0;
  for (std::int32_t axis = 0; axis < written.rank; ++axis) {
    open += written[axis] == -1 ? 1 : 0;
    others *= written[axis] == -1 ? 1 : written[axis];
  }
  if (open == 1 && others > 0) {
    return refuse(label("extents whose product divides the input's ") << elements << " elements",
                  ipu_dsl::describe(written),
                  text<191>() << elements << " is no multiple of " << others);
  }
  text<191> hint = "the input has ";
  hint << elements << " elements";
  return refuse("extents of at least 1, of which one may be left open as -1",
                ipu_dsl::describe(written), hint);
}

constexpr problem shapes(node_draft& draft) {
  const shape written = draft.options<reshape_options>().target();
  const shape target = resolved(written, draft.input(0));
  for (std::int32_t axis = 0; axis < target.rank; ++axis) {
    if (target[axis] < 1) {
      return refuse_open(written, draft.input(0).elements());
    }
  }
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
  if (!is_null(given.fault)) {
    return unfit_layer("Reshape<...>", *given.fault);
  }
  reshape_options options{.rank = given.value.rank};
  for (std::int32_t axis = 0; axis < given.value.rank; ++axis) {
    options.extents[axis] = given.value[axis];
  }
  return {.kind = element_kind::layer, .rule = &reshape_family, .options = attributes::of(options)};
}

/// The elements of a sample in another shape: `Reshape<28, 28>` of a vector of 784. One extent may
/// be -1, which is what is left: `Reshape<28, -1>`. Moves nothing.
template <auto... Extents>
struct Reshape {
  static constexpr element description = describe_reshape(extents_of({read_whole(Extents)...}));
};

}  // namespace ipu_dsl
