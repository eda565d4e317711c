// SPDX-License-Identifier: MIT
// From the tree of elements to the graph: the one walk over a model.
// Over 300 lines: one walk over elements, a function for each kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/graph/builder.hpp>
#include <ipu_dsl/graph/gradient.hpp>
#include <ipu_dsl/graph/layer_names.hpp>
#include <ipu_dsl/graph/sequence_views.hpp>
#include <ipu_dsl/model/at_steps.hpp>
#include <ipu_dsl/model/nested_model.hpp>
#include <ipu_dsl/model/stage_numbers.hpp>

namespace ipu_dsl {

/// Walks elements and adds their nodes. After the first problem it adds nothing more.
class assembly {
 public:
  /// A whole model: an input of shape `input`, then the body. `assigned` holds the stage of every
  /// part of a sequence, or is empty. `by_step` if the input is one step of the body's.
  static constexpr graph build(const shape& input, dtype type, const element& body,
                               list_view<std::int32_t> assigned, bool by_step = false) {
    graph made;
    made.by_step = by_step;
    assembly walk(made);
    const problem refused = check_input(input, type);
    if (refused.found()) {
      walk.fail("input", refused);
      return made;
    }
    walk.expect(count_layers(body));
    walk.current_ = add_source(made, input, type, tensor_role::input);
    walk.add_body(body, assigned);
    if (!walk.failed()) {
      made.fault = refuse_names(made);
    }
    made.stages = walk.stage_ + 1;
    hand_out(made, walk.current_);
    mark_gradients(made);
    return made;
  }

  /// Adds what a functional model calls, as layer `number`: layers in combinators, on one tensor,
  /// or on more that are dealt to them. What joins them, or a single layer, has the name of the
  /// call. It shares with an earlier call, from layer `shares` on, or -1. Returns the output, and
  /// behind it what parts that are dealt inputs make beside theirs; what is wrong is the fault.
  static constexpr list<std::int32_t> add_call(graph& made, const element& piece,
                                               std::string_view name,
                                               list_view<std::int32_t> inputs, std::int32_t stage,
                                               std::int32_t number, std::int32_t shares) {
    assembly walk(made);
    walk.called_ = true;
    walk.behind_ = shares < 0 ? 0 : static_cast<std::int32_t>(made.layers.size()) - shares;
    walk.name_ = name;
    walk.current_ = inputs[0];
    walk.dealt_ = {inputs.data() + 1, inputs.size() - 1};
    walk.stage_ = stage;
    walk.number_ = number;
    walk.add(piece);
    list<std::int32_t> outputs{walk.current_};
    outputs.append(walk.beside_);
    return outputs;
  }

 private:
  constexpr explicit assembly(graph& made) : made_(made) {}

  /// Most layers make an output, a kernel and a bias. Where that is not so the arrays grow or keep
  /// a rest; it spares most models the copies of growing, half of the time of a check.
  constexpr void expect(std::size_t layers) {
    made_.tensors.reserve(3 * layers + 4);
    made_.nodes.reserve(layers + 2);
    made_.operands.reserve(4 * layers + 8);
    made_.layers.reserve(layers);
  }

  constexpr bool failed() const { return made_.fault.found(); }

  constexpr void fail(const label& where, problem found) {
    if (!failed()) {
      made_.fault = found;
      made_.fault.where = where;
    }
  }

  constexpr void add_body(const element& body, list_view<std::int32_t> assigned) {
    frozen_ = body.frozen;
    if (body.kind == element_kind::pipeline) {
      if (!assigned.empty()) {
        fail("stage_assignment", refuse("a sequential model", "a pipeline",
                                        "a pipeline has its stages already, take the numbers out"));
      }
      if (body.automatic_stages != 0 || !is_null(body.fault)) {
        add_automatic(body);
      } else {
        add_pipeline(body);
      }
    } else if (!assigned.empty()) {
      add_assigned(body, assigned);
    } else if (body.kind == element_kind::stage || body.kind == element_kind::sequence) {
      add_stage(body, "model");
    } else {
      add_layer(body);
    }
  }

