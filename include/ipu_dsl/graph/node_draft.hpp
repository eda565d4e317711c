// SPDX-License-Identifier: MIT
// A node while its family's rule looks at the inputs and adds what the node makes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <ipu_dsl/graph/graph.hpp>

namespace ipu_dsl {

/// What a family's `shapes` rule sees and fills in.
class node_draft {
 public:
  constexpr node_draft(graph& owner, const attributes& options,
                       std::span<const std::int32_t> inputs)
      : owner_(&owner), options_(&options), inputs_(inputs) {}

  /// The family's own options.
  template <typename Options>
  constexpr Options options() const {
    return options_->as<Options>();
  }

  constexpr std::int32_t inputs() const { return static_cast<std::int32_t>(inputs_.size()); }

  /// The shape of one sample of an input.
  constexpr const shape& input(std::int32_t index) {
    return owner_->tensors[static_cast<std::size_t>(tensor_of(index))].extents;
  }

  /// What a rule did wrong with the draft itself, if anything.
  constexpr const problem& fault() const { return fault_; }

  /// Adds an output of this shape, float32.
  constexpr void output(const shape& extents) { add_output(extents, -1); }

  /// Adds an output that is input `index` in another shape: no elements of its own, no calls.
  constexpr void view(std::int32_t index, const shape& extents) {
    add_output(extents, tensor_of(index));
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

 private:
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
    return inputs_[static_cast<std::size_t>(index)];
  }

  constexpr void check_made(const shape& extents, std::string_view what) {
    problem found = check_extents(extents);
    if (found.found()) {
      found.got << " for its " << what;
      fail(found);
    }
  }

  constexpr void add_output(const shape& extents, std::int32_t view_of) {
    check_made(extents, "output");
    tensor atom;
    atom.extents = extents;
    atom.producer = next_node();
    atom.view_of = view_of;
    owner_->tensors.push_back(atom);
  }

  constexpr void add_owned(std::string_view name, const shape& extents, const initializer& start,
                           tensor_role role, storage lies) {
    check_made(extents, name);
    tensor atom;
    atom.extents = extents;
    atom.role = role;
    atom.trainable = role == tensor_role::parameter;
    atom.owner = next_node();
    atom.start = start;
    atom.lies = lies;
    atom.name = name;
    owner_->tensors.push_back(atom);
  }

  constexpr std::int32_t next_node() const {
    return static_cast<std::int32_t>(owner_->nodes.size());
  }

  graph* owner_;
  const attributes* options_;
  std::span<const std::int32_t> inputs_;
  problem fault_;
};

}  // namespace ipu_dsl
