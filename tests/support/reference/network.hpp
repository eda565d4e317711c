// SPDX-License-Identifier: MIT
// Chains of layers in float64: forward and backward, by plain loops.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "support/reference/activation.hpp"
#include "support/reference/matrix.hpp"

namespace reference {

/// Values, the gradient added up since the last update, and the optimizer's velocity.
struct parameter {
  std::vector<double> values;
  std::vector<double> gradient;
  std::vector<double> velocity;

  explicit parameter(std::size_t elements = 0)
      : values(elements, 0.0), gradient(elements, 0.0), velocity(elements, 0.0) {}
};

struct layer;

/// Layers one after the other.
using chain = std::vector<layer>;

/// One layer of a chain, of a kind that says which of the members count. Layers that only look at
/// their input in another shape (Flatten, Reshape) are none: rows hold the elements in order.
struct layer {
  enum class kind {
    dense,     ///< input * kernel [inputs, units] + bias
    shared,    ///< a dense layer of which many weights are one parameter: a convolution
    function,  ///< an activation
    scale,     ///< element by element times `mask`, as dropout with a known mask
    residual,  ///< input + branches[0](input)
    concat     ///< the outputs of all branches side by side
  };

  kind what = kind::function;
  std::size_t inputs = 0;
  std::size_t units = 0;
  parameter kernel;
  parameter bias;  ///< no elements without bias
  activation function = activation::linear;
  double alpha = 0;
  matrix mask;
  std::vector<chain> branches;
  std::vector<std::size_t> kernel_at =
      {};                                 ///< by [inputs, units]: which of `kernel`, or `no_weight`
  std::vector<std::size_t> bias_at = {};  ///< by unit: which of `bias`
  std::size_t terms = 0;                  ///< most weights that a unit has
  matrix kept = {};                       ///< the input of the last forward
};

/// Of a `shared` layer: an input and a unit that are not connected.
inline constexpr std::size_t no_weight = ~std::size_t{0};

inline layer dense(std::size_t inputs, std::size_t units, bool has_bias = true) {
  return {.what = layer::kind::dense,
          .inputs = inputs,
          .units = units,
          .kernel = parameter(inputs * units),
          .bias = parameter(has_bias ? units : 0),
          .mask = {},
          .branches = {}};
}

inline layer function(activation kind, double alpha = 0) {
  return {.kernel = parameter(),
          .bias = parameter(),
          .function = kind,
          .alpha = alpha,
          .mask = {},
          .branches = {}};
}

inline layer scale(matrix mask) {
  return {.what = layer::kind::scale,
          .kernel = parameter(),
          .bias = parameter(),
          .mask = std::move(mask),
          .branches = {}};
}

inline layer residual_of(chain body) {
  return {.what = layer::kind::residual,
          .kernel = parameter(),
          .bias = parameter(),
          .mask = {},
          .branches = {std::move(body)}};
}

inline layer concat_of(std::vector<chain> branches) {
  return {.what = layer::kind::concat,
          .kernel = parameter(),
          .bias = parameter(),
          .mask = {},
          .branches = std::move(branches)};
}

/// An image, and a kernel that walks over it.
struct convolution {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t channels = 0;
  std::size_t filters = 0;
  std::size_t kernel_rows = 0;
  std::size_t kernel_columns = 0;
  std::size_t stride = 1;
  bool same = false;         ///< padding
  std::size_t dilation = 1;  ///< from a position that a tap meets to that of the next
  bool causal = false;       ///< padding, all before the first column
  std::size_t groups = 1;    ///< of channels and filters, which do not see each other

  /// Positions from the first to the last that a kernel of so many taps meets.
  std::size_t reach(std::size_t taps) const { return (taps - 1) * dilation + 1; }

  std::size_t outputs(std::size_t inputs, std::size_t taps) const {
    return same || causal ? (inputs + stride - 1) / stride : (inputs - reach(taps)) / stride + 1;
  }

