// SPDX-License-Identifier: MIT
// How far gradients in float32 can be from the exact ones: a running error bound.
//
// Model: every operation in float32 is exact up to a factor 1 + e, |e| <= u = 2^-24. A chain of n
// operations is off by at most g(n) = n u / (1 - n u) times the sum of its terms' magnitudes; what
// its operands are off by comes through with the magnitudes of the other factors. Where a function
// is applied, an error is multiplied by its slope. Products of two errors are left out: errors are
// far below 1.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "support/reference/loss.hpp"
#include "support/reference/network.hpp"

namespace reference {

/// Exact values, and how far float32 can be from each.
struct rounded {
  matrix value;
  matrix error;
};

/// g(n).
inline double roundings(std::size_t count) {
  const double errors = static_cast<double>(count) * 0x1p-24;
  return errors / (1 - errors);
}

inline matrix magnitudes(matrix x) {
  for (double& value : x.values) {
    value = std::abs(value);
  }
  return x;
}

/// a + factor * b
inline matrix plus(matrix a, const matrix& b, double factor = 1) {
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    a.values[i] += factor * b.values[i];
  }
  return a;
}

/// The errors of a chain's values, then of its gradients, for the micro-batch that the chain was
/// last run forward with.
class error_bound {
 public:
  /// `samples`: of all accumulated micro-batches, whose weight gradients are one chain.
  explicit error_bound(std::size_t samples) : samples_(samples) {}

  /// Exact inputs come out with the errors of the outputs.
  rounded forward(const chain& layers, rounded x) {
    for (const layer& each : layers) {
      rounded y = forward(each, x);
      inputs_.push_back(std::move(x));
      outputs_.push_back(y);
      x = std::move(y);
    }
    return x;
  }

  rounded backward(const chain& layers, rounded d) {
    for (std::size_t i = layers.size(); i-- > 0;) {
      const rounded y = std::move(outputs_.back());
      const rounded x = std::move(inputs_.back());
      outputs_.pop_back();
      inputs_.pop_back();
      d = backward(layers[i], x, y, d);
    }
    return d;
  }

  /// After `backward`: the errors of the parameters' gradients, last parameter first.
  std::vector<std::vector<double>> errors;

 private:
  /// The layer with the magnitudes of its parameters, with or without bias.
  static layer magnitudes_of(const layer& of, bool with_bias) {
    layer made = dense(of.inputs, of.units, with_bias && !of.bias.values.empty());
    for (std::size_t i = 0; i < made.kernel.values.size(); ++i) {
      made.kernel.values[i] = std::abs(of.kernel.values[i]);
    }
    for (std::size_t i = 0; i < made.bias.values.size(); ++i) {
      made.bias.values[i] = std::abs(of.bias.values[i]);
    }
    return made;
  }

  rounded forward(const layer& by, const rounded& x) {
    switch (by.what) {
      case layer::kind::dense:
        return {dense_forward(by, x.value),
                plus(dense_forward(magnitudes_of(by, false), x.error),
                     dense_forward(magnitudes_of(by, true), magnitudes(x.value)),
                     roundings(by.inputs + 1))};
      case layer::kind::shared: {
        const layer spread = spread_out(by);
        return {dense_forward(spread, x.value),
                plus(dense_forward(magnitudes_of(spread, false), x.error),
                     dense_forward(magnitudes_of(spread, true), magnitudes(x.value)),
                     roundings(by.terms + 1))};
      }
      case layer::kind::function:
        return by.function == activation::softmax ? softmax_forward(x) : apply(by, x);
      case layer::kind::scale:
        return {scaled(x.value, by.mask),
                scaled(plus(x.error, magnitudes(x.value), roundings(3)), by.mask)};
      case layer::kind::residual: {
        const rounded y = forward(by.branches[0], x);
        const matrix value = sum(x.value, y.value);
        return {value, plus(sum(x.error, y.error), magnitudes(value), roundings(1))};
      }
      default: {
        rounded all;
        for (const chain& branch : by.branches) {
          const rounded y = forward(branch, x);
          all = {joined(all.value, y.value), joined(all.error, y.error)};
        }
        return all;
      }
    }
  }

