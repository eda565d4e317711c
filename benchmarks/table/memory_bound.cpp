// SPDX-License-Identifier: MIT
// Layers that move more than they compute, beside a copy of the bytes that they read and write.
#include "peers/memory_bound.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "measure/machine.hpp"
#include "table/groups.hpp"

namespace table {
namespace {

using measure::goal;
using peers::memory_bound_contestant;
using peers::memory_bound_kind;
using peers::memory_bound_question;

using memory_bound_answers = std::vector<answer<memory_bound_contestant>>;

constexpr double epsilon = 1e-3;

/// A layer of some size, and for whom a goal is set.
struct measured_layer {
  const char* name;
  memory_bound_kind kind;
  std::int64_t samples;
  std::int64_t size;  ///< of images, in pixels
  std::int64_t channels;
  double copies;  ///< of a tensor of this size: two bytes moved for each that is read or written
  const char* judged_peer;
  double goal;  ///< 0 for none
  bool read_behind = false;
};

constexpr measured_layer measured_layers[] = {
    {"layer normalization forward 512x128", memory_bound_kind::layer_normalization, 512, 1, 128, 1,
     "oneDNN", 1.25},
    {"layer normalization backward 512x128", memory_bound_kind::layer_normalization_gradient, 512,
     1, 128, 1.5, "oneDNN", 1.25},
    {"batch normalization forward 32x32x32x16", memory_bound_kind::batch_normalization, 32, 32, 16,
     1, "oneDNN", 0},
    {"batch normalization forward 32x32x32x16, read behind it",
     memory_bound_kind::batch_normalization, 32, 32, 16, 1, "oneDNN", 1.2, true},
    {"batch normalization backward 32x32x32x16", memory_bound_kind::batch_normalization_gradient,
     32, 32, 16, 1.5, "oneDNN", 0},
    {"batch normalization backward 32x32x32x16, read behind it",
     memory_bound_kind::batch_normalization_gradient, 32, 32, 16, 1.5, "oneDNN", 1.2, true},
    {"max pooling 2x2 32x28x28x6", memory_bound_kind::max_pooling, 32, 28, 6, 0.625, "libtorch", 4},
    {"max pooling 2x2 32x32x32x16", memory_bound_kind::max_pooling, 32, 32, 16, 0.625, "libtorch",
     4},
    {"gelu forward 512x512", memory_bound_kind::gelu, 512, 1, 512, 1, "oneDNN", 1.2},
    {"gelu backward 512x512", memory_bound_kind::gelu_gradient, 512, 1, 512, 1.5, "oneDNN", 1.2},
    {"softmax 2048x64", memory_bound_kind::softmax, 2048, 1, 64, 1, "oneDNN", 1}};

memory_bound_question question_of(const measured_layer& layer) {
  memory_bound_question made;
  made.kind = layer.kind;
  made.samples = layer.samples;
  made.rows = layer.size;
  made.columns = layer.size;
  made.channels = layer.channels;
  made.x = measure::random_numbers(made.elements(), 2, 1);
  made.d = measure::random_numbers(made.elements(), 1, 2);
  made.gamma = measure::random_numbers(made.channels, 1, 3);
  made.beta = measure::random_numbers(made.channels, 1, 4);
  return made;
}

/// Reads and writes the tensor once.
class copy_of_tensor final : public measure::contestant {
 public:
  explicit copy_of_tensor(const measure::buffer& tensor) : from_(tensor), to_(tensor) {}

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      std::memcpy(to_.data(), from_.data(), from_.size() * sizeof(float));
      measure::clobber_memory();
    }
  }

 private:
  measure::buffer from_;
  measure::buffer to_;
};

/// What is needed where the moments of all samples decide what becomes of each: reads the tensors,
/// one or two, then once more, the last samples first, and writes another as large as one of them.
class two_passes final : public measure::contestant {
 public:
  two_passes(std::vector<measure::buffer> tensors, std::int64_t samples, bool read_behind)
      : tensors_(std::move(tensors)),
        sample_(tensors_.front().size() / static_cast<std::size_t>(samples)),
        to_(tensors_.front()),
        read_behind_(read_behind) {}

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      for (std::size_t first = 0; first < to_.size(); first += sample_) {
        for (const measure::buffer& tensor : tensors_) {
          measure::read(sample_of(tensor, first));
        }
      }
      for (std::size_t end = to_.size(); end >= sample_; end -= sample_) {
        pass_again(end - sample_);
      }
      if (read_behind_) {
        measure::read(to_);
      }
      measure::clobber_memory();
    }
  }

 private:
  std::span<const float> sample_of(const measure::buffer& tensor, std::size_t first) const {
    return std::span<const float>(tensor).subspan(first, sample_);
  }

  void pass_again(std::size_t first) {
    if (tensors_.size() == 1) {
      std::memcpy(to_.data() + first, tensors_.front().data() + first, sample_ * sizeof(float));
    } else {
      measure::add(sample_of(tensors_[0], first), sample_of(tensors_[1], first),
                   std::span(to_).subspan(first, sample_));
    }
  }

  std::vector<measure::buffer> tensors_;
  std::size_t sample_;
  measure::buffer to_;
  bool read_behind_;
};

