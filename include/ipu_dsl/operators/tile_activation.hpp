// SPDX-License-Identifier: MIT
// Activations tile by tile.
#pragma once

#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/activation_kind.hpp>
#include <ipu_dsl/kernels/activation.hpp>
#include <ipu_dsl/kernels/exponential.hpp>
#include <ipu_dsl/operators/tile_operators.hpp>
#include <ipu_dsl/vocabulary/layers/activation.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

namespace tile_code {

/// Calls `body` with the kind as a constant; softmax, which is not elementwise, is left out.
template <typename Body>
void with_activation(activation_kind kind, const Body& body) {
  const auto as = [&]<activation_kind Kind>() {
    if (kind == Kind) {
      body(std::integral_constant<activation_kind, Kind>());
    }
  };
  as.template operator()<activation_kind::linear>();
  as.template operator()<activation_kind::relu>();
  as.template operator()<activation_kind::leaky_relu>();
  as.template operator()<activation_kind::elu>();
  as.template operator()<activation_kind::gelu>();
  as.template operator()<activation_kind::swish>();
  as.template operator()<activation_kind::sigmoid>();
  as.template operator()<activation_kind::tanh>();
  as.template operator()<activation_kind::softplus>();
}

/// Calls `body(row, column)` for every element of a block.
template <typename Body>
void for_elements(const private_matrix& block, const Body& body) {
  for (std::int32_t row = 0; row < block.rows(); ++row) {
    for (std::int32_t column = 0; column < block.columns(); ++column) {
      body(row, column);
    }
  }
}

/// The largest element of a row.
inline float largest_of_row(const private_matrix& x, std::int32_t row) {
  float largest = x(row, 0);
  for (std::int32_t n = 1; n < x.columns(); ++n) {
    largest = kernels::maximum(largest, x(row, n));
  }
  return largest;
}

/// Writes e^(x - largest) of a row into `y`, which may be `x`; their sum, in ascending order.
inline float exponentials_of_row(const private_matrix& x, const private_matrix& y, std::int32_t row,
                                 float largest) {
  float sum = 0.0F;
  for (std::int32_t n = 0; n < x.columns(); ++n) {
    y(row, n) = kernels::exponential(x(row, n) - largest);
    sum = sum + y(row, n);
  }
  return sum;
}

/// y = softmax(x) of whole rows; `y` may be `x`.
inline void softmax_rows(const private_matrix& x, const private_matrix& y) {
  for (std::int32_t row = 0; row < y.rows(); ++row) {
    const float sum = exponentials_of_row(x, y, row, largest_of_row(x, row));
    for (std::int32_t n = 0; n < y.columns(); ++n) {
      y(row, n) = kernels::divide(y(row, n), sum);
    }
  }
}

/// dx = y * (gradient - sum of gradient * y) of whole rows.
inline void softmax_gradient_rows(const private_matrix& gradient, const private_matrix& y,
                                  const private_matrix& dx) {
  for (std::int32_t row = 0; row < dx.rows(); ++row) {
    float mean = 0.0F;
    for (std::int32_t n = 0; n < dx.columns(); ++n) {
      mean = kernels::multiply_add(gradient(row, n), y(row, n), mean);
    }
    for (std::int32_t n = 0; n < dx.columns(); ++n) {
      dx(row, n) = y(row, n) * (gradient(row, n) - mean);
    }
  }
}

/// y = activation(x); `y` may be `x`. Softmax needs whole rows.
inline void activate_block(activation_kind kind, const private_matrix& x, const private_matrix& y,
                           float alpha) {
  if (kind == activation_kind::softmax) {
    softmax_rows(x, y);
    return;
  }
  with_activation(kind, [&](auto constant) {
    for_elements(y, [&](std::int32_t row, std::int32_t column) {
      y(row, column) = kernels::activate<constant.value>(x(row, column), alpha);
    });
  });
}

/// dx = gradient * activation' from the activation's output.
inline void gradient_block_from_output(activation_kind kind, const private_matrix& gradient,
                                       const private_matrix& y, const private_matrix& dx,
                                       float alpha) {
  if (kind == activation_kind::softmax) {
    softmax_gradient_rows(gradient, y, dx);
    return;
  }
  with_activation(kind, [&](auto constant) {
    if constexpr (gradient_from_output(constant.value)) {
      for_elements(dx, [&](std::int32_t row, std::int32_t column) {
        dx(row, column) =
            kernels::gradient_through<constant.value>(gradient(row, column), y(row, column), alpha);
      });
    }
  });
}

/// dx = gradient * activation' from the activation's input.
inline void gradient_block_from_input(activation_kind kind, const private_matrix& gradient,
                                      const private_matrix& x, const private_matrix& dx,
                                      float alpha) {
  with_activation(kind, [&](auto constant) {
    for_elements(dx, [&](std::int32_t row, std::int32_t column) {
      const float derivative =
          kernels::derivative_from_input<constant.value>(x(row, column), alpha);
      dx(row, column) = gradient(row, column) * derivative;
    });
  });
}

}  // namespace tile_code

template <>
struct tile_operators<&activation_family> {
  static tile_jobs jobs(const call_signature& signature) {
    const stored_matrix rows(storage::rows, signature.extents[1], signature.extents[2]);
    const bool is_forward =
        static_cast<activation_variant>(signature.variant) == activation_variant::forward;
    tile_job job{.rows = rows.rows(),
                 .columns = rows.columns(),
                 .whole_rows = kind_of(signature) == activation_kind::softmax,
                 .compute = is_forward ? forward : gradient,
                 .operands = {}};
    job.writes(0, rows).reads(1, rows);
    if (!is_forward) {
      job.reads(2, rows);
    }
    return {job};
  }

 private:
  static activation_kind kind_of(const call_signature& signature) {
    return static_cast<activation_kind>(signature.extents[0]);
  }

  static void forward(const tile_step& here) {
    tile_code::activate_block(kind_of(here.signature), here.operands[1], here.operands[0],
                              here.scalars[0]);
  }

  static void gradient(const tile_step& here) {
    const activation_kind kind = kind_of(here.signature);
    if (activation_rules::reads_output(kind)) {
      tile_code::gradient_block_from_output(kind, here.operands[1], here.operands[2],
                                            here.operands[0], here.scalars[0]);
    } else {
      tile_code::gradient_block_from_input(kind, here.operands[1], here.operands[2],
                                           here.operands[0], here.scalars[0]);
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