  constexpr void add_pipeline(const element& body) {
    if (body.parts.empty()) {
      fail("pipeline", refuse("at least 1 stage", "none", "write pipeline<stage<...>, ...>"));
    }
    for (std::size_t i = 0; i < body.parts.size() && !failed(); ++i) {
      const element& part = *body.parts[i];
      stage_ = static_cast<std::int32_t>(i);
      label where = "stage ";
      where << i << " of the pipeline";
      if (part.kind != element_kind::stage) {
        fail(where, not_a_stage(part));
        return;
      }
      add_stage(part, where);
    }
  }

  /// Until the model is compiled all layers stand in stage 0.
  constexpr void add_automatic(const element& body) {
    if (body.fault->found()) {
      fail("auto_pipeline", *body.fault);
    }
    for (const element* part : body.parts) {
      add_layer(*part);
    }
    made_.automatic = true;
    stage_ = body.automatic_stages - 1;
  }

  constexpr void add_stage(const element& body, const label& where) {
    refuse_name(body, where);
    if (body.parts.empty()) {
      fail(where, refuse("at least 1 layer", "none", "give it a layer or take it out"));
    }
    const bool outer = frozen_;
    frozen_ = outer || body.frozen;
    for (const element* part : body.parts) {
      add_layer(*part);
    }
    frozen_ = outer;
  }

  /// As Keras: as many numbers as layers, from 0 on, each the same as the one before or one more.
  constexpr void add_assigned(const element& body, list_view<std::int32_t> assigned) {
    const problem refused = check_stage_numbers(body, assigned);
    if (refused.found()) {
      fail("stage_assignment", refused);
      return;
    }
    for (std::size_t i = 0; i < body.parts.size(); ++i) {
      stage_ = assigned[i];
      add_layer(*body.parts[i]);
    }
  }

  /// One part of a stage or of the outermost sequence.
  constexpr void add_layer(const element& piece) {
    if (failed()) {
      return;
    }
    part_ = -1;
    add(piece);
    ++number_;
  }

  /// What stands in something frozen is frozen.
  constexpr void add(const element& piece) {
    const bool outer = frozen_;
    frozen_ = outer || piece.frozen;
    if (!failed()) {
      add_element(piece);
    }
    frozen_ = outer;
  }

  constexpr void add_element(const element& piece) {
    if (piece.of_steps && !reads_sequences(piece)) {
      return;
    }
    switch (piece.kind) {
      case element_kind::layer:
        add_nodes(piece, read_here());
        break;
      case element_kind::sequence:
        refuse_empty(piece);
        refuse_name(piece, here());
        add_sequence(piece);
        break;
      case element_kind::residual:
        add_residual(piece);
        break;
      case element_kind::branches:
        add_branches(piece);
        break;
      case element_kind::at_steps:
        add_at_steps(piece);
        break;
      case element_kind::model:
        add_model(piece);
        break;
      case element_kind::stage:
        fail(here(), refuse("a layer", "a stage", "stages stand in pipeline<...> only"));
        break;
      case element_kind::pipeline:
        fail(here(), refuse("a layer", "a pipeline", "only a whole model is a pipeline"));
        break;
      case element_kind::foreign: {
        label got = "the type ";
        got << piece.name;
        if (!is_null(piece.fault)) {
          fail(here(piece.name), *piece.fault);
        } else {
          fail(here(), refuse("a layer", got, not_a_layer_hint));
        }
        break;
      }
    }
  }

  /// The tensors that are read now.
  constexpr list<std::int32_t> read_here() const {
    list<std::int32_t> inputs{current_};
    inputs.append(dealt_);
    return inputs;
  }

  /// Whether something at every step is given sequences; the fault where it is not.
  constexpr bool reads_sequences(const element& piece) {
    const problem refused = check_sequences(made_, read_here());
    if (refused.found()) {
      fail(where_is(next_record(piece)), refused);
    }
    return !failed();
  }

  /// The place of what is no layer, or not yet.
  constexpr label here(const label& what = {}) const {
    return place_of(number_, part_, what, label(" in stage ") << stage_);
  }

  constexpr void refuse_empty(const element& piece) {
    if (piece.parts.empty()) {
      fail(here(describe(piece)),
           refuse("at least 1 layer", "none", "give it a layer or take it out"));
    }
  }

  /// Only what becomes a layer can have a name.
  constexpr void refuse_name(const element& piece, const label& where) {
    if (!piece.name.empty()) {
      label got = describe(piece);
      got << " named " << piece.name;
      fail(where, refuse("a name for a layer", got, "name its layers"));
    }
  }