/// A layer, and behind it whoever reads what it wrote, as the next layer does: who writes past the
/// caches leaves that to it.
class read_layer final : public memory_bound_contestant {
 public:
  explicit read_layer(std::unique_ptr<memory_bound_contestant> layer) : layer_(std::move(layer)) {}

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      layer_->run(1);
      measure::read(layer_->written());
    }
  }

  std::vector<float> result() override { return layer_->result(); }

  std::span<const float> written() const override { return layer_->written(); }

 private:
  std::unique_ptr<memory_bound_contestant> layer_;
};

/// Numbers of a tensor that are normalised together: `count` of them, `apart` from each other.
struct normalized_set {
  std::size_t first;
  std::size_t count;
  std::size_t apart;
};

/// What the numbers of a set become, or their gradients; gamma and beta are those of their channel.
void normalize(const memory_bound_question& of, const normalized_set& set, bool backward,
               std::vector<float>& result) {
  const auto at = [&](std::size_t i) { return set.first + i * set.apart; };
  const auto n = static_cast<double>(set.count);
  const auto channels = static_cast<std::size_t>(of.channels);
  double mean = 0;
  double variance = 0;
  for (std::size_t i = 0; i < set.count; ++i) {
    mean += static_cast<double>(of.x[at(i)]) / n;
  }
  for (std::size_t i = 0; i < set.count; ++i) {
    const double centred = static_cast<double>(of.x[at(i)]) - mean;
    variance += centred * centred / n;
  }
  const double inverse = 1 / std::sqrt(variance + epsilon);
  const auto normalized = [&](std::size_t i) {
    return (static_cast<double>(of.x[at(i)]) - mean) * inverse;
  };
  const auto scale = [&](std::size_t i) { return static_cast<double>(of.gamma[at(i) % channels]); };
  const auto slope = [&](std::size_t i) { return static_cast<double>(of.d[at(i)]) * scale(i); };
  double mean_of_slopes = 0;
  double mean_of_products = 0;
  for (std::size_t i = 0; i < set.count; ++i) {
    mean_of_slopes += slope(i) / n;
    mean_of_products += slope(i) * normalized(i) / n;
  }
  for (std::size_t i = 0; i < set.count; ++i) {
    const double forward =
        normalized(i) * scale(i) + static_cast<double>(of.beta[at(i) % channels]);
    const double gradient =
        inverse * (slope(i) - mean_of_slopes - normalized(i) * mean_of_products);
    result[at(i)] = static_cast<float>(backward ? gradient : forward);
  }
}

void normalize_rows(const memory_bound_question& of, std::vector<float>& result) {
  const auto units = static_cast<std::size_t>(of.channels);
  for (std::size_t first = 0; first < result.size(); first += units) {
    normalize(of, {first, units, 1}, of.kind == memory_bound_kind::layer_normalization_gradient,
              result);
  }
}

void normalize_channels(const memory_bound_question& of, std::vector<float>& result) {
  const auto channels = static_cast<std::size_t>(of.channels);
  for (std::size_t channel = 0; channel < channels; ++channel) {
    normalize(of, {channel, result.size() / channels, channels},
              of.kind == memory_bound_kind::batch_normalization_gradient, result);
  }
}

std::vector<float> pooled(const memory_bound_question& of) {
  std::vector<float> result;
  const std::int64_t line = of.columns * of.channels;
  for (std::int64_t row = 0; row < of.samples * of.rows; row += 2) {
    for (std::int64_t column = 0; column < of.columns; column += 2) {
      for (std::int64_t channel = 0; channel < of.channels; ++channel) {
        const float* const x = of.x.data() + row * line + column * of.channels + channel;
        result.push_back(std::max({x[0], x[of.channels], x[line], x[line + of.channels]}));
      }
    }
  }
  return result;
}

