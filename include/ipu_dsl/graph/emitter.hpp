// SPDX-License-Identifier: MIT
// What a family's rules lower a node with: they ask for buffers and append calls.
// Over 300 lines: all that a rule can ask, which a reader looks up in one place.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/graph/call_draft.hpp>
#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/graph/lowering_facts.hpp>
#include <ipu_dsl/graph/transfer.hpp>

namespace ipu_dsl {

/// One node in one phase, as its family's rule sees it.
class emitter {
 public:
  constexpr emitter(const graph_view& model, const lowering_facts& facts, buffer_index& index,
                    call_list& made, std::int32_t node, call_phase phase)
      : model_(&model),
        facts_(&facts),
        index_(&index),
        made_(&made),
        here_(model.nodes.data() + node),
        operands_(model.operands.data() + here_->first_operand),
        samples_(model.at(operands_[here_->inputs]).samples),
        node_(node),
        phase_(phase) {}

  /// The family's own options.
  template <typename Options>
  constexpr Options options() const {
    return here_->options.template as<Options>();
  }

  /// What the program at hand is for: a layer may do something else in training than in evaluation
  /// and prediction.
  constexpr program_kind program() const { return facts_->program; }

  /// Samples in a micro-batch; of a layer at every step of sequences the steps of all of them.
  constexpr std::int32_t batch() const { return facts_->batch * samples_; }

  /// The optimizer whose rule lowers the update.
  constexpr const family& optimizer() const { return *facts_->optimizer; }

  /// The optimizer with whose update the node's weight gradients end, in the last micro-batch; null
  /// if the optimizer's own calls do it.
  constexpr const family* fused_update() const {
    // The gradients of replicas, and of several uses, are complete only when they are summed; what
    // is asked of a parameter beside its gradient are calls around the update.
    if (facts_->replicas > 1 || !here_->rule->updates_with_gradient) {
      return nullptr;
    }
    if (!facts_->fuses_updates || !facts_->optimizer->elementwise) {
      return nullptr;
    }
    const std::int32_t* const own = operands_ + here_->inputs + here_->outputs;
    for (std::int32_t i = 0; i < here_->parameters; ++i) {
      const tensor& learned = model_->at(own[i]);
      if (!learned.trainable || !is_null(learned.rules) || facts_->reader_count(own[i]) != 1) {
        return nullptr;
      }
    }
    return facts_->optimizer;
  }

  /// Whether the node's layer is frozen: its parameters do not learn, and no gradient of them is
  /// asked for. What it keeps from micro-batch to micro-batch is the family's own affair.
  constexpr bool frozen() const { return here_->frozen; }

  /// What the node is for.
  constexpr node_purpose purpose() const { return here_->purpose; }

  /// Of a loss or a metric: which input says what samples count, one number of each, or one for
  /// each of its positions; -1 if they all count alike.
  constexpr std::int32_t weight_input() const {
    const std::int32_t last = here_->inputs - 1;
    const tensor& read = model_->at(operands_[last]);
    const bool weighs =
        purpose() != node_purpose::layer && (read.role == tensor_role::weight || read.is_mask);
    return weighs ? last : -1;
  }

  /// Of a layer: which input says which steps of the first there are; -1: all are.
  constexpr std::int32_t mask_input() const {
    const std::int32_t last = here_->inputs - 1;
    return model_->at(operands_[last]).is_mask ? last : -1;
  }

  constexpr std::int32_t inputs() const { return here_->inputs; }

  constexpr std::int32_t outputs() const { return here_->outputs; }

  constexpr std::int32_t parameters() const { return here_->parameters; }

  /// Shapes of one sample, and of a parameter.
  constexpr const shape& input_shape(std::int32_t i) const { return model_->at(input(i)).extents; }

  constexpr const shape& output_shape(std::int32_t i) const {
    return model_->at(output(i)).extents;
  }

  constexpr const tensor& parameter(std::int32_t i) const { return model_->at(owned(i)); }

  /// Whether anything before this node learns: only then is there an input gradient to write.
  constexpr bool wants_input_gradient(std::int32_t i) const {
    return model_->at(input(i)).needs_gradient;
  }

