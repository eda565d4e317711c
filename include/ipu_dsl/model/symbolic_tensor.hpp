// SPDX-License-Identifier: MIT
// The tensors of a functional model, and what is said of those that no layer has made.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/problem.hpp>

namespace ipu_dsl {

class functional_builder;

/// What stands for the number of a tensor that none of the model is.
enum class absent_tensor : std::int32_t {
  nowhere = -1,
  elsewhere = -2,  ///< another builder made it
  added = -3,      ///< two by `+`, and so on
  subtracted = -4,
  multiplied = -5,
  divided = -6,
  scaled = -7,  ///< one with a number
  indexed = -8
};

/// What is wrong with a tensor of that number, where one of the model is expected.
constexpr problem refuse_absent(const char* expected, std::int32_t number) {
  switch (static_cast<absent_tensor>(number)) {
    case absent_tensor::elsewhere:
      return refuse(expected, "one of another builder");
    case absent_tensor::added:
      return refuse(expected, "x + h", "write build.layer<Add>(\"\", x, h)");
    case absent_tensor::subtracted:
      return refuse(expected, "x - h", "write build.layer<Subtract>(\"\", x, h)");
    case absent_tensor::multiplied:
      return refuse(expected, "x * h", "write build.layer<Multiply>(\"\", x, h)");
    case absent_tensor::divided:
      return refuse(expected, "x / h", "write a layer of your own, as in examples/own_layer.cpp");
    case absent_tensor::scaled:
      return refuse(expected, "a tensor and a number",
                    "write build.layer<Rescaling<0.5F, 1.0F>>(\"\", x) for 0.5F * x + 1.0F");
    case absent_tensor::indexed:
      return refuse(expected, "x[...]",
                    "Cropping1D takes steps of a sequence; of several outputs write const auto [y, "
                    "h] = build.layers<GRU<16, return_state<true>>, 2>(\"\", x)");
    default:
      return refuse(expected, "one of nowhere");
  }
}

/// A tensor of a functional model while it is being built. Arithmetic with it makes one that every
/// layer refuses with a sentence: there are layers for that.
struct symbolic_tensor {
  std::int32_t index = static_cast<std::int32_t>(absent_tensor::nowhere);
  const functional_builder* of = nullptr;  ///< which made it

  constexpr symbolic_tensor refused(absent_tensor why) const {
    return {static_cast<std::int32_t>(why), of};
  }

  friend constexpr symbolic_tensor operator+(const symbolic_tensor& x, const symbolic_tensor&) {
    return x.refused(absent_tensor::added);
  }

  friend constexpr symbolic_tensor operator-(const symbolic_tensor& x, const symbolic_tensor&) {
    return x.refused(absent_tensor::subtracted);
  }

  friend constexpr symbolic_tensor operator*(const symbolic_tensor& x, const symbolic_tensor&) {
    return x.refused(absent_tensor::multiplied);
  }

  friend constexpr symbolic_tensor operator/(const symbolic_tensor& x, const symbolic_tensor&) {
    return x.refused(absent_tensor::divided);
  }

  friend constexpr symbolic_tensor operator+(const symbolic_tensor& x, double) {
    return x.refused(absent_tensor::scaled);
  }

  friend constexpr symbolic_tensor operator+(double, const symbolic_tensor& x) {
    return x.refused(absent_tensor::scaled);
  }

  friend constexpr symbolic_tensor operator-(const symbolic_tensor& x, double) {
    return x.refused(absent_tensor::scaled);
  }

  friend constexpr symbolic_tensor operator-(double, const symbolic_tensor& x) {
    return x.refused(absent_tensor::scaled);
  }

  friend constexpr symbolic_tensor operator*(const symbolic_tensor& x, double) {
    return x.refused(absent_tensor::scaled);
  }

  friend constexpr symbolic_tensor operator*(double, const symbolic_tensor& x) {
    return x.refused(absent_tensor::scaled);
  }

  friend constexpr symbolic_tensor operator/(const symbolic_tensor& x, double) {
    return x.refused(absent_tensor::scaled);
  }

  friend constexpr symbolic_tensor operator/(double, const symbolic_tensor& x) {
    return x.refused(absent_tensor::scaled);
  }

  template <typename Other>
  constexpr symbolic_tensor& operator+=(const Other& other) {
    return *this = *this + other;
  }

  template <typename Other>
  constexpr symbolic_tensor& operator-=(const Other& other) {
    return *this = *this - other;
  }

  template <typename Other>
  constexpr symbolic_tensor& operator*=(const Other& other) {
    return *this = *this * other;
  }

  template <typename Other>
  constexpr symbolic_tensor& operator/=(const Other& other) {
    return *this = *this / other;
  }

  constexpr symbolic_tensor operator[](std::int64_t) const {
    return refused(absent_tensor::indexed);
  }
};

}  // namespace ipu_dsl