void apply_gelu(const memory_bound_question& of, std::vector<float>& result) {
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto x = static_cast<double>(of.x[i]);
    const double share = 0.5 * (1 + std::erf(x * std::sqrt(0.5)));
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2 * std::acos(-1.0));
    result[i] = static_cast<float>(of.kind == memory_bound_kind::gelu
                                       ? x * share
                                       : static_cast<double>(of.d[i]) * (share + x * density));
  }
}

void apply_softmax(const memory_bound_question& of, std::vector<float>& result) {
  const auto units = static_cast<std::size_t>(of.channels);
  for (std::size_t first = 0; first < result.size(); first += units) {
    double sum = 0;
    for (std::size_t i = 0; i < units; ++i) {
      sum += std::exp(static_cast<double>(of.x[first + i]));
    }
    for (std::size_t i = 0; i < units; ++i) {
      result[first + i] = static_cast<float>(std::exp(static_cast<double>(of.x[first + i])) / sum);
    }
  }
}

/// In double precision.
std::vector<float> wanted_of(const memory_bound_question& question) {
  std::vector<float> result(question.x.size());
  switch (question.kind) {
    case memory_bound_kind::layer_normalization:
    case memory_bound_kind::layer_normalization_gradient:
      normalize_rows(question, result);
      break;
    case memory_bound_kind::batch_normalization:
    case memory_bound_kind::batch_normalization_gradient:
      normalize_channels(question, result);
      break;
    case memory_bound_kind::max_pooling:
      return pooled(question);
    case memory_bound_kind::gelu:
    case memory_bound_kind::gelu_gradient:
      apply_gelu(question, result);
      break;
    case memory_bound_kind::softmax:
      apply_softmax(question, result);
      break;
  }
  return result;
}

/// Leaves out who computes something else.
void check(memory_bound_answers& answers, const memory_bound_question& question,
           const std::string& name, const run& settings) {
  constexpr double tolerance = 1e-5;
  const std::vector<float> wanted = wanted_of(question);
  memory_bound_answers right;
  double largest = 0;
  for (answer<memory_bound_contestant>& each : answers) {
    each.contestant->run(2);
    const double difference = largest_difference(each.contestant->result(), wanted, 1);
    if (!(difference <= tolerance)) {
      settings.report->refuse(
          fmt::format("{} by {} is wrong by {:.2g}.", name, each.library, difference));
      continue;
    }
    largest = std::max(largest, difference);
    right.push_back(std::move(each));
  }
  answers = std::move(right);
  settings.report->say(
      fmt::format("{}: checked {} numbers of {} ways against double precision, largest difference "
                  "{:.2g}",
                  name, wanted.size(), answers.size(), largest));
}

memory_bound_answers answers_of(const measured_layer& layer,
                                const memory_bound_question& question) {
  auto answers = answers_to<memory_bound_question, memory_bound_contestant>(question);
  if (layer.read_behind) {
    for (answer<memory_bound_contestant>& each : answers) {
      each.contestant = std::make_unique<read_layer>(std::move(each.contestant));
    }
  }
  return answers;
}

limit limit_of(const measured_layer& layer, const memory_bound_question& question) {
  switch (layer.kind) {
    case memory_bound_kind::batch_normalization:
      return {std::make_unique<two_passes>(std::vector<measure::buffer>{question.x}, layer.samples,
                                           layer.read_behind),
              1};
    case memory_bound_kind::batch_normalization_gradient:
      return {std::make_unique<two_passes>(std::vector<measure::buffer>{question.d, question.x},
                                           layer.samples, layer.read_behind),
              1};
    default:
      return {std::make_unique<copy_of_tensor>(question.x), layer.copies};
  }
}

void measure_layer(const measured_layer& layer, const run& settings) {
  const memory_bound_question question = question_of(layer);
  memory_bound_answers answers = answers_of(layer, question);
  check(answers, question, layer.name, settings);
  if (answers.empty() || answers.front().library != peers::ours) {
    return;
  }
  const outcome raced = race(answers, limit_of(layer, question), settings.effort);
  std::vector<measure::row> rows =
      rows_of(layer.name, raced, 1, "", {}, [&](const std::string& peer) -> std::optional<goal> {
        return peer == layer.judged_peer && layer.goal > 0
                   ? std::optional(ratio_within_limit(layer.goal, raced, peer))
                   : std::nullopt;
      });
  rows.front().value = raced.ours.minimum * 1e6;
  rows.front().median = raced.ours.median * 1e6;
  rows.front().unit = "us";
  settings.report->add(rows);
}

}  // namespace

void measure_memory_bound(const run& settings) {
  for (const measured_layer& layer : measured_layers) {
    if (settings.report->wants(layer.name)) {
      measure_layer(layer, settings);
    }
  }
}

}  // namespace table
