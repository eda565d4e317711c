// SPDX-License-Identifier: MIT
// What a functional model is built with: calls of layers on tensors.
// Over 300 lines: one builder; what only the whole model shows stands apart.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <type_traits>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/graph/builder.hpp>
#include <ipu_dsl/graph/gradient.hpp>
#include <ipu_dsl/graph/layer_names.hpp>
#include <ipu_dsl/model/assembly.hpp>
#include <ipu_dsl/model/at_steps.hpp>
#include <ipu_dsl/model/bare_layer.hpp>
#include <ipu_dsl/model/check_combinator.hpp>
#include <ipu_dsl/model/nested_model.hpp>
#include <ipu_dsl/model/refused_calls.hpp>
#include <ipu_dsl/model/shared_layer.hpp>
#include <ipu_dsl/model/symbolic_tensor.hpp>
#include <ipu_dsl/model/whole_model_check.hpp>

namespace ipu_dsl {

/// What a functional model is built with:
///
///   struct single_device {
///     static constexpr symbolic_tensor build(functional_builder& build) {
///       const symbolic_tensor image = build.input({28, 28});
///       const symbolic_tensor flat = build.layer<Flatten>("flatten", image);
///       return build.layer<Dense<10>>("logits", flat);
///     }
///   };
///
/// A layer that is called more than once, and has one set of parameters:
///
///   auto encoder = build.shared<Dense<64>>("encoder");
///   const symbolic_tensor left = encoder(first);
///   const symbolic_tensor right = encoder(second);
///
/// After the first problem calls return a tensor of nowhere and add nothing.
class functional_builder : public refused_calls {
 public:
  using refused_calls::input;
  using refused_calls::layer;
  using refused_calls::layers;
  using refused_calls::stage;
  using refused_calls::value;

  constexpr functional_builder() = default;

  /// One to which nothing is added: for who asks whether a `build` can be run at all.
  struct idle {};

  constexpr explicit functional_builder(idle) { made_.fault = refuse("nothing", "a layer"); }

  /// One whose inputs have one step of those that are asked for.
  struct by_step {};

  constexpr explicit functional_builder(by_step) { made_.by_step = true; }

  /// Its tensors are those of one model: whoever helps to build takes it by reference.
  functional_builder(const functional_builder&) = delete;
  functional_builder& operator=(const functional_builder&) = delete;

  /// Features, or integers such as the numbers of words. A model may have several inputs: feeds and
  /// predict are given them in this order.
  constexpr symbolic_tensor input(const shape& extents, dtype type = dtype::float32) {
    return input("", extents, type);
  }

  /// The same with a name for messages.
  constexpr symbolic_tensor input(std::string_view name, const shape& extents,
                                  dtype type = dtype::float32) {
    label where = "input";
    where << (name.empty() ? "" : " ") << name;
    problem refused = check_input(extents, type);
    if (made_.view().count(tensor_role::input) == most_sources) {
      refused = refuse(label("at most ") << most_sources << " inputs", "one more");
    }
    if (!name.empty() && has_source(tensor_role::input, name)) {
      refused = refuse("a name of its own", "that of another input");
    }
    if (refused.found()) {
      fail(where, refused);
      return {};
    }
    shape given = extents;
    given.extents[0] = made_.by_step ? 1 : given.extents[0];
    const std::int32_t added = add_source(made_, given, type, tensor_role::input);
    made_.tensors[added].name = name;
    return {added, this};
  }

  /// A number that every stage may read and that is given before a run, `run.set<"temperature">
  /// (0.5F)`, without compiling anew: for layers such as `ScaleByValue`. Without `start` it has to
  /// be given before the first run.
  constexpr symbolic_tensor value(std::string_view name,
                                  float start = std::numeric_limits<float>::quiet_NaN()) {
    const problem refused = check_value(name);
    if (refused.found()) {
      fail(label("value ") << name, refused);
      return {};
    }
    const std::int32_t added = add_source(made_, {}, dtype::float32, tensor_role::run_value);
    made_.tensors[added].name = name;
    made_.tensors[added].start = {initializer_kind::constant, start};
    return {added, this};
  }

