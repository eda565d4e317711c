// SPDX-License-Identifier: MIT
// Dense tile by tile: each output is one chain of multiply-adds, in the order of the kernels; the
// input gradient of a single sample is a sum of several.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/update_kind.hpp>
#include <ipu_dsl/graph/transfer.hpp>
#include <ipu_dsl/kernels/dense_input_gradient_sample.hpp>
#include <ipu_dsl/kernels/simd.hpp>
#include <ipu_dsl/operators/tile_activation.hpp>
#include <ipu_dsl/operators/tile_operators.hpp>
#include <ipu_dsl/operators/tile_sgd.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

template <>
struct tile_operators<&dense_family> {
  static tile_jobs jobs(const call_signature& signature) {
    switch (static_cast<dense_variant>(signature.variant)) {
      case dense_variant::forward:
        return {forward_job(signature)};
      case dense_variant::output_gradient:
        return {output_gradient_job(signature)};
      case dense_variant::input_gradient:
        return {input_gradient_job(signature)};
      case dense_variant::weight_gradient:
        break;
    }
    if (has_bias(signature)) {
      return {weight_gradient_job(signature), bias_gradient_job(signature)};
    }
    return {weight_gradient_job(signature)};
  }

 private:
  static std::int32_t batch(const call_signature& signature) { return signature.extents[0]; }

  static std::int32_t inputs(const call_signature& signature) { return signature.extents[1]; }

  static std::int32_t units(const call_signature& signature) { return signature.extents[2]; }

  static activation_kind kind_of(const call_signature& signature) {
    return static_cast<activation_kind>(signature.extents[3]);
  }

  static bool has_bias(const call_signature& signature) { return signature.extents[4] != 0; }

  static update_kind update_of(const call_signature& signature) {
    return static_cast<update_kind>(signature.extents[6]);
  }

  static stored_matrix kernel_matrix(const call_signature& signature) {
    return {storage::panels, inputs(signature), units(signature)};
  }

  static stored_matrix bias_matrix(const call_signature& signature) {
    return {storage::panel_bias, 1, units(signature)};
  }

  static stored_matrix input_matrix(const call_signature& signature, storage lies) {
    return {lies, batch(signature), inputs(signature)};
  }

  static stored_matrix output_matrix(const call_signature& signature, storage lies) {
    return {lies, batch(signature), units(signature)};
  }

  /// y [batch, units] from rows of x and columns of the kernel.
  static tile_job forward_job(const call_signature& signature) {
    tile_job job{.rows = batch(signature),
                 .columns = units(signature),
                 .whole_rows = kind_of(signature) == activation_kind::softmax,
                 .compute = forward,
                 .operands = {}};
    job.writes(0, output_matrix(signature, storage::rows))
        .reads(1, input_matrix(signature, storage::rows), block_reach::rows, block_reach::all)
        .reads(2, kernel_matrix(signature), block_reach::all, block_reach::columns);
    if (has_bias(signature)) {
      job.reads(3, bias_matrix(signature), block_reach::all, block_reach::columns);
    }
    return job;
  }

  static void forward(const tile_step& here) {
    const private_matrix& y = here.operands[0];
    const private_matrix& x = here.operands[1];
    const private_matrix& kernel = here.operands[2];
    tile_code::for_elements(y, [&](std::int32_t row, std::int32_t column) {
      float sum = has_bias(here.signature) ? here.operands[3](0, column) : 0.0F;
      for (std::int32_t k = 0; k < x.columns(); ++k) {
        sum = kernels::multiply_add(x(row, k), kernel(k, column), sum);
      }
      y(row, column) = sum;
    });
    tile_code::activate_block(kind_of(here.signature), y, y, here.scalars[0]);
  }

  /// d [batch, units] in one layout or in both, from the output's gradient and the output.
  static tile_job output_gradient_job(const call_signature& signature) {
    const bool both = signature.extents[6] != 0;
    const storage lies = signature.extents[5] != 0 ? storage::columns : storage::rows;
    const std::int32_t read = both ? 2 : 1;
    tile_job job{.rows = batch(signature),
                 .columns = units(signature),
                 .whole_rows = kind_of(signature) == activation_kind::softmax,
                 .compute = output_gradient,
                 .operands = {}};
    job.reads(read, output_matrix(signature, lies))
        .reads(read + 1, output_matrix(signature, storage::rows))
        .writes(0, output_matrix(signature, storage::rows));
    if (both) {
      job.writes(1, output_matrix(signature, storage::columns));
    }
    return job;
  }

  static void output_gradient(const tile_step& here) {
    const private_matrix& d = here.operands[2];
    tile_code::gradient_block_from_output(kind_of(here.signature), here.operands[0],
                                          here.operands[1], d, here.scalars[0]);
    if (here.signature.extents[6] != 0) {
      tile_code::for_elements(d, [&](std::int32_t row, std::int32_t column) {
        here.operands[3](row, column) = d(row, column);
      });
    }
  }

  /// dx [batch, inputs] from rows of d and rows of the kernel.
  static tile_job input_gradient_job(const call_signature& signature) {
    tile_job job{.rows = batch(signature),
                 .columns = inputs(signature),
                 .compute = input_gradient,
                 .operands = {}};
    job.writes(0, input_matrix(signature, storage::columns))
        .reads(1, kernel_matrix(signature), block_reach::columns, block_reach::all)
        .reads(2, output_matrix(signature, storage::columns), block_reach::rows, block_reach::all);
    return job;
  }