  /// Zeros before the image: of an odd number the smaller half, as TensorFlow has it.
  std::size_t before(std::size_t inputs, std::size_t taps) const {
    const std::size_t covered = (outputs(inputs, taps) - 1) * stride + reach(taps);
    const std::size_t all = covered > inputs ? covered - inputs : 0;
    return causal ? reach(taps) - 1 : same ? all / 2 : 0;
  }
};

/// The layer of a convolution: a unit for each filter at each place, row by row.
inline layer convolve(const convolution& by, bool has_bias = true) {
  const std::size_t places_down = by.outputs(by.rows, by.kernel_rows);
  const std::size_t places_across = by.outputs(by.columns, by.kernel_columns);
  layer made = dense(0, 0, false);
  made.what = layer::kind::shared;
  made.inputs = by.rows * by.columns * by.channels;
  made.units = places_down * places_across * by.filters;
  const std::size_t depth = by.channels / by.groups;
  made.terms = by.kernel_rows * by.kernel_columns * depth;
  made.kernel = parameter(made.terms * by.filters);
  made.bias = parameter(has_bias ? by.filters : 0);
  made.kernel_at.assign(made.inputs * made.units, no_weight);
  for (std::size_t unit = 0; unit < made.units; ++unit) {
    const std::size_t place = unit / by.filters;
    const std::size_t top = place / places_across * by.stride;
    const std::size_t left = place % places_across * by.stride;
    for (std::size_t term = 0; term < made.terms; ++term) {
      const std::size_t tap = term / depth;
      const std::size_t group = unit % by.filters / (by.filters / by.groups);
      // Positions before the image are beyond its end, being unsigned.
      const std::size_t row =
          top + tap / by.kernel_columns * by.dilation - by.before(by.rows, by.kernel_rows);
      const std::size_t column =
          left + tap % by.kernel_columns * by.dilation - by.before(by.columns, by.kernel_columns);
      if (row < by.rows && column < by.columns) {
        const std::size_t input =
            (row * by.columns + column) * by.channels + group * depth + term % depth;
        made.kernel_at[input * made.units + unit] = term * by.filters + unit % by.filters;
      }
    }
    made.bias_at.push_back(unit % by.filters);
  }
  return made;
}

/// The same with weights and biases of its own at each place.
inline layer connect_locally(const convolution& by, bool has_bias = true) {
  layer made = convolve(by, has_bias);
  const std::size_t shared = made.kernel.values.size();
  made.kernel = parameter(made.units / by.filters * shared);
  made.bias = parameter(has_bias ? made.units : 0);
  for (std::size_t i = 0; i < made.kernel_at.size(); ++i) {
    const std::size_t place = i % made.units / by.filters;
    made.kernel_at[i] += made.kernel_at[i] == no_weight ? 0 : place * shared;
  }
  for (std::size_t unit = 0; unit < made.units; ++unit) {
    made.bias_at[unit] = unit;
  }
  return made;
}

/// The layer of a convolution of a volume of `planes` images with kernels of `kernel_planes`
/// planes.
inline layer convolve_volume(std::size_t planes, std::size_t kernel_planes, const convolution& by) {
  const std::size_t volume[] = {planes, by.rows, by.columns};
  const std::size_t taps[] = {kernel_planes, by.kernel_rows, by.kernel_columns};
  std::size_t places[3] = {};
  for (int axis = 0; axis < 3; ++axis) {
    places[axis] = by.outputs(volume[axis], taps[axis]);
  }
  layer made = dense(0, 0, false);
  made.what = layer::kind::shared;
  made.inputs = planes * by.rows * by.columns * by.channels;
  made.units = places[0] * places[1] * places[2] * by.filters;
  made.terms = kernel_planes * by.kernel_rows * by.kernel_columns * by.channels;
  made.kernel = parameter(made.terms * by.filters);
  made.bias = parameter(by.filters);
  made.kernel_at.assign(made.inputs * made.units, no_weight);
  for (std::size_t unit = 0; unit < made.units; ++unit) {
    for (std::size_t term = 0; term < made.terms; ++term) {
      std::size_t place = unit / by.filters;
      std::size_t tap = term / by.channels;
      std::size_t input = term % by.channels;
      std::size_t features = by.channels;
      bool met = true;
      for (int axis = 2; axis >= 0; --axis) {
        // Positions before the volume are beyond its end, being unsigned.
        const std::size_t at = place % places[axis] * by.stride + tap % taps[axis] * by.dilation -
                               by.before(volume[axis], taps[axis]);
        met = met && at < volume[axis];
        input += at * features;
        features *= volume[axis];
        place /= places[axis];
        tap /= taps[axis];
      }
      if (met) {
        made.kernel_at[input * made.units + unit] = term * by.filters + unit % by.filters;
      }
    }
    made.bias_at.push_back(unit % by.filters);
  }
  return made;
}

/// The layer whose outputs are the inputs of a convolution, connected by the same weights; a bias
/// for each channel.
inline layer convolve_back(const convolution& by, bool has_bias = true) {
  const layer forward = convolve(by, false);
  layer made = dense(0, 0, false);
  made.what = layer::kind::shared;
  made.inputs = forward.units;
  made.units = forward.inputs;
  made.terms = by.kernel_rows * by.kernel_columns * by.filters;
  made.kernel = forward.kernel;
  made.bias = parameter(has_bias ? by.channels : 0);
  made.kernel_at.assign(made.inputs * made.units, no_weight);
  for (std::size_t input = 0; input < made.inputs; ++input) {
    for (std::size_t unit = 0; unit < made.units; ++unit) {
      made.kernel_at[input * made.units + unit] = forward.kernel_at[unit * made.inputs + input];
    }
  }
  for (std::size_t unit = 0; unit < made.units; ++unit) {
    made.bias_at.push_back(unit % by.channels);
  }
  return made;
}

/// A `shared` layer with a weight of its own for each input and unit.
inline layer spread_out(const layer& of) {
  layer made = dense(of.inputs, of.units, !of.bias.values.empty());
  made.kept = of.kept;
  for (std::size_t i = 0; i < made.kernel.values.size(); ++i) {
    made.kernel.values[i] = of.kernel_at[i] == no_weight ? 0.0 : of.kernel.values[of.kernel_at[i]];
  }
  for (std::size_t i = 0; i < made.bias.values.size(); ++i) {
    made.bias.values[i] = of.bias.values[of.bias_at[i]];
  }
  return made;
}

/// Adds to numbers of a `shared` layer's parameters what belongs to its weights one by one.
inline void gather(const layer& of, const std::vector<double>& kernel,
                   const std::vector<double>& bias, std::vector<double>& kernel_total,
                   std::vector<double>& bias_total) {
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    if (of.kernel_at[i] != no_weight) {
      kernel_total[of.kernel_at[i]] += kernel[i];
    }
  }
  for (std::size_t i = 0; i < bias.size(); ++i) {
    bias_total[of.bias_at[i]] += bias[i];
  }
}

