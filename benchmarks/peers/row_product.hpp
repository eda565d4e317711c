// SPDX-License-Identifier: MIT
// A product by a library that takes matrices in rows and writes one.
#pragma once

#include <memory>
#include <vector>

#include "peers/product.hpp"

namespace peers {

/// Calls `Multiply(question, y)`, where `y` holds `start` before the first weight gradient.
template <void (*Multiply)(const product& question, float* y)>
class row_product final : public product_contestant {
 public:
  explicit row_product(const product& question) : question_(question), y_(first_y(question)) {}

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      Multiply(question_, y_.data());
    }
  }

  std::vector<float> result() override {
    y_ = first_y(question_);
    Multiply(question_, y_.data());
    return {y_.begin(), y_.end()};
  }

  static std::unique_ptr<product_contestant> make(const product& question) {
    return std::make_unique<row_product>(question);
  }

 private:
  static measure::buffer first_y(const product& question) {
    switch (question.kind) {
      case product_kind::forward:
        return measure::zeros(std::int64_t{question.batch} * question.outputs);
      case product_kind::input_gradient:
        return measure::zeros(std::int64_t{question.batch} * question.inputs);
      case product_kind::weight_gradient:
        return question.start;
    }
    return {};
  }

  const product& question_;
  measure::buffer y_;
};

}  // namespace peers