  static void input_gradient(const tile_step& here) {
    const private_matrix& kernel = here.operands[1];
    const private_matrix& d = here.operands[2];
    tile_code::for_elements(here.operands[0], [&](std::int32_t row, std::int32_t column) {
      if (batch(here.signature) == 1) {
        here.operands[0](row, column) = sum_of_row_chains(kernel, column, d);
        return;
      }
      float sum = 0.0F;
      for (std::int32_t n = 0; n < d.columns(); ++n) {
        sum = kernels::multiply_add(kernel(column, n), d(row, n), sum);
      }
      here.operands[0](row, column) = sum;
    });
  }

  /// The product of a row of the kernel and the gradients [1, units] of a single sample. Output n
  /// belongs to chain n mod 16; then the second half of the chains is added to the first until one
  /// is left, and zero to that.
  static float sum_of_row_chains(const private_matrix& kernel, std::int32_t row,
                                 const private_matrix& d) {
    float chains[std::size_t{kernels::row_chains}] = {};
    for (std::int32_t n = 0; n < d.columns(); ++n) {
      float& chain = chains[n % kernels::row_chains];
      chain = kernels::multiply_add(kernel(row, n), d(0, n), chain);
    }
    for (std::int32_t half = kernels::row_chains / 2; half > 0; half /= 2) {
      for (std::int32_t i = 0; i < half; ++i) {
        chains[i] = chains[i] + chains[i + half];
      }
    }
    return chains[0] + 0.0F;
  }

  /// The gradient's sum and, if the call updates, the parameter and what is kept beside it: they
  /// lie alike. Operands of the call are the sums of all parameters, then the rest for each.
  static void add_targets(tile_job& job, const call_signature& signature, std::int32_t parameter,
                          const stored_matrix& matrix) {
    const update_kind update = update_of(signature);
    const std::int32_t parameters = has_bias(signature) ? 2 : 1;
    const std::int32_t updated = update == update_kind::none ? 0 : 1 + slots_of(update);
    job.updates(parameter, matrix);
    for (std::int32_t i = 0; i < updated; ++i) {
      job.updates(parameters + parameter * updated + i, matrix);
    }
  }

  static std::int32_t first_read(const call_signature& signature) {
    const update_kind update = update_of(signature);
    const std::int32_t parameters = has_bias(signature) ? 2 : 1;
    return parameters * (update == update_kind::none ? 1 : 2 + slots_of(update));
  }

  /// dW [inputs, units] from columns of x and columns of d.
  static tile_job weight_gradient_job(const call_signature& signature) {
    const std::int32_t read = first_read(signature);
    tile_job job{.rows = inputs(signature),
                 .columns = units(signature),
                 .compute = weight_gradient,
                 .operands = {}};
    job.reads(read, input_matrix(signature, storage::rows), block_reach::all, block_reach::rows)
        .reads(read + 1, output_matrix(signature, storage::rows), block_reach::all,
               block_reach::columns);
    add_targets(job, signature, 0, kernel_matrix(signature));
    return job;
  }

  static void weight_gradient(const tile_step& here) {
    const private_matrix& x = here.operands[0];
    const private_matrix& d = here.operands[1];
    tile_code::for_elements(here.operands[2], [&](std::int32_t row, std::int32_t column) {
      float sum = here.context.continues ? here.operands[2](row, column) : 0.0F;
      for (std::int32_t b = 0; b < d.rows(); ++b) {
        sum = kernels::multiply_add(x(b, row), d(b, column), sum);
      }
      finish(here, 2, row, column, sum);
    });
  }

  /// db [1, units] from columns of d.
  static tile_job bias_gradient_job(const call_signature& signature) {
    tile_job job{.rows = 1, .columns = units(signature), .compute = bias_gradient, .operands = {}};
    job.reads(first_read(signature) + 1, output_matrix(signature, storage::rows), block_reach::all,
              block_reach::columns);
    add_targets(job, signature, 1, bias_matrix(signature));
    return job;
  }

  static void bias_gradient(const tile_step& here) {
    const private_matrix& d = here.operands[0];
    tile_code::for_elements(here.operands[1], [&](std::int32_t row, std::int32_t column) {
      float sum = here.context.continues ? here.operands[1](row, column) : 0.0F;
      for (std::int32_t b = 0; b < d.rows(); ++b) {
        sum = sum + d(b, column);
      }
      finish(here, 1, row, column, sum);
    });
  }

  /// Stores a gradient in the operand `target`, or updates those behind it.
  static void finish(const tile_step& here, std::size_t target, std::int32_t row,
                     std::int32_t column, float gradient) {
    const update_kind update = update_of(here.signature);
    if (update == update_kind::none || !here.context.completes) {
      here.operands[target](row, column) = gradient;
      return;
    }
    float* const velocity =
        slots_of(update) > 0 ? &here.operands[target + 2](row, column) : nullptr;
    tile_code::update_number(update, &here.operands[target + 1](row, column), velocity, gradient,
                             here.context.optimizer);
  }
};

/// The same matrix in the other layout.
template <>
struct tile_operators<&transpose_family> {
  static tile_jobs jobs(const call_signature& signature) {
    const std::int32_t rows = signature.extents[0];
    const std::int32_t columns = signature.extents[1];
    tile_job job{.rows = rows, .columns = columns, .compute = copy, .operands = {}};
    job.writes(0, {storage::columns, rows, columns}).reads(1, {storage::rows, rows, columns});
    return {job};
  }

 private:
  static void copy(const tile_step& here) {
    tile_code::for_elements(here.operands[0], [&](std::int32_t row, std::int32_t column) {
      here.operands[0](row, column) = here.operands[1](row, column);
    });
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
