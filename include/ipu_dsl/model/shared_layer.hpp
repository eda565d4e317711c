// SPDX-License-Identifier: MIT
// A layer of a functional model that is called more than once.
#pragma once

#include <cstddef>

#include <ipu_dsl/model/symbolic_tensor.hpp>

namespace ipu_dsl {

/// A layer whose calls share its parameters and states: see `functional_builder::shared`.
class shared_layer {
 public:
  /// Calls the layer on one or more tensors, of the shapes of its first call and in its stage.
  template <typename... Inputs>
  constexpr symbolic_tensor operator()(Inputs... inputs) const;

 private:
  friend functional_builder;

  constexpr shared_layer(functional_builder& builder, std::size_t number)
      : builder_(&builder), number_(number) {}

  functional_builder* builder_;
  std::size_t number_;  ///< among the shared layers of the builder
};

}  // namespace ipu_dsl
