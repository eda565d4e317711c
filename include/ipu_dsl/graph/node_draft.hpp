// SPDX-License-Identifier: MIT
// A node while its family's rule looks at the inputs and adds what the node makes.
// Over 300 lines: all that a rule for shapes can ask and add, which a reader looks up in one place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/graph/graph.hpp>

namespace ipu_dsl {

/// A layer has lost which steps are masked.
constexpr problem loses_mask(const label& layer) {
  return refuse(
      "a layer that knows which steps are masked", layer,
      "put it behind the last state of a recurrent layer, which has no mask, or leave the "
      "mask out");
}

/// What a family's `shapes` rule sees and fills in.
class node_draft {
 public:
  /// `shares` is the node whose parameters and states this one uses; -1: it has its own. `starts`
  /// are the initialisers that the element has.
  constexpr node_draft(graph& owner, const attributes& options, list_view<std::int32_t> inputs,
                       std::int32_t shares = -1, list_view<initializer> starts = {})
      : owner_(&owner), options_(&options), inputs_(inputs), starts_(starts), shares_(shares) {}

  /// The family's own options.
  template <typename Options>
  constexpr Options options() const {
    return options_->as<Options>();
  }

  /// The initialiser in this place of the element's `starts`; zeros if it has none there.
  constexpr initializer start(std::size_t place) const {
    return place < starts_.size() ? starts_[place] : initializer{};
  }

  constexpr std::int32_t inputs() const { return static_cast<std::int32_t>(inputs_.size()); }

  /// Whether the last input says which steps of the first there are: see `family::reads_mask`.
  constexpr bool is_masked() const {
    return !inputs_.empty() && owner_->tensors[inputs_[inputs_.size() - 1]].is_mask;
  }

  /// Whether two inputs are one tensor, whatever has laid it out anew.
  constexpr bool is_one_tensor(std::int32_t index, std::int32_t other) {
    const std::int32_t first = tensor_of(index);
    const std::int32_t second = tensor_of(other);
    const graph_view model = owner_->view();
    return model.as_it_was_made(first) == model.as_it_was_made(second);
  }

  /// How many steps the sequence has whose steps are the samples of an input; 0: there is none.
  constexpr std::int32_t steps_behind(std::int32_t index) {
    const std::int32_t sequence = atom_of(index).steps_of;
    return sequence < 0 ? 0 : owner_->tensors[sequence].extents[0];
  }

  /// The shape of one sample of an input; a copy, as adding tensors moves those that there are.
  constexpr shape input(std::int32_t index) { return atom_of(index).extents; }

  /// How an input lies that may be padded: as the node's family reads it.
  constexpr storage input_lies(std::int32_t index) { return atom_of(index).lies; }

  /// The type of an input's numbers.
  constexpr dtype input_type(std::int32_t index) { return atom_of(index).type; }

  /// Of an input of integers: they must lie in [0, classes). Several readers take the narrowest.
  constexpr void integers_below(std::int32_t index, std::int32_t classes) {
    const std::int32_t holder = owner_->view().storage_of(tensor_of(index));
    std::int32_t& known = owner_->tensors[holder].classes;
    known = known == 0 || classes < known ? classes : known;
  }

  /// The node that makes an input, whatever laid that out anew; null if it comes from the feed.
  constexpr const node* made_by(std::int32_t index) {
    const std::int32_t made = owner_->view().as_it_was_made(tensor_of(index));
    const std::int32_t producer = owner_->tensors[made].producer;
    return producer < 0 ? nullptr : &owner_->nodes[producer];
  }

  /// The activation that the numbers of an input have gone through last, whatever has moved them
  /// since; linear where there is none, or where some have gone through another than others.
  constexpr activation_kind activation_behind(std::int32_t index) {
    return activation_of(activated_by(index));
  }

  /// The node by which they went through it; null where there is none, or where it is another for
  /// some of them.
  constexpr const node* activated_by(std::int32_t index) { return activator_of(tensor_of(index)); }