/// All parameters in order of layers, kernel before bias.
inline void collect_parameters(chain& layers, std::vector<parameter*>& found) {
  for (layer& each : layers) {
    if (each.what == layer::kind::dense || each.what == layer::kind::shared) {
      found.push_back(&each.kernel);
      if (!each.bias.values.empty()) {
        found.push_back(&each.bias);
      }
    }
    for (chain& branch : each.branches) {
      collect_parameters(branch, found);
    }
  }
}

inline std::vector<parameter*> parameters_of(chain& layers) {
  std::vector<parameter*> found;
  collect_parameters(layers, found);
  return found;
}

/// Terms with an input of zero are left out: they add nothing, and most pixels are zero.
inline matrix dense_forward(const layer& by, const matrix& x) {
  matrix y(x.rows, by.units);
  for (std::size_t r = 0; r < x.rows; ++r) {
    double* const sums = y.row(r);
    for (std::size_t n = 0; n < by.bias.values.size(); ++n) {
      sums[n] = by.bias.values[n];
    }
    for (std::size_t k = 0; k < by.inputs; ++k) {
      const double input = x.row(r)[k];
      const double* const weights = by.kernel.values.data() + k * by.units;
      for (std::size_t n = 0; input != 0 && n < by.units; ++n) {
        sums[n] += input * weights[n];
      }
    }
  }
  return y;
}

/// Adds to the gradients of kernel and bias.
inline void add_weight_gradient(layer& of, const matrix& gradient) {
  for (std::size_t r = 0; r < gradient.rows; ++r) {
    const double* const d = gradient.row(r);
    for (std::size_t n = 0; n < of.bias.gradient.size(); ++n) {
      of.bias.gradient[n] += d[n];
    }
    for (std::size_t k = 0; k < of.inputs; ++k) {
      const double input = of.kept.row(r)[k];
      double* const sums = of.kernel.gradient.data() + k * of.units;
      for (std::size_t n = 0; input != 0 && n < of.units; ++n) {
        sums[n] += input * d[n];
      }
    }
  }
}

inline matrix dense_input_gradient(const layer& by, const matrix& gradient) {
  matrix made(gradient.rows, by.inputs);
  for (std::size_t r = 0; r < gradient.rows; ++r) {
    for (std::size_t k = 0; k < by.inputs; ++k) {
      const double* const weights = by.kernel.values.data() + k * by.units;
      double total = 0;
      for (std::size_t n = 0; n < by.units; ++n) {
        total += gradient.row(r)[n] * weights[n];
      }
      made.row(r)[k] = total;
    }
  }
  return made;
}

