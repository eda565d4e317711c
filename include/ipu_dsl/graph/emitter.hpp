// SPDX-License-Identifier: MIT
// What a family's rules lower a node with: they ask for buffers and append calls.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include <ipu_dsl/graph/buffer_index.hpp>
#include <ipu_dsl/graph/call.hpp>
#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/graph/lowering_facts.hpp>

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
        node_(node),
        phase_(phase) {}

  /// The family's own options.
  template <typename Options>
  constexpr Options options() const {
    return here_->options.template as<Options>();
  }

  /// Samples in a micro-batch.
  constexpr std::int32_t batch() const { return facts_->batch; }

  /// The optimizer whose rule lowers the update.
  constexpr const family& optimizer() const { return *facts_->optimizer; }

  /// The update with which the node's weight gradients end, in the last micro-batch; `none` if
  /// the optimizer's own calls do it.
  constexpr update_kind fused_update() const {
    // The gradients of replicas are complete only when they are summed.
    if (facts_->replicas > 1 || !here_->rule->updates_with_gradient) {
      return update_kind::none;
    }
    for (std::int32_t i = 0; i < here_->parameters; ++i) {
      if (!parameter(i).trainable) {
        return update_kind::none;
      }
    }
    return facts_->optimizer->elementwise_update;
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

  constexpr std::int32_t input_value(std::int32_t i) { return value_of(input(i)); }

  constexpr std::int32_t output_value(std::int32_t i) { return value_of(output(i)); }

  constexpr std::int32_t parameter_value(std::int32_t i) { return value_of(owned(i)); }

  /// Where this node reads the gradient of its output `i`; all consumers have added to it.
  constexpr std::int32_t output_gradient(std::int32_t i) { return gradient_of(output(i)); }

  /// Where this node writes the gradient of its input `i`.
  constexpr std::int32_t input_gradient(std::int32_t i) {
    const std::int32_t position = here_->first_operand + i;
    const std::int32_t read = input(i);
    return facts_->reader_count(read) == 1 ? gradient_of(read) : contribution_at(position);
  }

  constexpr storage output_gradient_lies(std::int32_t i) const {
    return facts_->gradient_lies[at(output(i))];
  }

  constexpr storage input_gradient_lies(std::int32_t i) const {
    return facts_->gradient_lies[at(input(i))];
  }

  constexpr std::int32_t accumulator(std::int32_t i) {
    return find(index_->accumulator[at(owned(i))], buffer_role::accumulator, owned(i), 0);
  }

  /// Slots are those of the optimizer, of which a parameter has at most four.
  constexpr std::int32_t optimizer_slot(std::int32_t i, std::int32_t slot) {
    constexpr auto most = static_cast<std::int32_t>(buffer_index::slots_per_parameter);
    slot = is_among(slot, most) ? slot : refuse_number(slot, "optimizer slots", most);
    const std::size_t entry = at(owned(i)) * buffer_index::slots_per_parameter + at(slot);
    return find(index_->slot[entry], buffer_role::optimizer_slot, owned(i), slot);
  }

  /// Memory of this node's own for one micro-batch, of `extents` a sample; the same for the same
  /// tag in every phase; a node has four tags.
  constexpr std::int32_t scratch(std::int32_t tag, const shape& extents, storage lies) {
    constexpr auto most = static_cast<std::int32_t>(buffer_index::scratch_per_node);
    tag = is_among(tag, most) ? tag : refuse_number(tag, "scratch tags", most);
    std::int32_t& entry = index_->scratch[at(node_) * buffer_index::scratch_per_node + at(tag)];
    if (entry < 0) {
      entry = add({.role = buffer_role::scratch,
                   .lies = lies,
                   .index = tag,
                   .stage = here_->stage,
                   .extents = extents});
    }
    return entry;
  }

  /// Appends a call that writes and reads these buffers. `code` is found as
  /// `operators<&family>::run<signature>`.
  constexpr void call_kernel(const family& code, const call_signature& signature,
                             std::initializer_list<std::int32_t> writes,
                             std::initializer_list<std::int32_t> reads, const work& cost,
                             float scalar_0 = 0, float scalar_1 = 0) {
    emitted_call row = draft(code, signature, cost);
    row.scalars[0] = scalar_0;
    row.scalars[1] = scalar_1;
    append(row, {writes.begin(), writes.size()}, {reads.begin(), reads.size()});
  }

  /// The same, with the code of the node's own family.
  constexpr void call_kernel(const call_signature& signature,
                             std::initializer_list<std::int32_t> writes,
                             std::initializer_list<std::int32_t> reads, const work& cost,
                             float scalar_0 = 0, float scalar_1 = 0) {
    call_kernel(*here_->rule, signature, writes, reads, cost, scalar_0, scalar_1);
  }

  /// The same, for as many buffers as there are.
  constexpr void call_kernel(const call_signature& signature, std::span<const std::int32_t> writes,
                             std::span<const std::int32_t> reads, const work& cost) {
    append(draft(*here_->rule, signature, cost), writes, reads);
  }

  /// Sums the accumulators that the replicas have for a parameter, in their order, into that of the
  /// first; nothing if there is one replica.
  constexpr void sum_replicas(const family& sum, std::int32_t i) {
    if (facts_->replicas == 1) {
      return;
    }
    const tensor& whole = parameter(i);
    const std::int32_t written[] = {accumulator(i)};
    const list<std::int32_t> reads(static_cast<std::size_t>(facts_->replicas - 1), accumulator(i));
    emitted_call row =
        draft(sum, signature_of_parameter(facts_->replicas, whole),
              {.kind = work_kind::elementwise, .m = whole.extents.elements() * facts_->replicas});
    row.operands_of = replica_reach::each;
    append(row, written, {reads.data(), reads.size()});
  }

  /// Fills the features, and the labels unless `labels` is -1, from the feed.
  constexpr void read_feed(const family& infeed, std::int32_t features, std::int32_t labels) {
    const std::int64_t elements = model_->at(features).extents.elements();
    const bool labelled = labels >= 0;
    const call_signature signature = {
        .extents = {batch(), static_cast<std::int32_t>(elements), labelled ? 1 : 0}};
    list<std::int32_t> writes;
    writes.push_back(value_of(features));
    if (labelled) {
      writes.push_back(value_of(labels));
    }
    append(draft(infeed, signature, {.kind = work_kind::copy, .m = elements * batch()}),
           {writes.data(), writes.size()}, {});
  }

  /// Hands the rows of a tensor to whoever runs the program.
  constexpr void write_output(const family& outfeed, std::int32_t output) {
    const std::int64_t elements = model_->at(output).extents.elements();
    const std::int32_t reads[] = {value_of(output)};
    append(draft(outfeed, {.extents = {batch(), static_cast<std::int32_t>(elements)}},
                 {.kind = work_kind::copy, .m = elements * batch()}),
           {}, reads);
  }

  /// Sums into the gradient of output `i` what its readers wrote, in the order of the readers and
  /// never in that of arrival. A single reader has written the gradient itself.
  constexpr void sum_output_gradient(const family& sum, std::int32_t i) {
    const std::int32_t made = output(i);
    const std::int32_t readers = facts_->reader_count(made);
    if (readers == 1) {
      return;
    }
    list<std::int32_t> reads;
    for (std::int32_t reader = 0; reader < readers; ++reader) {
      const auto entry = at(facts_->first_reader[at(made)] + reader);
      reads.push_back(contribution_at(facts_->readers[entry]));
    }
    const std::int32_t written[] = {output_gradient(i)};
    const std::int64_t elements = model_->at(made).extents.elements();
    const call_signature signature = {
        .extents = {readers, batch(), static_cast<std::int32_t>(elements)}};
    append(draft(sum, signature, {.kind = work_kind::elementwise, .m = elements * batch()}),
           written, {reads.data(), reads.size()});
  }

 private:
  static constexpr std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

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

  constexpr emitted_call draft(const family& code, const call_signature& signature,
                               const work& cost) const {
    emitted_call row;
    row.code = &code;
    row.signature = signature;
    row.phase = phase_;
    // Replicas update what they share together, from what is summed in the first.
    row.operands_of = phase_ == call_phase::update ? replica_reach::first : replica_reach::own;
    row.node = node_;
    row.stage = here_->stage;
    row.cost = cost;
    return row;
  }

  constexpr void append(emitted_call row, std::span<const std::int32_t> writes,
                        std::span<const std::int32_t> reads) {
    row.first_operand = static_cast<std::int32_t>(made_->operands.size());
    row.writes = static_cast<std::int32_t>(writes.size());
    row.reads = static_cast<std::int32_t>(reads.size());
    made_->operands.append(writes);
    made_->operands.append(reads);
    made_->calls.push_back(row);
  }

  constexpr std::int32_t add(const buffer& memory) {
    made_->buffers.push_back(memory);
    return static_cast<std::int32_t>(made_->buffers.size()) - 1;
  }

  constexpr std::int32_t find(std::int32_t& entry, buffer_role role, std::int32_t of,
                              std::int32_t index) {
    if (entry < 0) {
      const tensor& atom = model_->at(of);
      const bool is_gradient = role == buffer_role::gradient || role == buffer_role::contribution;
      entry = add({.role = role,
                   .lies = is_gradient ? facts_->gradient_lies[at(of)] : atom.lies,
                   .type = atom.type,
                   .tensor = of,
                   .index = index,
                   .stage = here_->stage,
                   .extents = atom.extents});
    }
    return entry;
  }

  constexpr std::int32_t value_of(std::int32_t of) {
    const std::int32_t holder = model_->storage_of(of);
    return find(index_->value[at(holder)], buffer_role::value, holder, 0);
  }

  /// The gradient of a view is that of the tensor it views, unless others read that tensor too.
  constexpr std::int32_t gradient_of(std::int32_t of) {
    const tensor& atom = model_->at(of);
    if (atom.view_of < 0) {
      return find(index_->gradient[at(of)], buffer_role::gradient, of, 0);
    }
    if (facts_->reader_count(atom.view_of) == 1) {
      return gradient_of(atom.view_of);
    }
    return contribution_at(model_->node_at(atom.producer).first_operand);
  }

  constexpr std::int32_t contribution_at(std::int32_t position) {
    return find(index_->contribution[at(position)], buffer_role::contribution,
                model_->operands[at(position)], position);
  }

  const graph_view* model_;
  const lowering_facts* facts_;
  buffer_index* index_;
  call_list* made_;
  const node* here_;
  const std::int32_t* operands_;  ///< of the node: inputs, outputs, parameters and states
  std::int32_t node_;
  call_phase phase_;
};

}  // namespace ipu_dsl