  /// The options that the node keeps.
  constexpr const attributes& chosen_options() const { return *options_; }

  /// Appends the tensors that the node reads; returns how many there are.
  constexpr std::int32_t append_inputs(list<std::int32_t>& operands) const {
    const std::size_t first = operands.size();
    operands.append(inputs_);
    if (passed_over_ >= 0) {
      operands[first] = passed_over_;
    }
    if (target_ >= 0) {
      operands.push_back(target_);
    }
    return static_cast<std::int32_t>(operands.size() - first);
  }

  /// What a rule did wrong with the draft itself, if anything.
  constexpr const problem& fault() const { return fault_; }

  /// The parameters and states of the node, in the order in which the rule asked for them.
  constexpr list_view<std::int32_t> used() const { return used_; }

  /// Adds an output of this shape, float32.
  constexpr void output(const shape& extents) { add_output(extents, -1); }

  /// Adds behind the output what says which of its steps there are, 1 or 0 for each: layers behind
  /// it heed that, and nobody names it.
  constexpr void mask_output() {
    const auto masked = static_cast<std::int32_t>(owner_->tensors.size()) - 1;
    const shape steps = {owner_->tensors[masked].extents[0]};
    add_output(steps, -1);
    owner_->tensors[masked].mask = masked + 1;
    owner_->tensors[masked + 1].is_mask = true;
  }

  /// Adds an output that is input `index` in another shape: no elements of its own, no calls.
  constexpr void view(std::int32_t index, const shape& extents) {
    add_output(extents, tensor_of(index));
  }

  /// Of a loss: takes what the node that makes its input reads, instead of what that makes. A
  /// cross-entropy trains on the logits before a softmax. False, and nothing is passed over, where
  /// that lies otherwise than the loss reads.
  constexpr bool pass_over_producer() {
    const node* const passed = made_by(0);
    if (is_null(passed)) {
      return false;
    }
    const std::int32_t before = owner_->view().input_of(*passed, 0);
    const tensor& logits = owner_->tensors[before];
    const bool fits = logits.lies == atom_of(0).lies || !pads_positions(logits.extents);
    passed_over_ = fits ? before : passed_over_;
    return fits;
  }

  /// Other options than were given, because of what the rule saw.
  template <typename Options>
  constexpr void choose(const Options& chosen) {
    chosen_ = attributes::of(chosen);
    options_ = &chosen_;
  }

  /// Of a loss or a metric: what it wants to be told of every sample, as its last input. Of
  /// integers `classes` says below which they lie. All that judge one output are told the same.
  constexpr void target(const shape& extents, dtype type, std::int32_t classes = 0) {
    const std::int32_t known = known_target();
    if (known < 0) {
      check_made(extents, "target");
      target_ = static_cast<std::int32_t>(owner_->tensors.size());
      tensor atom;
      atom.extents = extents;
      atom.type = type;
      atom.classes = classes;
      atom.role = tensor_role::target;
      atom.target_of = judged();
      owner_->tensors.push_back(atom);
      return;
    }
    target_ = known;
    const tensor& given = owner_->tensors[known];
    if (given.type != type || !(given.extents == extents)) {
      label wanted = "targets ";
      if (extents.rank == 0) {
        wanted << "of " << name_of(type) << ", one a sample";
      } else {
        wanted << describe(extents) << " of " << name_of(type);
      }
      fail(refuse(wanted,
                  label("those of the loss, ")
                      << describe(given.extents) << " of " << name_of(given.type),
                  type == dtype::int32
                      ? "beside categorical_crossentropy stands categorical_accuracy, beside "
                        "binary_crossentropy binary_accuracy, beside mean_squared_error "
                        "mean_absolute_error"
                      : "beside sparse_categorical_crossentropy stands accuracy, or another metric "
                        "of classes"));
    }
  }

