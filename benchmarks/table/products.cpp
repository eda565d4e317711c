// SPDX-License-Identifier: MIT
// The matrix products of the network, one line for each.
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "measure/machine.hpp"
#include "peers/product.hpp"
#include "table/groups.hpp"
#include "table/network_shape.hpp"

namespace table {
namespace {

using measure::bound;
using measure::goal;
using peers::product;
using peers::product_contestant;
using peers::product_kind;

std::string text_of(product_kind kind) {
  switch (kind) {
    case product_kind::forward:
      return "forward";
    case product_kind::input_gradient:
      return "input gradient";
    case product_kind::weight_gradient:
      return "weight gradient";
  }
  return "";
}

std::string name_of(const product& question) {
  return fmt::format("gemm {} {}x{} batch {}", text_of(question.kind), question.inputs,
                     question.outputs, question.batch);
}

void fill(product& question) {
  const std::int64_t batch = question.batch;
  const std::int64_t inputs = question.inputs;
  const std::int64_t outputs = question.outputs;
  question.x = measure::random_numbers(batch * inputs, 1, 1);
  question.w = measure::random_numbers(inputs * outputs, 1, 2);
  question.bias = measure::random_numbers(outputs, 1, 3);
  question.d = measure::random_numbers(batch * outputs, 1, 4);
  question.start = measure::random_numbers(inputs * outputs, 1, 5);
}

double at(const measure::buffer& rows, int row, int column, int columns) {
  return static_cast<double>(
      rows[static_cast<std::size_t>(std::ptrdiff_t{row} * columns + column)]);
}

double forward_element(const product& q, int b, int n) {
  double sum = 0;
  for (int k = 0; k < q.inputs; ++k) {
    sum += at(q.x, b, k, q.inputs) * at(q.w, k, n, q.outputs);
  }
  return sum;
}

double input_gradient_element(const product& q, int b, int k) {
  double sum = 0;
  for (int n = 0; n < q.outputs; ++n) {
    sum += at(q.d, b, n, q.outputs) * at(q.w, k, n, q.outputs);
  }
  return sum;
}

double weight_gradient_element(const product& q, int k, int n) {
  double sum = at(q.start, k, n, q.outputs);
  for (int b = 0; b < q.batch; ++b) {
    sum += at(q.x, b, k, q.inputs) * at(q.d, b, n, q.outputs);
  }
  return sum;
}

/// What every library has to give, computed with double precision.
std::vector<float> reference(const product& q, bool finishes_forward) {
  const bool of_weights = q.kind == product_kind::weight_gradient;
  const int rows = of_weights ? q.inputs : q.batch;
  const int columns = q.kind == product_kind::input_gradient ? q.inputs : q.outputs;
  std::vector<float> made;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      double value = 0;
      if (q.kind == product_kind::forward) {
        value = forward_element(q, row, column);
        if (finishes_forward) {
          value = std::fmax(value + at(q.bias, 0, column, q.outputs), 0);
        }
      } else {
        value = of_weights ? weight_gradient_element(q, row, column)
                           : input_gradient_element(q, row, column);
      }
      made.push_back(static_cast<float>(value));
    }
  }
  return made;
}

/// What has been checked of all products.
struct checked {
  std::size_t elements = 0;
  double largest = 0;
};

/// Leaves out who computes something else.
void check(std::vector<answer<product_contestant>>& answers, const product& question,
           const run& settings, checked& sum) {
  // Float sums of up to 784 products of numbers up to 1 err by far less, wrong operands by more.
  constexpr double tolerance = 1e-4;
  std::vector<answer<product_contestant>> right;
  for (answer<product_contestant>& each : answers) {
    const std::vector<float> wanted = reference(question, each.contestant->finishes_forward());
    const double difference = largest_difference(each.contestant->result(), wanted, 1);
    if (difference > tolerance) {
      settings.report->refuse(
          fmt::format("{} by {} is wrong by {:.2g}.", name_of(question), each.library, difference));
      continue;
    }
    sum.elements += wanted.size();
    sum.largest = std::fmax(sum.largest, difference);
    right.push_back(std::move(each));
  }
  answers = std::move(right);
}