  /// Layers that are called from now on belong to this stage; the first is 0.
  constexpr void stage(std::int32_t number) {
    if (number < 0) {
      fail("stage", refuse("a stage of at least 0", label() << number));
    } else {
      stage_ = number;
    }
  }

  /// Calls a layer on one or more tensors. The name may be empty.
  template <typename Layer, typename... Inputs>
  constexpr symbolic_tensor layer(const call_name& called, Inputs... inputs) {
    symbolic_tensor output;
    if (has_name(element_of<Layer>, called)) {
      call(element_of<Layer>, called.name, list<std::int32_t>{number_of(inputs)...}, {&output, 1});
    }
    return output;
  }

  /// Calls a layer of several outputs: `const auto [low, high] = build.layers<Halves, 2>("", x);`
  template <typename Layer, std::size_t Outputs, typename... Inputs>
  constexpr std::array<symbolic_tensor, Outputs> layers(const call_name& called, Inputs... inputs) {
    std::array<symbolic_tensor, Outputs> outputs;
    if (has_name(element_of<Layer>, called)) {
      call(element_of<Layer>, called.name, list<std::int32_t>{number_of(inputs)...},
           {outputs.data(), Outputs});
    }
    return outputs;
  }

  /// A layer, what stands at every step or goes both ways, or a model, to be called more than once,
  /// each time with the same parameters and states, which are found under its name.
  template <typename Layer>
  constexpr shared_layer shared(std::string_view name = {}) {
    shared_.push_back({&element_of<Layer>, name});
    return {*this, shared_.size() - 1};
  }

  /// Refused with a sentence: a layer without its brackets.
  template <template <auto, typename...> class Layer>
  constexpr shared_layer shared(std::string_view = {}) {
    return shared_bare(bare_layer<bare_of_number<Layer>>);
  }

  /// The whole model with one output.
  constexpr graph finish(const symbolic_tensor& output) {
    const symbolic_tensor outputs[] = {output};
    return finish(list_view<symbolic_tensor>(outputs));
  }

  /// The whole model with its outputs, in this order.
  constexpr graph finish(list_view<symbolic_tensor> outputs) {
    if (!made_.fault.found()) {
      made_.fault = refuse_names(made_);
    }
    // A stage that was begun has to have a layer.
    made_.stages = stage_ + 1 > made_.stages ? stage_ + 1 : made_.stages;
    if (!made_.fault.found()) {
      made_.fault = whole_model_check(made_.view(), list_outputs(outputs)).find();
    }
    if (!made_.fault.found()) {
      refuse_uncalled();
    }
    for (const symbolic_tensor output : outputs) {
      hand_out(made_, number_of(output));
    }
    mark_gradients(made_);
    return made_;
  }

 private:
  friend shared_layer;

  constexpr shared_layer shared_bare(const element& piece) {
    fail(label("the shared layer ") << piece.name, *piece.fault);
    shared_.push_back({&piece, {}});
    return {*this, shared_.size() - 1};
  }

  /// Whether there is an input or a value of this name.
  constexpr bool has_source(tensor_role role, std::string_view name) const {
    bool found = false;
    for (const tensor& atom : made_.tensors) {
      found = found || (atom.role == role && atom.name == name);
    }
    return found;
  }

  /// What is wrong with one more value of this name.
  constexpr problem check_value(std::string_view name) const {
    if (name.empty()) {
      return refuse("a name by which it is given", "none", "write build.value(\"temperature\")");
    }
    if (has_source(tensor_role::run_value, name)) {
      return refuse("a name of its own", "that of another value");
    }
    return made_.view().count(tensor_role::run_value) < most_run_values
               ? problem()
               : refuse(label("at most ") << most_run_values << " values", "one more");
  }

  static constexpr auto elsewhere = static_cast<std::int32_t>(absent_tensor::elsewhere);