  /// The number that input `i` is, one of the last `family::run_values`.
  constexpr run_value_ref run_value(std::int32_t i) const {
    std::int32_t number = 0;
    for (std::int32_t earlier = 0; earlier < input(i); ++earlier) {
      number += model_->at(earlier).role == tensor_role::run_value ? 1 : 0;
    }
    return {number, model_->at(input(i)).start.value};
  }

  constexpr buffer_ref input_value(std::int32_t i) const { return value_of(input(i)); }

  /// Where this node writes its output `i`: if it applies the activation behind it, that of the
  /// activation.
  constexpr buffer_ref output_value(std::int32_t i) const {
    const std::int32_t applied = facts_->applied_to[output(i)];
    return value_of(applied < 0 ? output(i) : applied);
  }

  /// The activation behind this node that it puts output `i` through; linear: none.
  constexpr activation_kind applies(std::int32_t i) const { return facts_->applied[output(i)]; }

  constexpr buffer_ref parameter_value(std::int32_t i) const { return value_of(owned(i)); }

  /// Where this node reads the gradient of its output `i`; all consumers have added to it.
  constexpr buffer_ref output_gradient(std::int32_t i) const { return gradient_of(output(i)); }

  /// Where this node writes the gradient of its input `i`.
  constexpr buffer_ref input_gradient(std::int32_t i) const {
    const std::int32_t position = here_->first_operand + i;
    const std::int32_t read = input(i);
    return facts_->reader_count(read) == 1 ? gradient_of(read) : contribution_at(position);
  }

  /// Where this node writes, in the forward pass of training, what one micro-batch adds to its
  /// state `i`, and where its rule for `fold` reads it: a copy for each micro-batch of the update,
  /// of the state's extents. See `family::fold`.
  constexpr buffer_ref state_contribution(std::int32_t i) const {
    const std::int32_t of = owned(i);
    if (model_->at(of).role != tensor_role::state) {
      refuse_contribution(i);
      return value_of(of);
    }
    return of_tensor(buffer_role::contribution, of, model_->use_of(*here_, i));
  }

  constexpr storage output_gradient_lies(std::int32_t i) const {
    return facts_->gradient_lies[output(i)];
  }

  constexpr storage input_gradient_lies(std::int32_t i) const {
    return facts_->gradient_lies[input(i)];
  }

  /// The activation that this node puts the gradient of its input `i` through; linear: none. Where
  /// several read the input, their sum is put through.
  constexpr activation_kind puts_through(std::int32_t i) const {
    const std::int32_t read = input(i);
    return facts_->reader_count(read) == 1 ? facts_->put_through[read] : activation_kind::linear;
  }

  /// Whether the gradient of output `i` has gone through the activation that made the output.
  constexpr bool is_put_through(std::int32_t i) const {
    return facts_->put_through[output(i)] != activation_kind::linear;
  }

  /// Whether the gradient of input `i` lies where that of the output does, so that there is nothing
  /// to write.
  constexpr bool hands_gradient_on(std::int32_t i) const {
    return is_among(i, here_->inputs) && facts_->handed_on[here_->first_operand + i] >= 0;
  }

  /// Where this use of parameter `i` adds up its gradient; at the update of the parameter's first
  /// use, that of all uses.
  constexpr buffer_ref accumulator(std::int32_t i) const {
    return of_tensor(buffer_role::accumulator, owned(i), model_->use_of(*here_, i));
  }

  /// Whether this node's update is that of parameter `i`: it learns, and this is its first use.
  constexpr bool updates(std::int32_t i) const {
    const std::int32_t of = owned(i);
    return model_->at(of).trainable && use_at(of, 0) == model_->use_of(*here_, i);
  }

  /// Slots are those of the optimizer, of which a parameter has at most four.
  constexpr buffer_ref optimizer_slot(std::int32_t i, std::int32_t slot) const {
    constexpr auto most = static_cast<std::int32_t>(buffer_index::slots_per_parameter);
    slot = is_among(slot, most) ? slot : refuse_number(slot, "optimizer slots", most);
    return of_tensor(buffer_role::optimizer_slot, owned(i), slot);
  }