  constexpr void add_parts(const element& piece) {
    for (const element* part : piece.parts) {
      add(*part);
    }
  }

  /// The layers of a residual or of a branch count within their outermost layer; what joins them
  /// there counts as the last of them, unless it is that outermost layer itself.
  constexpr void enter_parts() { part_ = part_ < 0 ? 0 : part_; }

  constexpr void leave_parts(std::int32_t outer_part) { part_ = outer_part < 0 ? -1 : part_; }

  /// What something is called that is made now: in a functional model the call has the name.
  constexpr std::string_view name_of(const element& piece) const {
    return part_ < 0 && !name_.empty() ? name_ : piece.name;
  }

  /// Parts of what has a name are called after it.
  constexpr void enter_scope(const element& piece) {
    const std::string_view name = name_of(piece);
    scope_ = name.empty() ? scope_ : name;
  }

  /// Of several layers each has a place of its own, so that it can be found.
  constexpr void add_sequence(const element& piece) {
    const std::int32_t outer_part = part_;
    if (piece.parts.size() > 1) {
      enter_parts();
    }
    add_parts(piece);
    leave_parts(outer_part);
  }

  constexpr void add_residual(const element& piece) {
    const std::int32_t before = current_;
    const std::int32_t outer_part = part_;
    const std::string_view outer_scope = scope_;
    refuse_empty(piece);
    enter_scope(piece);
    enter_parts();
    add_parts(piece);
    if (failed()) {
      return;
    }
    const std::int32_t joined[] = {before, current_};
    leave_parts(outer_part);
    scope_ = outer_scope;
    add_nodes(piece, joined);
  }

  constexpr void add_branches(const element& piece) {
    const std::int32_t before = current_;
    const std::int32_t outer_part = part_;
    const std::string_view outer_scope = scope_;
    enter_scope(piece);
    enter_parts();
    list<std::int32_t> joined;
    const list_view<std::int32_t> dealt = dealt_;
    const std::size_t each = dealt.size() / piece.parts.size();
    gathers_ = called_ && piece.deals_inputs > 0;
    for (std::size_t i = 0; i < piece.parts.size(); ++i) {
      current_ = before;
      dealt_ = {dealt.data() + i * each, each};
      add(*piece.parts[i]);
      joined.push_back(current_);
    }
    gathers_ = false;
    dealt_ = {};
    if (failed()) {
      return;
    }
    leave_parts(outer_part);
    scope_ = outer_scope;
    add_nodes(piece, {joined.data(), joined.size()});
  }

  /// What makes samples of steps has no number and no scope: layers behind it are counted as in a
  /// residual.
  constexpr list<std::int32_t> add_split(list_view<std::int32_t> sequences) {
    const std::int32_t first_part = part_;
    const std::string_view inner_scope = scope_;
    scope_ = {};
    const list<std::int32_t> steps = add_to_each(steps_as_samples, sequences);
    scope_ = inner_scope;
    part_ = first_part;
    return steps;
  }

  /// The part of an element at every step, on a step of each sequence: all that it makes.
  constexpr list<std::int32_t> add_to_steps(const element& piece,
                                            list_view<std::int32_t> sequences) {
    const list<std::int32_t> steps = add_split(sequences);
    const std::size_t outside = beside_.size();
    if (failed()) {
      return steps;
    }
    current_ = steps[0];
    dealt_ = {steps.data() + 1, steps.size() - 1};
    gathers_ = called_ && takes_call(*piece.parts[0]);
    add_parts(piece);
    gathers_ = false;
    dealt_ = {};
    list<std::int32_t> samples{current_};
    samples.append({beside_.data() + outside, beside_.size() - outside});
    beside_.resize(outside);
    return samples;
  }

  /// The steps of each sequence become samples, of which the part knows nothing, and steps again.
  constexpr void add_at_steps(const element& piece) {
    const std::int32_t outer_part = part_;
    const std::string_view outer_scope = scope_;
    const list<std::int32_t> sequences = read_here();
    enter_scope(piece);
    enter_parts();
    const list<std::int32_t> samples = add_to_steps(piece, sequences);
    if (failed()) {
      return;
    }
    leave_parts(outer_part);
    scope_ = outer_scope;
    const list<std::int32_t> made = add_to_each(piece, samples);
    current_ = made[0];
    beside_.append({made.data() + 1, made.size() - 1});
  }