  /// The number of a tensor; of one that another builder has made `elsewhere`.
  constexpr std::int32_t number_of(symbolic_tensor given) const {
    return given.of == this || is_null(given.of) ? given.index : elsewhere;
  }

  /// Refused with a sentence: among the inputs of a layer, what is no tensor.
  template <typename T>
    requires(!std::convertible_to<T, symbolic_tensor>)
  constexpr std::int32_t number_of(const T&) {
    fail("the inputs of a layer",
         refuse("tensors", type_name<T>(), "options of a layer stand in its angle brackets"));
    return elsewhere;
  }

  struct shared_element {
    const element* source = nullptr;
    std::string_view name;
    std::int32_t layer = -1;  ///< of its first call
  };

  constexpr symbolic_tensor call_shared(std::size_t number, const list<std::int32_t>& inputs) {
    shared_element& called = shared_[number];
    if (!takes_call(*called.source) && !called.source->of_steps) {
      fail(label("the shared layer ") << describe(*called.source),
           refuse("one layer, or a model", describe(*called.source),
                  "share its layers one by one, or make a model of them"));
    }
    if (made_.fault.found()) {
      return {};
    }
    const auto layer = static_cast<std::int32_t>(made_.layers.size());
    symbolic_tensor output;
    call(*called.source, called.name, inputs, {&output, 1}, called.layer);
    called.layer = called.layer < 0 ? layer : called.layer;
    return output;
  }

  constexpr list<std::int32_t> list_outputs(list_view<symbolic_tensor> outputs) const {
    list<std::int32_t> tensors;
    for (const symbolic_tensor output : outputs) {
      tensors.push_back(number_of(output));
    }
    return tensors;
  }

  /// A shared layer without a call was to be part of the model and is not.
  constexpr void refuse_uncalled() {
    for (const shared_element& each : shared_) {
      if (each.layer < 0) {
        label where = "the shared layer ";
        where << describe(*each.source) << (each.name.empty() ? "" : " named ") << each.name;
        fail(where, refuse("at least 1 call", "none", "call it or take it out"));
      }
    }
  }

  /// Where a call tells its outputs.
  struct called_outputs {
    symbolic_tensor* first;
    std::size_t count;
  };

  /// Adds a layer and tells its outputs, if there are as many. It has parameters of its own, or
  /// those of layer `shares`.
  constexpr void call(const element& piece, std::string_view name, const list<std::int32_t>& inputs,
                      const called_outputs& outputs, std::int32_t shares = -1) {
    layer_record record{.source = &piece,
                        .name = name.empty() ? piece.name : name,
                        .number = calls_,
                        .stage = stage_,
                        .first_node = static_cast<std::int32_t>(made_.nodes.size()),
                        .shares = shares};
    check_call(record, inputs);
    check_name(record);
    check_shared(record);
    if (made_.fault.found()) {
      return;
    }
    list<std::int32_t> made;
    if (piece.kind == element_kind::layer) {
      made = add_layer(record, inputs);
    } else if (piece.kind == element_kind::model) {
      made = nested_model(made_, record, piece.frozen).add(inputs);
    } else {
      made = assembly::add_call(made_, piece, name, inputs, stage_, calls_, shares);
    }
    ++calls_;
    made_.stages = stage_ + 1 > made_.stages ? stage_ + 1 : made_.stages;
    read_outputs(record, made, outputs);
  }

  constexpr list<std::int32_t> outputs_of(const node& from) const {
    list<std::int32_t> made;
    for (std::int32_t i = 0; i < visible_outputs(made_.view(), from); ++i) {
      made.push_back(made_.view().output_of(from, i));
    }
    return made;
  }

  /// Returns what it makes; none if that is refused.
  constexpr list<std::int32_t> add_layer(layer_record& record, const list<std::int32_t>& inputs) {
    const element& piece = *record.source;
    std::int32_t current = add(piece, inputs, record);
    if (!is_null(piece.followed_by) && current >= 0) {
      const std::int32_t chained[] = {current};
      current = add(*piece.followed_by, chained, record);
    }
    record.nodes = static_cast<std::int32_t>(made_.nodes.size()) - record.first_node;
    record.output = current;
    made_.layers.push_back(record);
    if (current < 0) {
      return {};
    }
    return outputs_of(made_.nodes.back());
  }