/// A batch is limited by the multiply-adds, a single sample by the weights, read once.
limit limit_of(const product& question) {
  const std::int64_t weights = std::int64_t{question.inputs} * question.outputs;
  if (question.batch == 1) {
    return {measure::make_stream(weights * std::int64_t{sizeof(float)}), 1};
  }
  const double operations = 2.0 * question.batch * static_cast<double>(weights);
  return {measure::make_peak(), operations / measure::operations_of_peak()};
}

bool is_wide(const product& question) {
  return question.outputs >= 32;
}

std::optional<goal> own_goal(const product& question) {
  if (question.batch == 1) {
    if (question.kind != product_kind::forward) {
      return {};
    }
    constexpr int first_level = 32 * 1024;
    const int bytes = question.inputs * question.outputs * static_cast<int>(sizeof(float));
    return goal{bound::limit_fraction_at_least, bytes > first_level ? 0.95 : 0.85};
  }
  if (!is_wide(question)) {
    return {};
  }
  return goal{bound::limit_fraction_at_least,
              question.kind == product_kind::weight_gradient ? 0.92 : 0.97};
}

/// For the layer of ten outputs the goal is against the best peer, hence against every one.
double narrow_goal(const product& question) {
  if (question.batch == 128) {
    return 1.4;
  }
  switch (question.kind) {
    case product_kind::forward:
      return 2;
    case product_kind::input_gradient:
      return 3;
    case product_kind::weight_gradient:
      return 1.5;
  }
  return 0;
}

std::optional<goal> peer_goal(const product& question, const std::string& peer) {
  if (question.batch == 1) {
    return {};
  }
  if (!is_wide(question)) {
    return goal{bound::value_at_least, narrow_goal(question)};
  }
  if (peer == "libxsmm") {
    return goal{bound::value_at_least, 0.97};
  }
  const bool tied = question.kind == product_kind::weight_gradient && question.inputs == 784 &&
                    question.batch == 128;
  return goal{bound::value_at_least, tied ? 0.98 : 1.0};
}

void measure_product(product& question, const run& settings, checked& sum) {
  fill(question);
  auto answers = answers_to<product, product_contestant>(question);
  check(answers, question, settings, sum);
  if (answers.empty() || answers.front().library != peers::ours) {
    return;
  }
  const outcome raced = race(answers, limit_of(question), settings.effort);
  const double weights = static_cast<double>(question.inputs) * question.outputs;
  const bool sample = question.batch == 1;
  settings.report->add(
      rows_of(name_of(question), raced,
              1e-9 * weights * (sample ? double{sizeof(float)} : 2.0 * question.batch),
              sample ? "GB/s" : "GFLOP/s", own_goal(question),
              [&](const std::string& peer) { return peer_goal(question, peer); }));
}

}  // namespace

void measure_products(const run& settings) {
  checked sum;
  for (const int batch : {1, 32, 128}) {
    for (const product_kind kind :
         {product_kind::forward, product_kind::input_gradient, product_kind::weight_gradient}) {
      for (const layer_shape& layer : layer_shapes) {
        product question;
        question.kind = kind;
        question.batch = batch;
        question.inputs = layer.inputs;
        question.outputs = layer.outputs;
        // Nobody wants the gradient of the network's input.
        const bool needed = kind != product_kind::input_gradient || layer.inputs != network_inputs;
        if (needed && settings.report->wants(name_of(question))) {
          measure_product(question, settings, sum);
        }
      }
    }
  }
  if (sum.elements > 0) {
    settings.report->say(fmt::format(
        "products: checked {} elements against double precision, largest difference {:.2g}",
        sum.elements, sum.largest));
  }
}

}  // namespace table