  /// Of a loss or a metric: whether others that judge the same output are told floats already.
  constexpr bool others_are_told_floats() {
    const std::int32_t known = known_target();
    return known >= 0 && owner_->tensors[known].type == dtype::float32;
  }

  /// Of a loss or a metric: adds an output of so many float64 a micro-batch. They are summed over
  /// micro-batches in their order, and the sums make the final number: see
  /// `final_value_of` in operators/operators.hpp.
  constexpr void result(std::int32_t numbers) {
    check_made({numbers}, "result");
    tensor atom;
    atom.extents = {numbers};
    atom.type = dtype::float64;
    atom.role = tensor_role::result;
    atom.producer = next_node();
    atom.lies = storage::plain;
    owner_->tensors.push_back(atom);
  }

  /// Adds a parameter that is learned.
  constexpr void parameter(std::string_view name, const shape& extents, const initializer& start,
                           storage lies = storage::plain) {
    add_owned(name, extents, start, tensor_role::parameter, lies);
  }

  /// Adds a state: kept from micro-batch to micro-batch and not learned.
  constexpr void state(std::string_view name, const shape& extents, const initializer& start) {
    add_owned(name, extents, start, tensor_role::state, storage::plain);
  }

  /// The same of one whose numbers are 0 or more: others are refused where they are loaded or set.
  constexpr void non_negative_state(std::string_view name, const shape& extents,
                                    const initializer& start) {
    state(name, extents, start);
    if (!used_.empty()) {
      owner_->tensors[used_.back()].non_negative = true;
    }
  }

 private:
  static constexpr activation_kind activation_of(const node* made) {
    return is_null(made) ? activation_kind::linear : made->rule->activation(made->options).kind;
  }

  constexpr const node* activator_of(std::int32_t tensor) const {
    const graph_view model = owner_->view();
    const std::int32_t producer = model.at(model.storage_of(tensor)).producer;
    if (producer < 0) {
      return nullptr;
    }
    const node& made = model.node_at(producer);
    const bool passes = made.rule->lays_out || made.rule->keeps_bounds;
    if (!passes || made.rule->activation(made.options).told) {
      return &made;
    }
    const node* const found = activator_of(model.input_of(made, 0));
    for (std::int32_t i = 1; i < made.inputs; ++i) {
      const std::int32_t other = model.input_of(made, i);
      if (!model.at(other).is_mask && activation_of(activator_of(other)) != activation_of(found)) {
        return nullptr;
      }
    }
    return found;
  }

  /// Whether `made` is `read`, laid out anew.
  constexpr bool is_laid_out(std::int32_t made, std::int32_t read) const {
    const std::int32_t producer = owner_->tensors[made].producer;
    return producer >= 0 && owner_->nodes[producer].rule->lays_out &&
           owner_->view().input_of(owner_->nodes[producer], 0) == read;
  }

  /// The output of the model that the node judges, however what it reads of it lies; what it reads
  /// where that is none.
  constexpr std::int32_t judged() {
    const std::int32_t read = tensor_of(0);
    for (const model_output& output : owner_->outputs) {
      if (is_laid_out(output.tensor, read) || is_laid_out(read, output.tensor)) {
        return output.tensor;
      }
    }
    return read;
  }

  /// The target of what the node judges, if another that judges it wanted one already; otherwise
  /// -1.
  constexpr std::int32_t known_target() {
    const std::int32_t told_of = judged();
    for (std::size_t i = 0; i < owner_->tensors.size(); ++i) {
      const tensor& atom = owner_->tensors[i];
      if (atom.role == tensor_role::target && atom.target_of == told_of) {
        return static_cast<std::int32_t>(i);
      }
    }
    return -1;
  }

  constexpr void fail(const problem& found) {
    if (!fault_.found()) {
      fault_ = found;
    }
  }

  /// The tensor of an input; of one that there is not, the first tensor of the model.
  constexpr std::int32_t tensor_of(std::int32_t index) {
    if (index < 0 || index >= inputs()) {
      fail(refuse(label("numbers of inputs below ") << inputs(),
                  label("input ") << index << " in its shapes rule",
                  "a family says with .inputs how many it takes"));
      return 0;
    }
    return inputs_[index];
  }

