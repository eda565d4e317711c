// SPDX-License-Identifier: MIT
// The numbers that a parameter starts with, in the order of its shape. With the compiler's own
// functions: <cmath> has special ones as well, which take 0.1 s of every source that includes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ipu_dsl/core/elementary.hpp>
#include <ipu_dsl/graph/initializer.hpp>

namespace ipu_dsl {

/// The fan that an initialiser scales by; an average of whole numbers is exact.
inline float fan_of(const initializer& start, const shape& extents) {
  const fans found = fans_of(extents);
  switch (start.fan) {
    case fan_mode::inputs:
      return static_cast<float>(found.inputs);
    case fan_mode::outputs:
      return static_cast<float>(found.outputs);
    default:
      return static_cast<float>(found.inputs + found.outputs) / 2;
  }
}

/// Of a normal initialiser: its standard deviation, before anything is drawn again.
inline double deviation_of(const initializer& start, const shape& extents) {
  // That of a standard normal which is drawn again beyond two standard deviations.
  constexpr double truncated = 0.87962566103423978;
  switch (start.kind) {
    case initializer_kind::scaled_normal:
      return elementary::square_root(static_cast<double>(start.value / fan_of(start, extents)));
    case initializer_kind::scaled_truncated_normal:
      return elementary::square_root(static_cast<double>(start.value / fan_of(start, extents))) /
             truncated;
    default:
      return static_cast<double>(start.second);
  }
}

/// Vectors of doubles, one behind the other. (A std::vector and spans of them would cost every
/// program that trains two hundred instantiations.)
class double_vectors {
 public:
  double_vectors(std::size_t vectors, std::size_t length_of_each)
      : length(length_of_each), numbers_(new double[vectors * length_of_each]) {}

  ~double_vectors() { delete[] numbers_; }

  double_vectors(const double_vectors&) = delete;
  double_vectors& operator=(const double_vectors&) = delete;

  double* at(std::size_t vector) const { return numbers_ + vector * length; }

  const std::size_t length;

 private:
  double* const numbers_;
};

/// The sum of products of two vectors: eight chains of fused operations, whose order is fixed.
inline double product_of(const double* left, const double* right, std::size_t length) {
  constexpr std::size_t chains = 8;
  double sums[chains] = {};
  for (std::size_t i = 0; i < length; ++i) {
    sums[i % chains] = __builtin_fma(left[i], right[i], sums[i % chains]);
  }
  double sum = 0;
  for (const double part : sums) {
    sum += part;
  }
  return sum;
}

/// Takes from a vector what it has of the directions of the `count` first ones.
inline void take_out(double* vector, const double_vectors& all, std::size_t count) {
  for (std::size_t before = 0; before < count; ++before) {
    const double* const direction = all.at(before);
    const double share = product_of(vector, direction, all.length);
    for (std::size_t i = 0; i < all.length; ++i) {
      vector[i] = __builtin_fma(-share, direction[i], vector[i]);
    }
  }
}

/// `count` vectors become orthonormal, each in the direction that it has beside those before it
/// (Gram and Schmidt). They are gone through twice, which is enough for all bits (Giraud et al.
/// 2005). That is the Q of a QR decomposition with a positive diagonal.
inline void orthonormalize(const double_vectors& all, std::size_t count) {
  for (std::size_t index = 0; index < count; ++index) {
    double* const vector = all.at(index);
    take_out(vector, all, index);
    take_out(vector, all, index);
    const double norm = elementary::square_root(product_of(vector, vector, all.length));
    for (std::size_t i = 0; i < all.length; ++i) {
      vector[i] /= norm;
    }
  }
}

/// An orthogonal start of a matrix of all extents but the last, and the last: drawn normal with the
/// longer side first, as in Keras, made orthonormal, and laid down.
[[gnu::cold]] inline void start_orthogonal(initial_value at, float gain, std::span<float> values) {
  const auto columns = static_cast<std::size_t>(at.extents[at.extents.rank - 1]);
  const std::size_t rows = values.size() / columns;
  const std::size_t length = rows > columns ? rows : columns;
  const std::size_t count = rows > columns ? columns : rows;
  const double_vectors vectors(count, length);
  for (std::size_t along = 0; along < length; ++along) {
    for (std::size_t vector = 0; vector < count; ++vector) {
      at.index = along * count + vector;
      vectors.at(vector)[along] = at.normal();
    }
  }
  orthonormalize(vectors, count);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const double number = rows > columns ? vectors.at(column)[row] : vectors.at(row)[column];
      values[row * columns + column] =
          static_cast<float>(elementary::product(static_cast<double>(gain), number));
    }
  }
}

/// What one number starts with, of initialisers that look at one after the other.
class started_number {
 public:
  started_number(const initializer& start, const shape& extents)
      : start_(start),
        deviation_(deviation_of(start, extents)),
        limit_(__builtin_sqrtf(3 * start.value / fan_of(start, extents))),
        columns_(extents.rank > 0 ? static_cast<std::uint64_t>(extents[extents.rank - 1]) : 1) {}

  [[gnu::cold]] float at(const initial_value& place) const {
    switch (start_.kind) {
      case initializer_kind::ones:
        return 1;
      case initializer_kind::constant:
        return start_.value;
      case initializer_kind::uniform:
        return between(start_.value, start_.second, place.uniform());
      case initializer_kind::scaled_uniform:
        return limit_ * (2 * place.uniform() - 1);
      case initializer_kind::normal:
        return moved(static_cast<double>(start_.value), place.normal());
      case initializer_kind::scaled_normal:
        return moved(0, place.normal());
      case initializer_kind::truncated_normal:
        return moved(static_cast<double>(start_.value), place.truncated_normal());
      case initializer_kind::scaled_truncated_normal:
        return moved(0, place.truncated_normal());
      case initializer_kind::identity:
        return place.index / columns_ == place.index % columns_ ? start_.value : 0;
      case initializer_kind::own:
        return start_.own(place);
      default:
        return 0;
    }
  }

 private:
  /// In [least, most), which a sum of floats may round up to.
  static float between(float least, float most, float part) {
    const double width = static_cast<double>(most) - static_cast<double>(least);
    const double sum =
        static_cast<double>(least) + elementary::product(width, static_cast<double>(part));
    const auto drawn = static_cast<float>(sum);
    return drawn < most || least == most ? drawn : __builtin_nextafterf(most, least);
  }

  float moved(double mean, double drawn) const {
    return static_cast<float>(mean + elementary::product(deviation_, drawn));
  }

  const initializer& start_;
  double deviation_;
  float limit_;
  std::uint64_t columns_;
};

/// Fills in what a parameter of these extents starts with. What is drawn depends on the seed, the
/// stream and the place in the shape alone; of a seeded initialiser on its own seed and the place.
[[gnu::cold]] inline void start_values(const initializer& start, const shape& extents,
                                       std::uint64_t seed, std::uint64_t stream,
                                       std::span<float> values) {
  initial_value place{.extents = extents,
                      .seed = start.seeded ? start.seed : seed,
                      .stream = start.seeded ? 0 : stream};
  if (start.kind == initializer_kind::orthogonal) {
    start_orthogonal(place, start.value, values);
    return;
  }
  const started_number number(start, extents);
  for (std::size_t i = 0; i < values.size(); ++i) {
    place.index = i;
    const bool is_one = start.ones_in_second_quarter && 4 * i / values.size() == 1;
    values[i] = is_one ? 1.0F : number.at(place);
  }
}

}  // namespace ipu_dsl
