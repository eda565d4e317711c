// SPDX-License-Identifier: MIT
// Calls that a functional model is not built with, each refused with a sentence.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/graph/element.hpp>
#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/model/bare_layer.hpp>
#include <ipu_dsl/model/symbolic_tensor.hpp>

namespace ipu_dsl {

/// What stands where a call of a layer has its name: that, or by mistake its first input. One type
/// of both, because compilers list every function of a name where none takes a call.
struct call_name {
  template <std::convertible_to<std::string_view> Name>
  constexpr call_name(const Name& given) : name(given) {}

  constexpr call_name(const symbolic_tensor&) : instead("a tensor") {}

  constexpr call_name(char) : instead("a letter in single quotes") {}

  std::string_view name;
  std::string_view instead;  ///< what stands there by mistake; empty for a name
};

/// A layer as an argument.
struct layer_argument {
  template <typename Layer>
    requires requires { Layer::description; }
  constexpr layer_argument(const Layer&) : piece(&element_of<Layer>) {}

  const element* piece;
};

/// What a `functional_builder` refuses before there is anything to add: what is written in another
/// order than it is read, or in other brackets. C++ alone would list all that could be called.
class refused_calls {
 public:
  /// Refused with a sentence: extents without the braces of a shape, and perhaps a type.
  template <std::integral First, typename... More>
  constexpr symbolic_tensor input(First first, More... more) {
    label got = label() << static_cast<std::int64_t>(first);
    const auto add = [&](auto extent) {
      if constexpr (std::integral<decltype(extent)>) {
        got << ", " << static_cast<std::int64_t>(extent);
      }
    };
    (add(more), ...);
    const text<191> hint = text<191>("write build.input({") << got.view() << "})";
    fail("input", refuse("a shape in braces", got, hint));
    return {};
  }

  template <std::integral First, typename... More>
  constexpr symbolic_tensor input(std::string_view, First first, More... more) {
    return input(first, more...);
  }

  /// Refused with a sentence: a name behind the shape.
  constexpr symbolic_tensor input(const shape&, std::string_view name) {
    return refuse_name_behind(name);
  }

  constexpr symbolic_tensor input(const shape&, dtype, std::string_view name) {
    return refuse_name_behind(name);
  }

  /// Refused with a sentence: several numbers as one value.
  constexpr symbolic_tensor value(std::string_view name, std::initializer_list<float> start) {
    return refuse_value(name, start.size());
  }

  /// Refused with a sentence: a value of a shape.
  constexpr symbolic_tensor value(std::string_view name, const shape& extents) {
    return refuse_value(name, static_cast<std::size_t>(extents.elements()));
  }

  /// The stage is no template argument, because it may be computed.
  template <auto Number>
  constexpr void stage() {
    fail("stage",
         refuse("a number in round brackets", "a template argument", "write build.stage(1)"));
  }

  /// Refused with a sentence: a layer as an argument. No template: those are not listed with it.
  constexpr symbolic_tensor layer(const layer_argument& given, ...) {
    fail(next_layer(*given.piece), refuse("a layer in angle brackets", "one as an argument",
                                          "write build.layer<Dense<10>>(\"logits\", x)"));
    return {};
  }

  /// Refused with a sentence: a call without its layer.
  constexpr symbolic_tensor layer(const call_name&, ...) { return refuse_layer("nothing"); }

  /// Refused with a sentence: a layer by its name.
  template <fixed_string Name, typename... Rest>
  constexpr symbolic_tensor layer(const Rest&...) {
    return refuse_layer(label("the text \"") << Name.view() << "\"");
  }

  /// Refused with a sentence: inputs as a list.
  template <typename Layer>
  constexpr symbolic_tensor layer(std::string_view, std::initializer_list<symbolic_tensor>) {
    fail(next_layer(element_of<Layer>), refuse("its inputs one by one", "a list in braces",
                                               "write build.layer<Add>(\"sum\", x, y)"));
    return {};
  }

  /// Refused with a sentence: a layer without its brackets.
  template <template <typename...> class Layer, typename... Rest>
  constexpr symbolic_tensor layer(const Rest&...) {
    return refuse_bare(bare_layer<bare_of_types<Layer>>);
  }

  template <template <auto, typename...> class Layer, typename... Rest>
  constexpr symbolic_tensor layer(const Rest&...) {
    return refuse_bare(bare_layer<bare_of_number<Layer>>);
  }

  template <template <auto, auto, typename...> class Layer, typename... Rest>
  constexpr symbolic_tensor layer(const Rest&...) {
    return refuse_bare(bare_layer<bare_of_two_numbers<Layer>>);
  }

  /// Refused with a sentence: several outputs of a recurrent layer without its brackets.
  template <template <auto, typename...> class Layer, std::size_t Outputs, typename... Rest>
  constexpr std::array<symbolic_tensor, Outputs> layers(const Rest&...) {
    static_cast<void>(refuse_bare(bare_layer<bare_of_number<Layer>>));
    return {};
  }

 protected:
  constexpr refused_calls() = default;

  constexpr void fail(const label& where, problem found) {
    if (!made_.fault.found()) {
      made_.fault = found;
      made_.fault.where = where;
    }
  }

  /// Where a layer would stand that is not added.
  constexpr label next_layer(const element& piece) const {
    return label("layer ") << calls_ << " " << describe(piece);
  }

  /// Whether a call has a name where one stands; the fault where it does not.
  constexpr bool has_name(const element& piece, const call_name& called) {
    if (!called.instead.empty()) {
      fail(next_layer(piece), refuse("its name in front of its inputs", called.instead,
                                     "a name may be empty: build.layer<Dense<10>>(\"\", x)"));
    }
    return called.instead.empty();
  }

  graph made_;
  std::int32_t calls_ = 0;

 private:
  constexpr symbolic_tensor refuse_layer(const label& got) {
    fail(label("layer ") << calls_,
         refuse("a layer in angle brackets", got, "write build.layer<Dense<10>>(\"logits\", x)"));
    return {};
  }

  constexpr symbolic_tensor refuse_value(std::string_view name, std::size_t numbers) {
    fail(label("value ") << name,
         refuse("one number", label() << numbers,
                "give each a value of its own; what samples differ in is an input: "
                "build.input(\"weights\", {3})"));
    return {};
  }

  constexpr symbolic_tensor refuse_bare(const element& piece) {
    fail(next_layer(piece), *piece.fault);
    return {};
  }

  constexpr symbolic_tensor refuse_name_behind(std::string_view name) {
    const text<191> hint = text<191>("write build.input(\"") << name << "\", {8})";
    fail("input", refuse("its name in front of its shape", "one behind it", hint));
    return {};
  }
};

}  // namespace ipu_dsl
