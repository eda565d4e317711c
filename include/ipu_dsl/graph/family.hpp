// SPDX-License-Identifier: MIT
// What all layers of a kind share: rules, as pointers to constexpr functions.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/core/storage.hpp>
#include <ipu_dsl/core/update_rule.hpp>
#include <ipu_dsl/graph/attributes.hpp>

namespace ipu_dsl {

class node_draft;
class emitter;

/// Of inputs, where the rule for shapes says how many there may be.
inline constexpr std::int32_t any_number = -1;

/// What stands for names that are in braces of their own.
inline constexpr std::string_view names_in_one = "{...}";

/// The name of what an optimizer keeps. Several names in braces of their own, one pair too many,
/// are refused with a sentence later; for a `std::string_view` two are the ends of one.
struct kept_name : std::string_view {
  constexpr kept_name() : std::string_view("") {}

  constexpr kept_name(const char* name) : std::string_view(name) {}

  constexpr kept_name(std::string_view name) : std::string_view(name) {}

  constexpr kept_name(const char*, const char*, const char* = "", const char* = "")
      : std::string_view(names_in_one) {}
};

/// What an optimizer keeps beside a parameter: so many tensors like it, each with a name, by which
/// files know them: {"m", "v"}.
struct kept_slots {
  static constexpr std::int32_t most = 4;

  kept_name names[4] = {};

  constexpr std::int32_t count() const {
    std::int32_t found = 0;
    while (found < most && !names[found].empty()) {
      ++found;
    }
    return found;
  }
};

struct family;

/// What an optimizer does beside the rule of another that it is made of.
struct adapted_update {
  const family* of = nullptr;
  bool clips = false;       ///< the gradient by value
  bool decays = false;      ///< the parameter before the update
  bool clips_norm = false;  ///< the gradient by the norm of its parameter's
  bool averages = false;    ///< keeps a moving average of the parameter, as its last slot
};

/// What makes one mask of those of several inputs: a node of this family, which reads them.
struct mask_join {
  const family* rule = nullptr;  ///< null: nothing does
  attributes options = {};
  bool takes_steps = false;  ///< the steps of all inputs, one behind the other: each has its mask
};

/// Of layers that make of every position what depends on that position alone.
constexpr problem each_step_alone(attributes&) {
  return {};
}

/// What stands between a sequence and layers that are at every step of it: its steps are samples
/// there, so many more of each micro-batch, of which a layer knows nothing.
enum class sequence_view : std::uint8_t {
  none,
  steps_as_samples,
  samples_as_steps  ///< they are steps again, and have the mask of the sequence
};

/// The rules of a kind of node: a layer, a loss, a metric, an optimizer. Ours and a user's are
/// alike. A family is one constexpr object with static storage; a node points to it, and the code
/// of its kernels is `template <> struct operators<&the_family>`.
///
/// Every rule has a default that does nothing, and no rule is ever null: g++ 12 with UBSan refuses
/// to compare function pointers during constant evaluation.
struct family {
  /// For messages and summaries: "Dense".
  std::string_view name;

  /// The layer as the user wrote it, without the options that are at their default: "Dense<10>".
  label (*describe)(const family& self, const attributes& options) =
      [](const family& self, const attributes&) { return label(self.name); };

  /// How many inputs it takes, or `any_number`; `shapes` is not asked about others.
  std::int32_t inputs = 1;

  /// It takes inputs of int32 and of uint8 as well as of float32.
  bool reads_integers = false;

  /// So many of its last inputs are numbers that the host gives before a run: `build.value(...)`.
  /// A rule names them to a call with `call.scalar(emit.run_value(1))`.
  std::int32_t run_values = 0;

  /// Checks the inputs; adds outputs, parameters and states to the draft. A problem that it returns
  /// says what was expected and got; the caller adds where.
  problem (*shapes)(node_draft& draft) = [](node_draft&) { return problem{}; };

  /// Appends the kernel calls of the forward pass of one micro-batch.
  void (*forward)(emitter& emit) = [](emitter&) {};

  /// Appends the calls that turn the outputs' gradients into the inputs' gradients.
  void (*input_gradient)(emitter& emit) = [](emitter&) {};

  /// Appends the calls that add to the parameters' gradients.
  void (*weight_gradient)(emitter& emit) = [](emitter&) {};

  /// Layers with states only: appends the calls that fold what the micro-batches contributed into
  /// the states. They are part of the update. A call that reads an `emitter::state_contribution` is
  /// performed once for every micro-batch of the update, in their order, that of all replicas; it
  /// is told which in `run_context::micro_batch`.
  void (*fold)(emitter& emit) = [](emitter&) {};

  /// Optimizers only: appends the calls that update one parameter.
  void (*update)(emitter& emit) = [](emitter&) {};

  /// Layers only: the activation that ends what it computes, gates aside; none is told where it
  /// could have none. By it a loss knows probabilities, which it must not take for logits, and
  /// metrics know logits.
  told_activation (*activation)(const attributes& options) = [](const attributes&) {
    return told_activation();
  };