  /// Activations are computed within 12 roundings (6 of the functions, the rest of products).
  static rounded apply(const layer& by, const rounded& x) {
    rounded y{activated(by.function, by.alpha, x.value), x.error};
    for (std::size_t i = 0; i < y.error.values.size(); ++i) {
      const double slope = std::abs(derivative(by.function, x.value.values[i], by.alpha));
      y.error.values[i] = slope * x.error.values[i] + roundings(12) * std::abs(y.value.values[i]);
    }
    return y;
  }

 public:
  /// y[n] changes by y[n] (dx[n] - sum of y dx); exponentials and their sum take units + 12.
  static rounded softmax_forward(const rounded& x) {
    rounded y{activated(activation::softmax, 0, x.value), x.error};
    const std::size_t units = x.value.columns;
    for (std::size_t r = 0; r < x.value.rows; ++r) {
      double mean = 0;
      for (std::size_t n = 0; n < units; ++n) {
        mean += y.value.row(r)[n] * x.error.row(r)[n];
      }
      for (std::size_t n = 0; n < units; ++n) {
        y.error.row(r)[n] = y.value.row(r)[n] * (x.error.row(r)[n] + mean + roundings(units + 12));
      }
    }
    return y;
  }

  /// The gradient (softmax - one at the label) / samples.
  static rounded logits_gradient(const rounded& logits, std::span<const std::int32_t> labels) {
    rounded d = softmax_forward(logits);
    const double samples = static_cast<double>(d.value.rows);
    d.value = cross_entropy_gradient(score_kind::logits, logits.value, labels);
    for (std::size_t i = 0; i < d.error.values.size(); ++i) {
      d.error.values[i] = d.error.values[i] / samples + roundings(4) * std::abs(d.value.values[i]);
    }
    return d;
  }

  /// The gradient 1 / sum - (1 / p at the label), over samples, where p is not clipped.
  static rounded probabilities_gradient(const rounded& p, std::span<const std::int32_t> labels) {
    rounded d{cross_entropy_gradient(score_kind::clipped_probabilities, p.value, labels), p.error};
    const std::size_t classes = p.value.columns;
    const double samples = static_cast<double>(p.value.rows);
    for (std::size_t r = 0; r < p.value.rows; ++r) {
      double total = 0;
      double error = 0;
      for (std::size_t n = 0; n < classes; ++n) {
        total += std::clamp(p.value.row(r)[n], smallest_probability, largest_probability);
        error += p.error.row(r)[n];
      }
      for (std::size_t n = 0; n < classes; ++n) {
        const double value = p.value.row(r)[n];
        double off = error / (total * total) + roundings(classes + 6) / total;
        if (static_cast<std::size_t>(labels[r]) == n) {
          off += p.error.row(r)[n] / (value * value) + roundings(6) / std::abs(value);
        }
        d.error.row(r)[n] = d.value.row(r)[n] == 0 ? 0 : off / samples;
      }
    }
    return d;
  }

 private:
  rounded backward(const layer& by, const rounded& x, const rounded& y, const rounded& d) {
    switch (by.what) {
      case layer::kind::dense: {
        add_weight_errors(by, x, d, samples_);
        return input_gradient_errors(by, d, by.units);
      }
      case layer::kind::shared: {
        const layer spread = spread_out(by);
        // A weight counts at every place; no chain is longer than all places of all samples.
        add_weight_errors(spread, x, d, samples_ * by.units / by_filters(by));
        share_weight_errors(by);
        return input_gradient_errors(spread, d, by.kernel.values.size());
      }
      case layer::kind::function:
        return by.function == activation::softmax ? softmax_backward(x, y, d)
                                                  : apply_backward(by, x, d);
      case layer::kind::scale:
        return {scaled(d.value, by.mask),
                scaled(plus(d.error, magnitudes(d.value), roundings(3)), by.mask)};
      default:
        return join_backward(by, x, d);
    }
  }

  static rounded input_gradient_errors(const layer& by, const rounded& d, std::size_t terms) {
    const layer magnitude = magnitudes_of(by, false);
    return {dense_input_gradient(by, d.value),
            plus(dense_input_gradient(magnitude, d.error),
                 dense_input_gradient(magnitude, magnitudes(d.value)), roundings(terms))};
  }

  /// How many units a `shared` layer has at each place.
  static std::size_t by_filters(const layer& of) { return of.kernel.values.size() / of.terms; }

