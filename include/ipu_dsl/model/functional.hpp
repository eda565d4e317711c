// SPDX-License-Identifier: MIT
// Models written as Keras's functional ones: types that build themselves.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include <ipu_dsl/core/late_refusal.hpp>
#include <ipu_dsl/model/functional_builder.hpp>
#include <ipu_dsl/model/model.hpp>

namespace ipu_dsl {

/// What `build` returns: one tensor, or `std::array<symbolic_tensor, 2>`.
template <typename T>
inline constexpr std::size_t built_outputs = 0;

template <>
inline constexpr std::size_t built_outputs<symbolic_tensor> = 1;

template <std::size_t Outputs>
inline constexpr std::size_t built_outputs<std::array<symbolic_tensor, Outputs>> = Outputs;

/// A model that builds itself.
template <typename M>
concept functional_model = !layered_model<M> && requires(functional_builder& builder) {
  requires(built_outputs<decltype(M::build(builder))> > 0);
};

template <functional_model M>
constexpr graph run_build(functional_builder& builder) {
  const auto made = M::build(builder);
  if constexpr (std::same_as<decltype(M::build(builder)), symbolic_tensor>) {
    return builder.finish({&made, 1});
  } else {
    return builder.finish(made);
  }
}

/// Whether a build can be run that adds nothing.
template <functional_model M>
constexpr bool run_idle_build() {
  functional_builder builder(functional_builder::idle{});
  static_cast<void>(M::build(builder));
  return true;
}

/// True, or no constant.
template <functional_model M>
inline const bool idle_build_of = run_idle_build<M>();

/// Whether the compiler can run what stands in a build but for the layers.
template <typename M>
concept build_runs = requires { typename std::bool_constant<idle_build_of<M>>; };

template <functional_model M>
struct model_fold<M> {
  static constexpr graph make() {
    functional_builder builder;
    return run_build<M>(builder);
  }

  /// Of a build that itself can be run it is the layers that cannot: most often there are too many
  /// for what a compiler does by itself, and nobody else says so. Of another the compiler has most
  /// often told the mistake in it.
  static constexpr problem refuse_late() {
    if constexpr (build_runs<M>) {
      problem found = refuse("as many layers as the compiler can add in the steps that it takes",
                             "more, or a rule of a layer that it can not run",
                             "-fconstexpr-steps= of clang and -fconstexpr-ops-limit= of g++ allow "
                             "more steps");
      found.where = "build";
      return found;
    } else {
      if (false) {
        static_cast<void>(late::build_not_constant<M>);
      }
      return heard_late(refuse("a build that the compiler can run", "one that it can not"));
    }
  }
};

}  // namespace ipu_dsl
