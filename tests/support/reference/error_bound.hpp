// SPDX-License-Identifier: MIT
// How far gradients in float32 can be from the exact ones: a running error bound, one number for
// all elements of a tensor.
//
// Model: every operation in float32 is exact up to a factor 1 + e, |e| <= u = 2^-24. A chain of n
// operations is off by at most g(n) = n u / (1 - n u) of the sum of its terms' magnitudes. An error
// at the input of a function with slope at most L is at most L times as large at its output. Bounds
// below hold to first order, which is all that counts while errors are far below 1.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "support/reference/network.hpp"

namespace reference {

/// Of the elements of a tensor: the largest magnitude and the largest error.
struct bound {
  double size = 0;
  double error = 0;
};

/// The magnitudes and errors of a chain, forward and then backward.
class error_bound {
 public:
  /// `samples`: over all accumulated micro-batches. `micro_batch`: over which the loss is a mean.
  error_bound(double samples, double micro_batch) : samples_(samples), micro_batch_(micro_batch) {}

  /// Bounds of the output from those of the input.
  bound forward(const chain& layers, bound x) {
    for (const layer& each : layers) {
      const bound y = forward(each, x);
      inputs_.push_back(x);
      outputs_.push_back(y);
      x = y;
    }
    return x;
  }

  /// The loss's gradient at logits: (softmax - one at the label) / micro-batch. softmax is off by
  /// at most twice the logits' error, plus its own sum and exponentials.
  bound loss_gradient(const bound& logits, double classes) const {
    return {1 / micro_batch_, (2 * logits.error + roundings(classes + 20)) / micro_batch_};
  }

  /// The same at probabilities that are at least `smallest` where they have a gradient: 1 / sum and
  /// 1 / p are at most 1 / smallest, with the relative errors of sum and p.
  bound probability_loss_gradient(const bound& probabilities, double smallest,
                                  double classes) const {
    const double size = 2 / (smallest * micro_batch_);
    const double relative = classes * probabilities.error / smallest + roundings(classes + 10);
    return {size, size * relative};
  }

  /// Bounds of the input's gradient; the errors of the parameters' are in `errors` afterwards, in
  /// reverse order of the parameters.
  bound backward(const chain& layers, bound d) {
    for (std::size_t i = layers.size(); i-- > 0;) {
      const bound y = outputs_.back();
      const bound x = inputs_.back();
      outputs_.pop_back();
      inputs_.pop_back();
      d = backward(layers[i], x, y, d);
    }
    return d;
  }

  std::vector<double> errors;

 private:
  static double roundings(double count) {
    constexpr double u = 0x1p-24;
    return count * u / (1 - count * u);
  }

  /// The largest slope of the activations: that of gelu, 1.1290; swish has 1.0999, the others 1.
  static double slope(const layer& of) { return 1.13 * std::max(1.0, of.alpha); }

  /// The largest change of a slope: that of elu is alpha, of gelu 0.798, of the others less.
  static double bend(const layer& of) { return std::max(1.0, of.alpha); }

  /// The largest sum of magnitudes of the weights into a unit, or out of an input.
  static double norm(const layer& of, bool into_unit) {
    double largest = 0;
    const std::size_t outer = into_unit ? of.units : of.inputs;
    const std::size_t inner = into_unit ? of.inputs : of.units;
    for (std::size_t i = 0; i < outer; ++i) {
      double total = 0;
      for (std::size_t j = 0; j < inner; ++j) {
        const std::size_t index = into_unit ? j * of.units + i : i * of.units + j;
        total += std::abs(of.kernel.values[index]);
      }
      largest = std::max(largest, total);
    }
    return largest;
  }

  bound forward(const layer& by, const bound& x) {
    switch (by.what) {
      case layer::kind::dense: {
        double bias = 0;
        for (const double value : by.bias.values) {
          bias = std::max(bias, std::abs(value));
        }
        const double size = norm(by, true) * x.size + bias;
        return {size, norm(by, true) * x.error +
                          roundings(static_cast<double>(by.inputs) + 1) * size};
      }
      case layer::kind::function: {
        if (by.function == activation::softmax) {
          return {1, 2 * x.error + roundings(static_cast<double>(by.kept.columns) + 40)};
        }
        // f(0) is at most ln 2; the kernels' functions are within 12 roundings.
        const double size = slope(by) * x.size + 0.7;
        return {size, slope(by) * x.error + roundings(12) * size};
      }
      case layer::kind::scale: {
        const double factor = *std::max_element(by.mask.values.begin(), by.mask.values.end());
        return {factor * x.size, factor * (x.error + roundings(3) * x.size)};
      }
      case layer::kind::residual: {
        const bound y = forward(by.branches[0], x);
        return {x.size + y.size, x.error + y.error + roundings(1) * (x.size + y.size)};
      }
      default: {
        bound largest;
        for (const chain& branch : by.branches) {
          const bound y = forward(branch, x);
          largest = {std::max(largest.size, y.size), std::max(largest.error, y.error)};
        }
        return largest;
      }
    }
  }

  bound backward(const layer& by, const bound& x, const bound& y, const bound& d) {
    switch (by.what) {
      case layer::kind::dense:
        return dense_backward(by, x, d);
      case layer::kind::function: {
        if (by.function == activation::softmax) {
          // y (g - sum of g y): three products and a sum over the units.
          const double units = static_cast<double>(by.kept.columns);
          return {2 * d.size, 2 * d.error + (units + 2) * d.size * y.error +
                                  2 * roundings(units + 6) * d.size};
        }
        // The derivative is off by the input's error times the bend, and by 40 roundings.
        return {slope(by) * d.size,
                slope(by) * d.error + d.size * (bend(by) * x.error + roundings(40))};
      }
      case layer::kind::scale: {
        const double factor = *std::max_element(by.mask.values.begin(), by.mask.values.end());
        return {factor * d.size, factor * (d.error + roundings(3) * d.size)};
      }
      default:
        return join_backward(by, d);
    }
  }

  bound dense_backward(const layer& by, const bound& x, const bound& d) {
    const double weight_chain = roundings(samples_) * samples_ * d.size;
    if (!by.bias.values.empty()) {
      errors.push_back(samples_ * d.error + weight_chain);
    }
    errors.push_back(samples_ * (x.size * d.error + x.error * d.size) + weight_chain * x.size);
    const double size = norm(by, false) * d.size;
    return {size, norm(by, false) * d.error + roundings(static_cast<double>(by.units)) * size};
  }

  /// The gradients of all branches, and for a residual the output's own, are summed.
  bound join_backward(const layer& by, const bound& d) {
    bound total = by.what == layer::kind::residual ? d : bound{};
    for (std::size_t i = by.branches.size(); i-- > 0;) {
      const bound made = backward(by.branches[i], d);
      total = {total.size + made.size, total.error + made.error};
    }
    const double terms = static_cast<double>(by.branches.size() + 1);
    return {total.size, total.error + roundings(terms) * total.size};
  }

  double samples_;
  double micro_batch_;
  std::vector<bound> inputs_;
  std::vector<bound> outputs_;
};

}  // namespace reference