  /// All outputs of what was called, if there are as many.
  constexpr void read_outputs(const layer_record& called, list_view<std::int32_t> made,
                              const called_outputs& outputs) {
    if (made_.fault.found()) {
      return;
    }
    if (made.size() != outputs.count) {
      fail(where_is(called),
           not_all_outputs(outputs.count, made.size(), outputs_hint_of(*called.source)));
      return;
    }
    for (std::size_t i = 0; i < outputs.count; ++i) {
      outputs.first[i] = {made[i], this};
    }
  }

  constexpr void check_call(const layer_record& record, list_view<std::int32_t> inputs) {
    const element& piece = *record.source;
    if (piece.kind == element_kind::foreign && !is_null(piece.fault)) {
      fail(label("layer ") << record.number << " " << piece.name, *piece.fault);
    } else if (piece.kind == element_kind::foreign) {
      fail(where_is(record), refuse("a layer", label("the type ") << piece.name));
    } else if (piece.kind != element_kind::layer && piece.kind != element_kind::model) {
      const problem refused = check_combinator(record, inputs);
      if (refused.found()) {
        fail(where_is(record), refused);
      }
    } else if (piece.kind == element_kind::layer && !is_null(piece.fault) && piece.fault->found()) {
      fail(where_is(record), *piece.fault);
    }
    for (const std::int32_t input : inputs) {
      if (input < 0) {
        fail(where_is(record), refuse_absent("tensors of this model", input));
        return;
      }
      if (made_.view().stage_of(input) > stage_) {
        fail(where_is(record), refuse(label("inputs of stage ") << stage_ << " or before",
                                      label("one of stage ") << made_.view().stage_of(input),
                                      "a layer depends on its own stage and on those before it"));
      }
    }
    if (piece.of_steps && !made_.fault.found()) {
      refuse_no_sequences(record, inputs);
    }
  }

  /// A name of its own would be lost.
  constexpr void check_name(const layer_record& record) {
    const problem refused = check_call_name(*record.source, record.name);
    if (refused.found()) {
      fail(where_is(record), refused);
    }
  }

  constexpr void refuse_no_sequences(const layer_record& record, list_view<std::int32_t> inputs) {
    const problem refused = check_sequences(made_, inputs);
    if (refused.found()) {
      fail(where_is(record), refused);
    }
  }

  /// Gradients of all uses are summed where the parameters lie.
  constexpr void check_shared(const layer_record& record) {
    if (record.shares < 0) {
      return;
    }
    const std::int32_t first = made_.layers[record.shares].stage;
    if (first != record.stage) {
      fail(where_is(record),
           refuse(label("calls of a shared layer in the stage of its first, ") << first,
                  label("one in stage ") << record.stage,
                  "parameters that stages share are not there yet: give each "
                  "stage a layer of its own"));
    }
  }

  constexpr std::int32_t add(const element& piece, list_view<std::int32_t> inputs,
                             const layer_record& record) {
    const auto layer = static_cast<std::int32_t>(made_.layers.size());
    const std::int32_t shares = made_.view().shared_node(record, *piece.rule);
    const problem refused = add_node(made_, *piece.rule, piece.options, inputs, stage_, layer,
                                     shares, node_purpose::layer, piece.starts);
    if (refused.found()) {
      fail(where_is(record), refused);
      return -1;
    }
    ask_of_parameters(made_, piece.weights);
    if (record.source->frozen) {
      freeze_newest(made_);
    }
    return newest_output(made_);
  }

  list<shared_element> shared_;
  std::int32_t stage_ = 0;
};

template <typename... Inputs>
constexpr symbolic_tensor shared_layer::operator()(Inputs... inputs) const {
  return builder_->call_shared(number_, list<std::int32_t>{builder_->number_of(inputs)...});
}

}  // namespace ipu_dsl
