// SPDX-License-Identifier: MIT
// Convolutions of images and sequences, one line for each shape, direction and batch.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "measure/machine.hpp"
#include "peers/convolution.hpp"
#include "table/groups.hpp"

namespace table {
namespace {

using measure::bound;
using measure::goal;
using peers::convolution_contestant;
using peers::convolution_direction;
using peers::convolution_kind;
using peers::convolution_question;
using peers::convolution_shape;

std::string text_of(convolution_direction direction) {
  switch (direction) {
    case convolution_direction::forward:
      return "forward";
    case convolution_direction::input_gradient:
      return "input gradient";
    case convolution_direction::weight_gradient:
      return "weight gradient";
  }
  return "";
}

std::string text_of(const convolution_shape& shape) {
  std::string text =
      shape.rows == 1
          ? fmt::format("causal 3 {} to {}, {}", shape.channels, shape.filters,
                        shape.output_columns)
          : fmt::format("{}x{} {} to {}, {}x{}", shape.kernel_rows, shape.kernel_columns,
                        shape.channels, shape.filters, shape.output_rows, shape.output_columns);
  if (shape.stride != 1) {
    text += fmt::format(" stride {}", shape.stride);
  }
  if (shape.dilation != 1) {
    text += fmt::format(" dilation {}", shape.dilation);
  }
  if (shape.groups != 1) {
    text += shape.groups == shape.channels ? " depthwise" : fmt::format(" groups {}", shape.groups);
  }
  return text;
}

std::string name_of(const convolution_question& question) {
  return fmt::format("convolution {} {} batch {}", text_of(question.direction),
                     text_of(question.shape), question.batch);
}

void fill(convolution_question& question) {
  const convolution_shape& shape = question.shape;
  question.x = measure::random_numbers(question.batch * shape.inputs() * shape.channels, 1, 1);
  question.w = measure::random_numbers(shape.weights(), 1, 2);
  question.bias = measure::random_numbers(shape.filters, 1, 3);
  question.d = measure::random_numbers(question.batch * shape.outputs() * shape.filters, 1, 4);
}

/// The input that an output meets at a tap; negative if there is none.
std::int32_t met(std::int32_t output, std::int32_t tap, std::int32_t stride, std::int32_t dilation,
                 std::int32_t padding, std::int32_t inputs) {
  const std::int32_t at = output * stride + tap * dilation - padding;
  return at < inputs ? at : -1;
}

/// Calls `visit` for the tap at which an output pixel of a sample meets the image, if it does.
template <typename Visit>
void meet(const convolution_shape& of, std::int64_t pixel, std::int32_t tap, const Visit& visit) {
  const std::int64_t sample = pixel / of.outputs();
  const auto within = static_cast<std::int32_t>(pixel % of.outputs());
  const std::int32_t row = met(within / of.output_columns, tap / of.kernel_columns, of.stride, 1,
                               of.padding_rows, of.rows);
  const std::int32_t column = met(within % of.output_columns, tap % of.kernel_columns, of.stride,
                                  of.dilation, of.padding_columns, of.columns);
  if (row >= 0 && column >= 0) {
    visit((sample * of.rows + row) * of.columns + column);
  }
}

double number(const measure::buffer& from, std::int64_t at) {
  return static_cast<double>(from[static_cast<std::size_t>(at)]);
}

double forward_element(const convolution_question& q, std::int64_t element) {
  const convolution_shape& of = q.shape;
  const std::int64_t filter = element % of.filters;
  const std::int64_t group = filter / (of.filters / of.groups);
  double sum = number(q.bias, filter);
  for (std::int32_t tap = 0; tap < of.taps(); ++tap) {
    meet(of, element / of.filters, tap, [&](std::int64_t input) {
      for (std::int32_t k = 0; k < of.depth(); ++k) {
        sum += number(q.x, input * of.channels + group * of.depth() + k) *
               number(q.w, (tap * of.depth() + k) * std::int64_t{of.filters} + filter);
      }
    });
  }
  return sum;
}

double weight_element(const convolution_question& q, std::int64_t element) {
  const convolution_shape& of = q.shape;
  const std::int64_t filter = element % of.filters;
  const std::int64_t channel =
      filter / (of.filters / of.groups) * of.depth() + element / of.filters % of.depth();
  const auto tap = static_cast<std::int32_t>(element / of.filters / of.depth());
  double sum = 0;
  for (std::int64_t pixel = 0; pixel < q.batch * of.outputs(); ++pixel) {
    meet(of, pixel, tap, [&](std::int64_t input) {
      sum += number(q.x, input * of.channels + channel) * number(q.d, pixel * of.filters + filter);
    });
  }
  return sum;
}

double input_element(const convolution_question& q, std::int64_t element) {
  const convolution_shape& of = q.shape;
  const std::int64_t channel = element % of.channels;
  const std::int64_t wanted = element / of.channels;
  const std::int64_t sample = wanted / of.inputs();
  const auto row = static_cast<std::int32_t>(wanted % of.inputs() / of.columns);
  const auto column = static_cast<std::int32_t>(wanted % of.columns);
  const std::int64_t of_group = of.filters / of.groups;
  const std::int64_t group = channel / of.depth();
  double sum = 0;
  for (std::int32_t tap = 0; tap < of.taps(); ++tap) {
    const std::int32_t from_row = row + of.padding_rows - tap / of.kernel_columns;
    const std::int32_t from_column =
        column + of.padding_columns - tap % of.kernel_columns * of.dilation;
    const bool whole = from_row % of.stride == 0 && from_column % of.stride == 0;
    const std::int32_t y = from_row / of.stride;
    const std::int32_t x = from_column / of.stride;
    if (!whole || from_row < 0 || from_column < 0 || y >= of.output_rows ||
        x >= of.output_columns) {
      continue;
    }
    const std::int64_t pixel = (sample * of.output_rows + y) * of.output_columns + x;
    for (std::int64_t i = 0; i < of_group; ++i) {
      const std::int64_t filter = group * of_group + i;
      const std::int64_t weight = (tap * of.depth() + channel % of.depth()) * of.filters + filter;
      sum += number(q.d, pixel * of.filters + filter) * number(q.w, weight);
    }
  }
  return sum;
}

double element_of(const convolution_question& question, std::int64_t element) {
  switch (question.direction) {
    case convolution_direction::forward:
      return forward_element(question, element);
    case convolution_direction::input_gradient:
      return input_element(question, element);
    case convolution_direction::weight_gradient:
      return weight_element(question, element);
  }
  return 0;
}

/// How many numbers a result has.
std::int64_t elements_of(const convolution_question& question) {
  const convolution_shape& shape = question.shape;
  switch (question.direction) {
    case convolution_direction::forward:
      return question.batch * shape.outputs() * shape.filters;
    case convolution_direction::input_gradient:
      return question.batch * shape.inputs() * shape.channels;
    case convolution_direction::weight_gradient:
      return shape.weights();
  }
  return 0;
}

/// Sums of many products are as large as the root of their number, and err by as much more.
double floor_of(const convolution_question& question) {
  const double products = question.batch * question.shape.operations() / 2;
  return 10 + std::sqrt(products / static_cast<double>(elements_of(question)));
}

/// What has been checked of all convolutions.
struct checked {
  std::size_t elements = 0;
  double largest = 0;
};

/// Leaves out who computes something else. Of a large result some thousand numbers are looked at,
/// the first and the last rows among them.
void check(std::vector<answer<convolution_contestant>>& answers,
           const convolution_question& question, const run& settings, checked& sum) {
  constexpr double tolerance = 1e-4;
  constexpr std::int64_t looked_at = 1'500;
  const std::int64_t elements = elements_of(question);
  // Odd, so that it walks through all channels.
  const std::int64_t apart = elements > looked_at ? elements / looked_at / 2 * 2 + 1 : 1;
  std::vector<float> wanted;
  for (std::int64_t at = 0; at < elements; at += apart) {
    wanted.push_back(static_cast<float>(element_of(question, at)));
  }
  std::vector<answer<convolution_contestant>> right;
  for (answer<convolution_contestant>& each : answers) {
    const std::vector<float> all = each.contestant->result();
    std::vector<float> got;
    for (std::int64_t at = 0; at < std::ssize(all); at += apart) {
      got.push_back(all[static_cast<std::size_t>(at)]);
    }
    const bool whole = std::ssize(all) == elements;
    const double difference =
        whole ? largest_difference(got, wanted, floor_of(question)) : HUGE_VAL;
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

/// Goals of forward, input gradient and weight gradient.
struct goals_of_directions {
  double forward;
  double input_gradient;
  double weight_gradient;

  double of(convolution_direction direction) const {
    switch (direction) {
      case convolution_direction::forward:
        return forward;
      case convolution_direction::input_gradient:
        return input_gradient;
      case convolution_direction::weight_gradient:
        return weight_gradient;
    }
    return 0;
  }
};

/// The share of the peak; zero where none is asked for.
goals_of_directions shares_of(convolution_kind kind) {
  const bool widest = measure::vector_unit() == "AVX-512";
  switch (kind) {
    case convolution_kind::wide:
      return widest ? goals_of_directions{0.85, 0.83, 0.80} : goals_of_directions{0.92, 0.92, 0.88};
    case convolution_kind::few:
      return {widest ? 0.65 : 0.80, 0, 0};
    case convolution_kind::one_to_six:
      return {widest ? 0.66 : 0.85, 0, 0};
    default:
      return {0, 0, 0};
  }
}

/// How many times as fast as oneDNN.
goals_of_directions ratios_of(convolution_kind kind) {
  switch (kind) {
    case convolution_kind::few:
    case convolution_kind::one_to_six:
      return {1, 1.5, 1.5};
    case convolution_kind::depthwise:
      return {1.3, 1.3, 1.3};
    case convolution_kind::causal_one:
      return {8, 1, 1};
    case convolution_kind::causal_few:
      return {1.3, 1, 1};
    default:
      return {1, 1, 1};
  }
}

/// Bytes of x and of y, each moved once; those of weights are left out.
struct moved_bytes {
  std::int64_t x;
  std::int64_t y;

  std::int64_t all() const { return x + y; }
};

moved_bytes bytes_of(const convolution_question& question) {
  const convolution_shape& shape = question.shape;
  return {4 * question.batch * shape.inputs() * shape.channels,
          4 * question.batch * shape.outputs() * shape.filters};
}

std::unique_ptr<measure::contestant> traffic_of(const convolution_question& question) {
  const moved_bytes bytes = bytes_of(question);
  switch (question.direction) {
    case convolution_direction::forward:
      return measure::make_traffic(bytes.x, bytes.y);
    case convolution_direction::input_gradient:
      return measure::make_traffic(bytes.y, bytes.x);
    case convolution_direction::weight_gradient:
      return measure::make_traffic(bytes.all(), 0);
  }
  return nullptr;
}

/// The peak; where no share of it is asked for and the first-level cache does not hold what is
/// moved, the bytes as well: of a depthwise convolution they may take longer.
std::vector<limit> limits_of(const convolution_question& question) {
  constexpr std::int64_t first_level_bytes = 48 * 1024;
  const double operations = question.batch * question.shape.operations();
  std::vector<limit> made;
  made.push_back({measure::make_peak(), operations / measure::operations_of_peak()});
  const bool streams = bytes_of(question).all() > first_level_bytes;
  if (streams && shares_of(question.shape.kind).of(question.direction) == 0) {
    made.push_back({traffic_of(question), 1});
  }
  return made;
}

void measure_convolution(convolution_question& question, const run& settings, checked& sum) {
  fill(question);
  auto answers = answers_to<convolution_question, convolution_contestant>(question);
  check(answers, question, settings, sum);
  if (answers.empty() || answers.front().library != peers::ours) {
    return;
  }
  const double operations = question.batch * question.shape.operations();
  const outcome raced = race(answers, limits_of(question), settings.effort);
  const double share = shares_of(question.shape.kind).of(question.direction);
  const double ratio = ratios_of(question.shape.kind).of(question.direction);
  std::optional<goal> own;
  if (share > 0) {
    own = goal{bound::limit_fraction_at_least, share};
  }
  settings.report->add(
      rows_of(name_of(question), raced, 1e-9 * operations, "GFLOP/s", own,
              [&](const std::string& peer) { return ratio_within_limit(ratio, raced, peer); }));
}

}  // namespace

void measure_convolutions(const run& settings) {
  checked sum;
  for (const std::int32_t batch : peers::convolution_batches) {
    for (std::size_t place = 0; place < std::size(peers::convolution_shapes); ++place) {
      for (const convolution_direction direction : peers::convolution_directions) {
        convolution_question question;
        question.direction = direction;
        question.shape = peers::convolution_shapes[place];
        question.place = static_cast<std::int32_t>(place);
        question.batch = batch;
        const bool needed = question.shape.kind != convolution_kind::image ||
                            direction != convolution_direction::input_gradient;
        if (needed && settings.report->wants(name_of(question))) {
          measure_convolution(question, settings, sum);
        }
      }
    }
  }
  if (sum.elements > 0) {
    settings.report->say(fmt::format(
        "convolutions: checked {} elements against double precision, largest difference {:.2g}",
        sum.elements, sum.largest));
  }
}

}  // namespace table