  /// What a stage of the update of parameter `i` sums up over it, of `extents`.
  constexpr buffer_ref parameter_sums(std::int32_t i, std::int32_t stage,
                                      const shape& extents) const {
    return {.role = buffer_role::parameter_sums,
            .lies = storage::plain,
            .held = storage::plain,
            .samples = 0,
            .tensor = owned(i),
            .index = stage,
            .extents = extents};
  }

  /// Memory of this node's own for one micro-batch, of `extents` a sample; the same for the same
  /// tag in every phase; a node has twenty tags.
  constexpr buffer_ref scratch(std::int32_t tag, const shape& extents, storage lies) const {
    constexpr auto most = static_cast<std::int32_t>(buffer_index::scratch_per_node);
    tag = is_among(tag, most) ? tag : refuse_number(tag, "scratch tags", most);
    return {.role = buffer_role::scratch,
            .lies = lies,
            .held = lies,
            .samples = samples_,
            .index = node_ * most + tag,
            .extents = extents};
  }

  /// Scratch that lasts from prediction to prediction, zero before the first: what a layer carries
  /// from one step of a sequence to the next, see `family::one_step`.
  constexpr buffer_ref carried(std::int32_t tag, const shape& extents, storage lies) const {
    buffer_ref made = scratch(tag, extents, lies);
    made.life = buffer_life::persistent;
    return made;
  }

  /// The padded rows in which a micro-batch of something lies that lies by samples.
  constexpr stored_rows rows_of(const buffer_ref& named) const {
    const auto elements = static_cast<std::int32_t>(named.extents.elements());
    const bool apart = named.lies == storage::positions;
    const std::int32_t length = apart ? named.extents[named.extents.rank - 1] : elements;
    return {facts_->batch * named.samples * (elements / length), length};
  }

  /// The same, one for the whole micro-batch.
  constexpr buffer_ref scratch_of_batch(std::int32_t tag, const shape& extents) const {
    buffer_ref made = scratch(tag, extents, storage::plain);
    made.samples = 0;
    return made;
  }

  /// Appends a call of the node's own family. `key` is a plain struct of the family's, for which
  /// its code is instantiated as `operators<&family>::run<key>`.
  template <typename Key = no_key>
  constexpr call_draft call(const Key& key = {}) {
    return call_of(*here_->rule, key);
  }

  /// Appends a call of another family: one of graph/transfer.hpp, or the optimizer.
  template <typename Key>
  constexpr call_draft call_of(const family& code, const Key& key) {
    append(code, call_key::of(key));
    return call_draft(*model_, *index_, *made_, facts_->batch);
  }

  /// Completes the gradient of parameter `i` in the accumulator of its first use: for each use the
  /// accumulators of all replicas are summed in their order, then the uses in order of nodes.
  constexpr void sum_accumulators(std::int32_t i) {
    const std::int32_t uses = facts_->reader_count(owned(i));
    for (std::int32_t use = 0; use < uses && facts_->replicas > 1; ++use) {
      add_to_first(i, facts_->replicas, use, 0);
      made_->calls.back().operands_of = replica_reach::each;
    }
    if (uses > 1) {
      add_to_first(i, uses, 0, 1);
    }
  }

