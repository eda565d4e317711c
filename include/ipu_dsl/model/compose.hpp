// SPDX-License-Identifier: MIT
// How a model is put together: stages of layers, pipelines of stages, residuals and branches.
#pragma once

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/given_extents.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>

namespace ipu_dsl {

/// Layers one after the other.
template <typename... Layers>
struct sequential {
  static constexpr element description = composed<Layers...>(element_kind::sequence, "sequential");
};

/// Layers that one device computes, one after the other.
template <typename... Layers>
struct stage {
  static constexpr element description = composed<Layers...>(element_kind::stage, "stage");
};

/// Stages one after the other; each may have a device of its own.
template <typename... Stages>
struct pipeline {
  static constexpr element description = composed<Stages...>(element_kind::pipeline, "pipeline");
};

/// What is wrong with a pipeline that is to be cut into `stages`.
constexpr problem check_automatic(const element& body, std::int32_t stages) {
  if (body.kind != element_kind::sequence) {
    return refuse("a sequential model", describe(body), "write auto_pipeline<sequential<...>, 4>");
  }
  if (stages < 1 || stages > static_cast<std::int32_t>(body.parts.size())) {
    return refuse(label("between 1 stage and ") << body.parts.size() << ", one a layer",
                  label() << stages);
  }
  return {};
}

/// A pipeline whose stages are chosen when the model is compiled: contiguous, with the least work
/// in the busiest stage, then moved where the proven makespan of the schedule gets shorter.
/// `auto_pipeline<sequential<Flatten, Dense<256>, Dense<10>>, 2>`
template <typename Sequence, auto Stages>
struct auto_pipeline {
  static constexpr whole_number count = read_whole(Stages);
  static constexpr problem fault =
      !is_null(count.fault) ? *count.fault : check_automatic(element_of<Sequence>, count.value);
  static constexpr element description = {.kind = element_kind::pipeline,
                                          .combinator = "auto_pipeline",
                                          .parts = element_of<Sequence>.parts,
                                          .fault = &fault,
                                          .automatic_stages = count.value,
                                          .frozen = element_of<Sequence>.frozen};
};

/// x + layers(x): the layers must end in the shape that they start with.
template <typename... Layers>
struct residual {
  static constexpr element description =
      composed<Layers...>(element_kind::residual, "residual", &add_family);
};

/// Every branch gets the same input; their outputs stand side by side along the last axis.
/// A branch of several layers is a `sequential<...>`.
template <typename... Branches>
struct concat {
  static constexpr element description =
      composed<Branches...>(element_kind::branches, "concat", &concatenate_family);
};

/// The element with a name; what is no element stays nothing of the kind.
constexpr element renamed(element piece, std::string_view name) {
  if (piece.kind != element_kind::foreign) {
    piece.name = name;
  }
  return piece;
}

/// A layer with a name, for messages, summaries and weights: `named<"logits", Dense<10>>`.
/// Files are written with it: it has letters, digits and _ . - > /, and others beyond ASCII.
template <name_argument Name, typename... Layers>
struct named {
  static constexpr problem fault =
      refuse("one layer behind the name", label() << sizeof...(Layers), "name each of them");
  static constexpr element description = unfit_layer("named<...>", fault);
};

/// What is wrong with a name for an element: it is one, and the only one.
constexpr problem check_name(const element& piece, std::string_view name) {
  if (name.empty()) {
    return refuse("a name in quotes", "a number or an empty name",
                  "write named<\"logits\", Dense<10>>, or take named<...> out: the layer is called "
                  "after its kind");
  }
  if (piece.kind != element_kind::foreign && !piece.name.empty()) {
    return refuse("one name", label() << name << " for what is named " << piece.name,
                  "leave one of them out");
  }
  return {};
}

template <name_argument Name, typename Layer>
struct named<Name, Layer> {
  static constexpr problem fault = check_name(element_of<Layer>, Name.view());
  static constexpr element description =
      fault.found() ? unfit_layer("named<...>", fault) : renamed(element_of<Layer>, Name.view());
};

/// The element of which nothing learns; what is no element says `fault`, if nothing else.
constexpr element frozen_element(element piece, const problem& fault) {
  const bool is_element = piece.kind != element_kind::foreign;
  piece.frozen = is_element;
  piece.fault = is_element || !is_null(piece.fault) ? piece.fault : &fault;
  return piece;
}

/// A layer, or whatever is made of layers, that does not learn: `frozen<Conv2D<64, 3>>`,
/// `frozen<sequential<...>>`, `stage<frozen<...>>`, `named<"encoder", frozen<...>>`. Keras's
/// `trainable = False`. Its parameters are read and saved as ever and are never updated: they have
/// no gradients, and nothing is kept beside them. Below the first layer that learns no gradients
/// are computed at all. A frozen BatchNormalization normalises by its running statistics, in
/// training too, and leaves them as they are.
template <typename... Layers>
struct frozen {
  static constexpr problem fault = refuse("one layer to freeze", label() << sizeof...(Layers),
                                          "write frozen<sequential<...>> to freeze several");
  static constexpr element description = unfit_layer("frozen<...>", fault);
};

template <typename Layer>
struct frozen<Layer> {
  static constexpr problem fault =
      refuse("a layer to freeze", label("the type ") << describe(element_of<Layer>),
             "write frozen<Dense<10>>");
  static constexpr element description = frozen_element(element_of<Layer>, fault);
};

/// The shape of one sample's features: `input<28, 28>`; of integers, such as the numbers of words:
/// `input<dtype::int32, 16>`.
template <auto... Extents>
struct input {
  static constexpr given_extents given = extents_of({read_whole(Extents)...});
  static constexpr shape extents = given.value;
  static constexpr dtype type = dtype::float32;
};

template <dtype Type, auto... Extents>
struct input<Type, Extents...> {
  static constexpr given_extents given = extents_of({read_whole(Extents)...});
  static constexpr shape extents = given.value;
  static constexpr dtype type = Type;
};

/// `input(28, 28)`, in round brackets: compilers say so in one line.
template <typename... Arguments>
input(Arguments...) -> input<>;

/// For `model<input<...>, sequential<...>, stage_assignment<0, 0, 1, 1>>`: the stage of every layer
/// of the sequence, as Keras's set_pipeline_stage_assignment takes it.
template <auto... Stages>
struct stage_assignment {
  static constexpr std::int32_t count = sizeof...(Stages);
  static constexpr std::int32_t stages[sizeof...(Stages) + 1] = {read_whole(Stages).value..., 0};
  static constexpr const problem* fault = first_fault({read_whole(Stages)...});
};

}  // namespace ipu_dsl