  /// One layer with a node for each of these.
  constexpr list<std::int32_t> add_to_each(const element& piece, list_view<std::int32_t> inputs) {
    layer_record record = next_record(piece);
    list<std::int32_t> made;
    for (std::size_t i = 0; i < inputs.size() && !failed(); ++i) {
      add_one(piece, {inputs.data() + i, 1}, record);
      made.push_back(current_);
    }
    record.nodes = static_cast<std::int32_t>(made_.nodes.size()) - record.first_node;
    record.output = made[0];
    made_.layers.push_back(record);
    return made;
  }

  /// A layer that is added now, in its place.
  constexpr layer_record next_record(const element& piece) {
    const auto layer = static_cast<std::int32_t>(made_.layers.size());
    const layer_record record{.source = &piece,
                              .name = name_of(piece),
                              .scope = scope_,
                              .number = number_,
                              .part = part_,
                              .stage = stage_,
                              .first_node = static_cast<std::int32_t>(made_.nodes.size()),
                              .shares = behind_ > 0 ? layer - behind_ : -1};
    if (part_ >= 0) {
      ++part_;
    }
    return record;
  }

  /// The layers of a model; where one tensor goes on it has one output.
  constexpr void add_model(const element& piece) {
    const layer_record place = next_record(piece);
    const list<std::int32_t> outputs = nested_model(made_, place, frozen_).add(read_here());
    if (!failed() && !gathers_ && outputs.size() != 1) {
      fail(where_is(place), not_single_output(outputs.size()));
    }
    current_ = failed() ? -1 : outputs[0];
    for (std::size_t i = 1; i < outputs.size(); ++i) {
      beside_.push_back(outputs[i]);
    }
  }

  /// The node or nodes of one layer, and its record.
  constexpr void add_nodes(const element& piece, list_view<std::int32_t> inputs) {
    layer_record record = next_record(piece);
    if (!is_null(piece.fault) && piece.fault->found()) {
      fail(where_is(record), *piece.fault);
      return;
    }
    add_one(piece, inputs, record);
    if (!is_null(piece.followed_by) && !failed()) {
      const std::int32_t chained[] = {current_};
      add_one(*piece.followed_by, chained, record);
    }
    record.nodes = static_cast<std::int32_t>(made_.nodes.size()) - record.first_node;
    record.output = current_;
    made_.layers.push_back(record);
  }

  constexpr void add_one(const element& piece, list_view<std::int32_t> inputs,
                         const layer_record& record) {
    const auto layer = static_cast<std::int32_t>(made_.layers.size());
    problem refused =
        add_node(made_, *piece.rule, piece.options, inputs, stage_, layer,
                 made_.view().shared_node(record, *piece.rule), node_purpose::layer, piece.starts);
    if (!refused.found()) {
      ask_of_parameters(made_, piece.weights);
      refused = gathers_ ? problem() : check_single_output(made_);
    }
    if (!refused.found() && frozen_) {
      freeze_newest(made_);
    }
    if (refused.found()) {
      fail(where_is(record), said_of(piece, refused));
      return;
    }
    current_ = newest_output(made_);
    for (std::int32_t i = 1; gathers_ && i < visible_outputs(made_.view(), made_.nodes.back());
         ++i) {
      beside_.push_back(made_.view().output_of(made_.nodes.back(), i));
    }
  }

  graph& made_;
  std::string_view name_ = {};   ///< of a call, for the layer that has no place within it
  std::string_view scope_ = {};  ///< the name of what is made of the layers that are added now
  std::int32_t current_ = -1;    ///< the tensor that the next layer reads
  list_view<std::int32_t> dealt_ = {};  ///< what it reads behind that
  list<std::int32_t> beside_;           ///< outputs of parts behind their first
  bool called_ = false;                 ///< by a functional model, which can take these
  bool gathers_ = false;                ///< those of what is added now
  std::int32_t stage_ = 0;
  std::int32_t number_ = 0;
  std::int32_t part_ = -1;
  std::int32_t behind_ = 0;  ///< which layer before one it shares with, counted back; 0: none
  bool frozen_ = false;      ///< what is added does not learn
};

}  // namespace ipu_dsl
