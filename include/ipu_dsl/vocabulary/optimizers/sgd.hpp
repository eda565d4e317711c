// SPDX-License-Identifier: MIT
// Stochastic gradient descent, plain or with momentum.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include <ipu_dsl/core/option.hpp>
#include <ipu_dsl/core/update_kind.hpp>
#include <ipu_dsl/graph/emitter.hpp>
#include <ipu_dsl/graph/transfer.hpp>

namespace ipu_dsl {

namespace sgd_rules {

/// A call for each parameter.
template <update_kind Kind>
constexpr void update(emitter& emit) {
  for (std::int32_t i = 0; i < emit.parameters(); ++i) {
    const tensor& parameter = emit.parameter(i);
    if (!parameter.trainable) {
      continue;
    }
    call_draft call =
        emit.call_of(emit.optimizer(), parameter_extents{parameter.lies, parameter.extents});
    const axis_id element = call.over(parameter.extents.elements());
    call.updates(emit.parameter_value(i).flat(), {element});
    for (std::int32_t slot = 0; slot < slots_of(Kind); ++slot) {
      call.updates(emit.optimizer_slot(i, slot).flat(), {element});
    }
    call.reads(emit.accumulator(i).flat(), {element});
  }
}

}  // namespace sgd_rules

template <update_kind Kind>
inline constexpr family sgd_family{
    .name = "sgd", .update = sgd_rules::update<Kind>, .elementwise_update = Kind};

inline constexpr option_key momentum_key{"momentum"};
inline constexpr option_key nesterov_key{"nesterov"};

/// The numbers of plain descent.
struct sgd_settings {
  float learning_rate = 0.01F;

  /// As the operators read them: {learning rate, momentum}.
  constexpr void write(std::span<float, 4> numbers) const { numbers[0] = learning_rate; }

  /// What is wrong with them.
  constexpr problem fault() const {
    if (learning_rate > (std::numeric_limits<float>::max)()) {
      return refuse("a finite learning_rate", "infinity");
    }
    // Comparisons with a NaN are false, so that one is refused as well.
    if (learning_rate >= 0) {
      return {};
    }
    return refuse("a learning_rate of at least 0", label() << learning_rate);
  }
};

/// The numbers of descent with momentum. Keras's momentum is 0 unless it is said; who asks for
/// momentum by type gets the usual one.
struct sgd_momentum_settings {
  float learning_rate = 0.01F;
  float momentum = 0.9F;

  constexpr void write(std::span<float, 4> numbers) const {
    numbers[0] = learning_rate;
    numbers[1] = momentum;
  }

  constexpr problem fault() const {
    if (momentum >= 0 && momentum <= 1) {
      return sgd_settings{learning_rate}.fault();
    }
    return refuse("a momentum of 0 to 1", label() << momentum);
  }
};

/// Keeps a velocity beside every parameter.
struct momentum {
  static constexpr option as_option{&momentum_key, 1};
};

/// Looks ahead along the velocity; keeps one as `momentum` does.
struct nesterov {
  static constexpr option as_option{&nesterov_key, 1};
};

/// `optimizer<sgd<>>`, `optimizer<sgd<momentum>>`, `optimizer<sgd<momentum, nesterov>>`: what it
/// keeps beside the parameters stands in the type, the numbers are given to the session.
template <typename... Options>
struct sgd {
 private:
  static constexpr const option_list<sizeof...(Options)>& given = options_of<Options...>;
  static constexpr const option_key* accepted[] = {&momentum_key, &nesterov_key};

 public:
  static constexpr problem fault = given.find_fault(accepted);
  static constexpr update_kind kind = given.given(nesterov_key)   ? update_kind::nesterov
                                      : given.given(momentum_key) ? update_kind::momentum
                                                                  : update_kind::descent;
  static constexpr const family* rule = &sgd_family<kind>;

  /// Given to the session: `session<training> run{{.learning_rate = 0.01F, .momentum = 0.9F}}`.
  using settings =
      std::conditional_t<kind == update_kind::descent, sgd_settings, sgd_momentum_settings>;
};

}  // namespace ipu_dsl