  /// Fills the inputs, and but for prediction the targets, from the feed.
  constexpr void read_feed() {
    const list<std::int32_t> sources = sources_of(*model_, program() != program_kind::predict);
    infeed_call key{.batch = facts_->batch,
                    .sources = static_cast<std::int32_t>(sources.size()),
                    .inputs = 0,
                    .source = {}};
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const tensor& atom = model_->at(sources[i]);
      key.source[i] = {static_cast<std::int32_t>(atom.extents.elements()), atom.type};
      key.inputs += atom.role == tensor_role::input ? 1 : 0;
    }
    call_draft call = call_of(infeed_family, key);
    made_->calls.back().samples = 1;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (i > 0) {
        call.beside();
      }
      const auto [sample, element] = call.over(key.batch, key.source[i].elements);
      call.writes(value_of(sources[i]).flat(), {sample, element});
    }
  }

  /// Hands the rows of an output of the model to whoever runs the program.
  constexpr void write_output(std::int32_t number) {
    const model_output& handed = model_->outputs[number];
    const buffer_ref read = value_of(handed.tensor).flat();
    call_draft call = call_of(outfeed_family, outfeed_call{number, facts_->batch, read.extents[0]});
    made_->calls.back().samples = 1;
    const auto [sample, element] = call.over(facts_->batch, read.extents[0]);
    call.reads(read, {sample, element});
  }

  /// Sums into the gradient of output `i` what its readers wrote, in the order of the readers and
  /// never in that of arrival, and puts that through an activation if it is to be. A single reader
  /// has written the gradient itself.
  constexpr void sum_output_gradient(std::int32_t i) {
    const std::int32_t made = output(i);
    const std::int32_t readers = facts_->reader_count(made);
    if (readers == 1 || model_->at(made).is_mask) {
      return;
    }
    const stored_rows lain = rows_of(output_gradient(i));
    const buffer_ref written = output_gradient(i).flat();
    const activation_kind through = facts_->put_through[made];
    call_draft call =
        call_of(gradient_sum_family, gradient_sum_call{readers, lain.count, lain.length, through});
    const auto [sample, element] = call.over(batch(), written.extents[0]);
    call.writes(written, {sample, element});
    for (std::int32_t reader = 0; reader < readers; ++reader) {
      const std::int32_t entry = facts_->first_reader[made] + reader;
      call.reads_in_place(contribution_at(facts_->readers[entry]).flat(), {sample, element});
    }
    if (through != activation_kind::linear) {
      call.reads(output_value(i).flat(), {sample, element});
    }
  }

 private:
  constexpr std::int32_t input(std::int32_t i) const {
    return is_among(i, here_->inputs) ? operands_[i] : refuse_number(i, "inputs", here_->inputs);
  }

  constexpr std::int32_t output(std::int32_t i) const {
    return is_among(i, here_->outputs) ? operands_[here_->inputs + i]
                                       : refuse_number(i, "outputs", here_->outputs);
  }

  constexpr std::int32_t owned(std::int32_t i) const {
    return is_among(i, here_->parameters) ? operands_[here_->inputs + here_->outputs + i]
                                          : refuse_number(i, "parameters", here_->parameters);
  }

  /// The position in graph_view::operands of a use of a parameter.
  constexpr std::int32_t use_at(std::int32_t of, std::int32_t use) const {
    return facts_->readers[facts_->first_reader[of] + use];
  }

  /// A call that adds to the first of several accumulators of parameter `i` all others, in their
  /// order: term k is that of use `first` + k x `stride`.
  constexpr void add_to_first(std::int32_t i, std::int32_t terms, std::int32_t first,
                              std::int32_t stride) {
    const std::int32_t of = owned(i);
    const tensor& whole = parameter(i);
    call_draft call =
        call_of(accumulator_sum_family, accumulator_sum_call{terms, {whole.lies, whole.extents}});
    const axis_id element = call.over(whole.extents.elements());
    call.all(terms);
    for (std::int32_t term = 0; term < terms; ++term) {
      const std::int32_t use = use_at(of, first + term * stride);
      const buffer_ref named = of_tensor(buffer_role::accumulator, of, use).flat();
      if (term == 0) {
        call.updates(named, {element});
      } else {
        call.reads(named, {element});
      }
    }
  }

  static constexpr bool is_among(std::int32_t number, std::int32_t count) {
    return number >= 0 && number < count;
  }

  /// Notes that a rule asked for what there is not. The answer is the model's input: a tensor like
  /// any other, so that the rule goes on to its end.
  constexpr std::int32_t refuse_number(std::int32_t number, std::string_view what,
                                       std::int32_t count) const {
    problem& found = made_->fault;
    if (!found.found()) {
      found = refuse(label("numbers of ") << what << " below " << count,
                     label() << number << " in a rule for " << rule_of(phase_),
                     "a family's shapes rule adds outputs and parameters, .inputs counts inputs");
      found.where = model_->place_of(*here_);
    }
    return 0;
  }

  /// Notes that a rule wants to add to what is learned as if it were a state.
  constexpr void refuse_contribution(std::int32_t i) const {
    problem& found = made_->fault;
    if (!found.found()) {
      found = refuse(label("emit.state_contribution of a state"),
                     label("number ") << i << ", a parameter, in a rule for " << rule_of(phase_),
                     "parameters and states are numbered together, as the shapes rule adds them");
      found.where = model_->place_of(*here_);
    }
  }

  constexpr void append(const family& code, const call_key& key) {
    emitted_call row;
    row.code = &code;
    row.key = key;
    row.phase = phase_;
    // Replicas update what they share together, from what is summed in the first.
    row.operands_of = phase_ == call_phase::update ? replica_reach::first : replica_reach::own;
    row.loss_weight = here_->weight;
    row.samples = samples_;
    row.node = node_;
    row.stage = here_->stage;
    row.first_operand = static_cast<std::int32_t>(made_->operands.size());
    const auto number = static_cast<std::int32_t>(made_->calls.size());
    made_->calls.push_back(row);
    made_->notes_accesses = number >= made_->noted.begin && number < made_->noted.end;
    if (made_->notes_accesses) {
      made_->accesses.calls.push_back(
          {.first_axis = static_cast<std::int32_t>(made_->accesses.axes.size()),
           .first_operand = static_cast<std::int32_t>(made_->accesses.operands.size())});
    }
  }

  constexpr buffer_ref of_tensor(buffer_role role, std::int32_t of, std::int32_t index) const {
    const tensor& atom = model_->at(of);
    const bool of_samples = per_sample(atom);
    const bool is_gradient = of_samples && role != buffer_role::value;
    const storage lies = is_gradient ? facts_->gradient_lies[of] : atom.lies;
    return {.role = role,
            .life = life_of(role, atom),
            .lies = lies,
            .held = lies,
            .type = atom.type,
            .samples = of_samples ? atom.samples : 0,
            .tensor = of,
            .index = index,
            .extents = atom.extents};
  }

  /// What a view makes of the elements of what it views.
  static constexpr buffer_ref seen_as(const tensor& view, const buffer_ref& viewed) {
    buffer_ref made = viewed.as(view.extents);
    if (made.samples != view.samples) {
      made.samples = view.samples;
      made.lies = view.lies;
    }
    return made;
  }

  /// Of a view the elements of what it views, in its own shape.
  constexpr buffer_ref value_of(std::int32_t of) const {
    const std::int32_t holder = model_->storage_of(of);
    const buffer_ref held = of_tensor(buffer_role::value, holder, 0);
    return holder == of ? held : seen_as(model_->at(of), held);
  }

  /// The gradient of a view is that of the tensor it views, unless others read that tensor too; of
  /// what one layer reads that hands gradients on, that of the layer's output.
  constexpr buffer_ref gradient_of(std::int32_t of) const {
    const tensor& atom = model_->at(of);
    if (atom.view_of < 0) {
      const std::int32_t first = facts_->first_reader[of];
      const bool read_once = facts_->reader_count(of) == 1;
      const std::int32_t from = read_once ? facts_->handed_on[facts_->readers[first]] : -1;
      return from < 0 ? of_tensor(buffer_role::gradient, of, 0) : gradient_of(from);
    }
    const bool alone = facts_->reader_count(atom.view_of) == 1;
    const buffer_ref viewed = alone ? gradient_of(atom.view_of)
                                    : contribution_at(model_->node_at(atom.producer).first_operand);
    return seen_as(atom, viewed);
  }

  constexpr buffer_ref contribution_at(std::int32_t position) const {
    const std::int32_t from = facts_->handed_on[position];
    if (from >= 0) {
      return gradient_of(from);
    }
    return of_tensor(buffer_role::contribution, model_->operands[position], position);
  }

  const graph_view* model_;
  const lowering_facts* facts_;
  buffer_index* index_;
  call_list* made_;
  const node* here_;
  const std::int32_t* operands_;  ///< of the node: inputs, outputs, parameters and states
  std::int32_t samples_;          ///< of what it makes, for each sample of the model
  std::int32_t node_;
  call_phase phase_;
};

}  // namespace ipu_dsl