  constexpr const tensor& atom_of(std::int32_t index) { return owner_->tensors[tensor_of(index)]; }

  constexpr void check_made(const shape& extents, std::string_view what) {
    problem found = check_extents(extents);
    if (found.found()) {
      found.got << " for its " << what;
      fail(found);
    }
  }

  constexpr void check_begin(const shape& extents, std::string_view name,
                             const initializer& start) {
    problem found = check_start(start, extents);
    if (found.found()) {
      found.got << " for its " << name;
      fail(found);
    }
  }

  /// Weights are found by their names.
  constexpr void check_name(std::string_view name) {
    if (name.empty()) {
      fail(refuse("a name for every parameter and state", "none",
                  "weights are found by their names"));
    }
    for (const std::int32_t own : used_) {
      if (owner_->tensors[own].name == name) {
        fail(refuse("a name of its own for every parameter and state", label() << name << " twice",
                    "weights are found by their names"));
      }
    }
  }

  constexpr void check_panels(const shape& extents, std::string_view name, storage lies) {
    if (lies == storage::panels && extents.rank < 2) {
      fail(refuse("at least 2 extents of a parameter in panels", describe(extents)
                                                                     << " for its " << name));
    }
    if (lies == storage::panel_bias && extents.rank != 1) {
      fail(refuse("1 extent of a bias of panels", describe(extents) << " for its " << name));
    }
  }

  constexpr void add_output(const shape& extents, std::int32_t view_of) {
    check_made(extents, "output");
    tensor atom;
    atom.extents = extents;
    atom.producer = next_node();
    atom.view_of = view_of;
    if (view_of >= 0) {
      atom.type = owner_->tensors[view_of].type;
    }
    owner_->tensors.push_back(atom);
  }

  constexpr void add_owned(std::string_view name, const shape& extents, const initializer& start,
                           tensor_role role, storage lies) {
    check_made(extents, name);
    check_panels(extents, name, lies);
    check_begin(extents, name, start);
    check_name(name);
    if (shares_ >= 0) {
      use_shared(name, extents);
      return;
    }
    tensor atom;
    atom.extents = extents;
    atom.role = role;
    atom.trainable = role == tensor_role::parameter;
    atom.owner = next_node();
    atom.start = start;
    atom.lies = lies;
    atom.name = name;
    used_.push_back(static_cast<std::int32_t>(owner_->tensors.size()));
    owner_->tensors.push_back(atom);
  }

  /// What the node that has it asked for at this place, which is of the same shape.
  constexpr void use_shared(std::string_view name, const shape& extents) {
    const graph_view model = owner_->view();
    const node& first = model.node_at(shares_);
    const auto place = static_cast<std::int32_t>(used_.size());
    if (place >= first.parameters) {
      fail(refuse(label() << first.parameters << " parameters and states, as in its first call",
                  label("one more, ") << name));
      return;
    }
    const std::int32_t used = model.parameter_of(first, place);
    if (!(model.at(used).extents == extents)) {
      fail(refuse(label("an input with which ")
                      << name << " is " << describe(model.at(used).extents)
                      << ", as in the first call of the shared layer",
                  label("one with which it is ") << describe(extents)));
    }
    used_.push_back(used);
  }

  constexpr std::int32_t next_node() const {
    return static_cast<std::int32_t>(owner_->nodes.size());
  }

  graph* owner_;
  const attributes* options_;
  list_view<std::int32_t> inputs_;
  list_view<initializer> starts_;
  attributes chosen_;
  std::int32_t passed_over_ = -1;  ///< read instead of the first input
  std::int32_t target_ = -1;       ///< read behind the inputs
  std::int32_t shares_;
  list<std::int32_t> used_;
  problem fault_;
};

}  // namespace ipu_dsl