  /// Layers of one output only: where its own activation is linear, its rule for `forward` puts
  /// what it writes through `emitter::applies`, the elementwise activation behind it, and none of
  /// its rules reads the output again. That spares a call of its own over both.
  bool applies_activation = false;

  /// Layers of one input only: what they make of it is the activation that they tell of, number by
  /// number; its rule for `forward` is not asked where the layer before has applied that.
  bool only_activates = false;

  /// Layers only: the gradient of its one output may have gone through the activation that it tells
  /// of, see `puts_through`, or in the sum of what several readers wrote; its rules ask whether it
  /// has.
  bool takes_gradient_put_through = false;

  /// Layers only: whether it can put the gradient of its input, that lies so, through the
  /// activation that made the input, because it writes each number of it once. That spares a call
  /// of its own over both. Its rule asks which one.
  bool (*puts_through)(const attributes& options, const shape& input, storage lies) =
      [](const attributes&, const shape&, storage) { return false; };

  /// Layers of one output only: the gradient of every input is that of the output, number by
  /// number, once that has been put through the activation that it tells of. Then the gradients lie
  /// in one piece of memory where that can be: its rule for `input_gradient` asks
  /// `emitter::hands_gradient_on` whether there is something to write.
  bool hands_gradient_on = false;

  /// Layers only: whether its parameters are a kernel, whose last extents are the channels of its
  /// output, and perhaps a bias, so that a factor and a shift of each channel can be folded into
  /// them; `options` become those of the layer with a bias.
  bool (*folds_channels)(attributes& options) = [](attributes&) { return false; };

  /// Layers only: what becomes of the options in a model that is given one step of a sequence after
  /// the other, `one_step<M>`; a layer that carries something from step to step finds it there. Or
  /// why there is no such layer, which is so unless the family says otherwise.
  problem (*one_step)(attributes& options) = [](attributes&) {
    return refuse("a layer that can be given one step after the other",
                  "one that takes all steps together",
                  "push needs the answer of every step at once");
  };

  /// Layers only: what says how many outputs there are, a hint for who takes another number of
  /// them.
  std::string_view outputs_hint = {};

  /// Layers only: what makes a sequence of its output where that is a vector, a hint for who reads
  /// sequences.
  std::string_view sequence_hint = {};

  /// Layers only: what it makes of a sample depends on which axis is the first, so that it is
  /// another at every step of a sequence, in `TimeDistributed`, than of the sequence.
  bool counts_axes = false;

  /// How samples of more than one axis may lie that its kernels read, in order of preference; all
  /// inputs of a node lie alike. Its rules then see one of these in `buffer_ref::lies`; or rows, of
  /// what would not be padded otherwise in positions.
  storage_order reads = {storage::rows};

  /// The same of what it writes: the storage of what it reads if that is among them, otherwise the
  /// first. Where a reader wants another, a call between the two lays it out anew.
  storage_order writes = {storage::rows};

  /// Layers only: what it makes of a step depends on that step of its inputs alone, or does not
  /// care which steps there are, so that its output has the mask of its inputs.
  bool passes_mask = false;

  /// Such layers of several inputs only: how the masks of these become one, where the first input
  /// has the shape `input`.
  mask_join (*join_masks)(const attributes& options, const shape& input) =
      [](const attributes&, const shape&) { return mask_join{}; };

  /// Layers only: it is told which steps of its first input there are, where not all are, as its
  /// last input.
  bool reads_mask = false;

  /// Beside that: of several inputs it is told which steps of those behind the first there are, by
  /// all their masks; what it makes has the mask of the first.
  bool reads_mask_of_others = false;

  /// Beside that: how many of its last inputs only say something about those before them, and have
  /// no mask.
  std::int32_t (*inputs_beside)(const attributes& options) = [](const attributes&) {
    return std::int32_t{0};
  };

  /// It is a view, of the same elements, between steps and samples.
  sequence_view sees = sequence_view::none;

  /// Only lays its one input out anew: who wants that as it lay reads it there.
  bool lays_out = false;

  /// Layers only: it moves numbers, picks and averages them, or leaves them as they are but for
  /// noise in training, so that probabilities are still some. An activation that it tells of counts
  /// instead.
  bool keeps_bounds = false;

  /// How else than the values themselves the outputs' gradients may lie that it reads, and the
  /// inputs' that it writes: in columns, what a chain of gemms does without transposing twice.
  storage_order gradients = {};

  /// Optimizers only: what is kept beside each number of a parameter, by name.
  kept_slots kept = {};

  /// Optimizers only: the update of a number needs nothing but its gradient and what is kept beside
  /// it, as `update_rule<&the_family>` says it, so that a weight gradient can end with it.
  bool elementwise = false;

  /// Optimizers only: what they sum up over a parameter before they move it, as their rule says it.
  /// Such a one is not elementwise.
  whole_sums sums = {};

  /// Optimizers only: the one that it adapts, if it does.
  adapted_update adapted = {};

  /// Layers only: the kernels of `weight_gradient` complete the gradients of all parameters and can
  /// update them while they are at it, as `emitter::fused_update` tells.
  bool updates_with_gradient = false;
};

}  // namespace ipu_dsl