inline matrix scaled(const matrix& x, const matrix& mask) {
  matrix made = x;
  for (std::size_t i = 0; i < made.values.size(); ++i) {
    made.values[i] *= mask.values[i];
  }
  return made;
}

/// The columns [first, first + count) of every row.
inline matrix columns_of(const matrix& x, std::size_t first, std::size_t count) {
  matrix made(x.rows, count);
  for (std::size_t r = 0; r < x.rows; ++r) {
    for (std::size_t n = 0; n < count; ++n) {
      made.row(r)[n] = x.row(r)[first + n];
    }
  }
  return made;
}

/// a and b side by side.
inline matrix joined(const matrix& a, const matrix& b) {
  matrix made(b.rows, a.columns + b.columns);
  for (std::size_t r = 0; r < b.rows; ++r) {
    for (std::size_t n = 0; n < made.columns; ++n) {
      made.row(r)[n] = n < a.columns ? a.row(r)[n] : b.row(r)[n - a.columns];
    }
  }
  return made;
}

/// The output [samples, units] for `x` [samples, inputs]; keeps what backward needs.
inline matrix forward(chain& layers, matrix x) {
  for (layer& each : layers) {
    each.kept = x;
    switch (each.what) {
      case layer::kind::dense:
        x = dense_forward(each, x);
        break;
      case layer::kind::shared:
        x = dense_forward(spread_out(each), x);
        break;
      case layer::kind::function:
        x = activated(each.function, each.alpha, x);
        break;
      case layer::kind::scale:
        x = scaled(x, each.mask);
        break;
      case layer::kind::residual:
        x = sum(x, forward(each.branches[0], x));
        break;
      case layer::kind::concat: {
        matrix outputs;
        for (chain& branch : each.branches) {
          outputs = joined(outputs, forward(branch, x));
        }
        x = std::move(outputs);
        break;
      }
    }
  }
  return x;
}

inline std::size_t output_columns(const chain& layers, std::size_t inputs);

matrix backward(chain& layers, matrix gradient, bool wants_input_gradient = true);

/// Every branch gets its columns of the gradient; what they give is summed.
inline matrix concat_backward(layer& of, const matrix& gradient) {
  matrix total(of.kept.rows, of.kept.columns);
  std::size_t first = 0;
  for (chain& branch : of.branches) {
    const std::size_t count = output_columns(branch, of.kept.columns);
    total = sum(total, backward(branch, columns_of(gradient, first, count)));
    first += count;
  }
  return total;
}

/// The columns that come out of a chain.
inline std::size_t output_columns(const chain& layers, std::size_t inputs) {
  for (const layer& each : layers) {
    if (each.what == layer::kind::dense || each.what == layer::kind::shared) {
      inputs = each.units;
    } else if (each.what == layer::kind::concat) {
      std::size_t total = 0;
      for (const chain& branch : each.branches) {
        total += output_columns(branch, inputs);
      }
      inputs = total;
    }
  }
  return inputs;
}

/// Adds to the gradients of all parameters and returns that of the input of the last forward. The
/// gradient of a dense layer at the bottom is left out if nobody wants it.
inline matrix backward(chain& layers, matrix gradient, bool wants_input_gradient) {
  for (std::size_t i = layers.size(); i-- > 0;) {
    layer& each = layers[i];
    switch (each.what) {
      case layer::kind::dense:
        add_weight_gradient(each, gradient);
        if (i > 0 || wants_input_gradient) {
          gradient = dense_input_gradient(each, gradient);
        }
        break;
      case layer::kind::shared: {
        layer spread = spread_out(each);
        add_weight_gradient(spread, gradient);
        gather(each, spread.kernel.gradient, spread.bias.gradient, each.kernel.gradient,
               each.bias.gradient);
        gradient = dense_input_gradient(spread, gradient);
        break;
      }
      case layer::kind::function:
        gradient = activation_gradient(each.function, each.alpha, each.kept, gradient);
        break;
      case layer::kind::scale:
        gradient = scaled(gradient, each.mask);
        break;
      case layer::kind::residual:
        gradient = sum(gradient, backward(each.branches[0], gradient));
        break;
      case layer::kind::concat:
        gradient = concat_backward(each, gradient);
        break;
    }
  }
  return gradient;
}

}  // namespace reference