  /// The errors that were added last, of weights one by one, become those of shared parameters.
  void share_weight_errors(const layer& of) {
    const std::vector<double> kernel = std::move(errors.back());
    errors.pop_back();
    std::vector<double> bias;
    if (!of.bias.values.empty()) {
      bias = std::move(errors.back());
      errors.pop_back();
    }
    std::vector<double> kernel_total(of.kernel.values.size(), 0.0);
    std::vector<double> bias_total(of.bias.values.size(), 0.0);
    gather(of, kernel, bias, kernel_total, bias_total);
    if (!bias_total.empty()) {
      errors.push_back(std::move(bias_total));
    }
    errors.push_back(std::move(kernel_total));
  }

  /// The derivative is within 40 roundings at the computed point (it may be computed from the
  /// output), and a point that is off changes it by at most its bend: that of elu is alpha, of
  /// gelu 0.798, of the others less.
  static rounded apply_backward(const layer& by, const rounded& x, const rounded& d) {
    rounded made{activation_gradient(by.function, by.alpha, x.value, d.value), d.error};
    const double bend = by.function == activation::elu ? std::max(1.0, by.alpha) : 1.0;
    for (std::size_t i = 0; i < made.error.values.size(); ++i) {
      const double slope = std::abs(derivative(by.function, x.value.values[i], by.alpha));
      made.error.values[i] =
          slope * d.error.values[i] +
          std::abs(d.value.values[i]) * (bend * x.error.values[i] + roundings(40));
    }
    return made;
  }

  /// y (g - mean), mean = sum of g y.
  static rounded softmax_backward(const rounded& x, const rounded& y, const rounded& d) {
    rounded made{activation_gradient(activation::softmax, 0, x.value, d.value), d.error};
    const std::size_t units = x.value.columns;
    for (std::size_t r = 0; r < x.value.rows; ++r) {
      double mean = 0;
      double error = 0;
      for (std::size_t n = 0; n < units; ++n) {
        const double share = y.value.row(r)[n];
        const double g = d.value.row(r)[n];
        mean += g * share;
        error += std::abs(g) * (y.error.row(r)[n] + roundings(units + 2) * share) +
                 share * d.error.row(r)[n];
      }
      for (std::size_t n = 0; n < units; ++n) {
        const double centred = std::abs(d.value.row(r)[n] - mean);
        made.error.row(r)[n] = (y.error.row(r)[n] + roundings(3) * y.value.row(r)[n]) * centred +
                               y.value.row(r)[n] * (d.error.row(r)[n] + error);
      }
    }
    return made;
  }

  /// Sums over samples of x d: errors of both, and of chains of `terms` steps.
  void add_weight_errors(const layer& of, const rounded& x, const rounded& d, std::size_t terms) {
    std::vector<double> kernel(of.kernel.values.size(), 0.0);
    std::vector<double> bias(of.bias.values.size(), 0.0);
    for (std::size_t r = 0; r < d.value.rows; ++r) {
      for (std::size_t n = 0; n < of.units; ++n) {
        const double size = std::abs(d.value.row(r)[n]);
        const double error = d.error.row(r)[n] + roundings(terms) * size;
        for (std::size_t k = 0; k < of.inputs; ++k) {
          kernel[k * of.units + n] +=
              std::abs(x.value.row(r)[k]) * error + x.error.row(r)[k] * size;
        }
        if (!bias.empty()) {
          bias[n] += error;
        }
      }
    }
    if (!bias.empty()) {
      errors.push_back(std::move(bias));
    }
    errors.push_back(std::move(kernel));
  }

  /// The gradients of all branches, and for a residual the output's own, are summed.
  rounded join_backward(const layer& by, const rounded& x, const rounded& d) {
    matrix none(x.value.rows, x.value.columns);
    rounded total = by.what == layer::kind::residual ? d : rounded{none, none};
    std::size_t end = d.value.columns;
    for (std::size_t i = by.branches.size(); i-- > 0;) {
      const std::size_t count =
          by.what == layer::kind::residual ? end : output_columns(by.branches[i], x.value.columns);
      const std::size_t first = end - count;
      const rounded made = backward(
          by.branches[i], {columns_of(d.value, first, count), columns_of(d.error, first, count)});
      end = first;
      total = {sum(total.value, made.value), sum(total.error, made.error)};
      total.error = plus(total.error, magnitudes(total.value), roundings(1));
    }
    return total;
  }

  std::size_t samples_;
  std::vector<rounded> inputs_;
  std::vector<rounded> outputs_;
};

}  // namespace reference
