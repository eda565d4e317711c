// SPDX-License-Identifier: MIT
// Samples with labels, the extents of a sample and the number of classes in the type.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/exceptions.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/non_finite.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/shape.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/data/data_source.hpp>

namespace ipu_dsl {

namespace datasets {

/// `float(byte) / 255.0f` of every byte. g++ 12 at -O2 does not vectorise the division, and one by
/// one it takes twice as long as looking the quotient up (0.6 against 1.4 us a digit).
constexpr std::array<float, 256> divided_by_255() {
  std::array<float, 256> values = {};
  for (std::size_t byte = 0; byte < values.size(); ++byte) {
    values[byte] = static_cast<float>(byte) / 255.0f;
  }
  return values;
}

/// [256]
inline constexpr std::array<float, 256> grey_values = divided_by_255();

/// How a sentence about numbers begins and ends: what they belong to, if not to features, and the
/// argument that `non_finite::kept` stands behind.
struct numbers_given {
  std::string of = "";
  std::string_view last = "the labels";
};

/// Throws `error` for the first infinity or NaN among `numbers` [samples, elements].
inline void check_finite(list_view<float> numbers, std::size_t elements,
                         const numbers_given& given = {}) {
  if (!holds_non_finite(numbers)) {
    return;
  }
  std::size_t first = 0;
  while (!is_non_finite(numbers[first])) {
    ++first;
  }
  raise_error({"Value ", first % elements, " of sample ", first / elements, given.of, " is ",
               std::to_string(numbers[first]),
               "; expected finite numbers. Hint: non_finite::kept behind ", given.last,
               " keeps it."});
}

/// The same of a column of rows of a shape.
inline numbers_given numbers_of_column(std::string_view kind, const shape& row) {
  return {" of a " + std::string(kind) + " of shape " + std::string(describe(row).view()),
          "its values"};
}

/// What is wrong with arrays that are no vectors of the right elements.
template <typename Features, typename Labels, typename Element>
struct arrays_fault_of {
  static constexpr bool bytes = std::same_as<Element, std::uint8_t>;

  /// Whether every sample is an array of its own.
  static constexpr bool rows = requires(const Features& of) { of.front().front(); };

  static constexpr problem find() {
    problem found;
    if constexpr (!std::convertible_to<Features, std::vector<Element>>) {
      found =
          refuse(label("features in a std::vector<") << (bytes ? "std::uint8_t" : "float") << ">",
                 rows ? std::string_view("an array for each sample") : type_name<Features>(),
                 hint_of_features());
    } else {
      found = refuse("labels in a std::vector<std::int32_t>", type_name<Labels>(),
                     "copy them: std::vector<std::int32_t>(labels.begin(), labels.end())");
    }
    found.where = "labelled_dataset";
    return found;
  }

  static constexpr const char* hint_of_features() {
    if constexpr (std::convertible_to<Features, std::vector<std::int32_t>> &&
                  std::convertible_to<Labels, std::vector<Element>>) {
      return "features come first, labels behind them";
    } else if constexpr (rows) {
      return "copy all samples into one vector, one behind the other";
    } else if constexpr (bytes) {
      return "write float behind the classes, or copy them into bytes";
    } else {
      return "copy them: std::vector<float>(features.begin(), features.end())";
    }
  }

  static constexpr problem value = find();
};

}  // namespace datasets

/// Owns samples of `SampleShape` and their labels in [0, Classes). Bytes are grey values: gathered,
/// 255 becomes 1, exactly `float(byte) / 255.0f`. Floats are gathered as they are.
template <shape SampleShape, std::int32_t Classes, typename Element = std::uint8_t>
class labelled_dataset {
 public:
  static_assert(
      std::same_as<Element, std::uint8_t> || std::same_as<Element, float>,
      "ipu_dsl: expected std::uint8_t or float as element of labelled_dataset, got another type");
  static_assert(
      SampleShape.elements() > 0 && Classes > 0,
      "ipu_dsl: expected at least one element in a sample of labelled_dataset and at least one "
      "class, got none");

  static constexpr shape sample_shape = SampleShape;
  /// Of none, which was refused above, one: so that nobody takes the labels for other targets.
  static constexpr std::int32_t classes = Classes > 0 ? Classes : 1;

  /// Without samples.
  labelled_dataset() = default;

  /// `features` [samples, elements of a sample], `labels` [samples]. Throws `error` if the two do
  /// not belong together, a label is no class, or a float is an infinity or NaN and they are not to
  /// be kept, or if there are 2^32 samples or more.
  labelled_dataset(std::vector<Element> features, std::vector<std::int32_t> labels,
                   non_finite floats = non_finite::refused)
      : features_(std::move(features)), labels_(std::move(labels)) {
    check_counts();
    check_labels();
    if constexpr (std::same_as<Element, float>) {
      if (floats == non_finite::refused) {
        datasets::check_finite(features_, elements);
      }
    }
  }

  /// Refused with a sentence: what is no vector of the right elements.
  template <typename Features, typename Labels>
    requires(!(std::convertible_to<Features, std::vector<Element>> &&
               std::convertible_to<Labels, std::vector<std::int32_t>>))
  labelled_dataset(const Features&, const Labels&, non_finite = non_finite::refused) {
    static_assert(diagnose<datasets::arrays_fault_of<Features, Labels, Element>>());
  }

  /// How many samples there are.
  std::int64_t size() const { return static_cast<std::int64_t>(labels_.size()); }

  /// Writes the sample at `index` < size() to `row` [elements of a sample].
  void gather(std::uint32_t index, float* row) const {
    const Element* const sample = features_.data() + index * elements;
    for (std::size_t i = 0; i < elements; ++i) {
      if constexpr (std::same_as<Element, std::uint8_t>) {
        row[i] = datasets::grey_values[sample[i]];
      } else {
        row[i] = sample[i];
      }
    }
  }

  /// The class of the sample at `index` < size().
  std::int32_t label(std::uint32_t index) const { return labels_[index]; }

  /// [samples, elements of a sample], as kept.
  std::span<const Element> features() const { return {features_.data(), features_.size()}; }

  /// [samples]
  std::span<const std::int32_t> labels() const { return {labels_.data(), labels_.size()}; }

 private:
  static constexpr std::size_t elements = static_cast<std::size_t>(SampleShape.elements());

  [[gnu::cold]] void check_counts() const {
    if (features_.size() / elements != labels_.size() || features_.size() % elements != 0) {
      raise_error({"A data set of samples ", describe(SampleShape), " got ", features_.size(),
                   " values for ", labels_.size(),
                   labels_.size() == 1 ? " label; expected " : " labels; expected ", elements,
                   " values for each label."});
    }
    if (labels_.size() > 0xFFFF'FFFF) {
      raise_error({"A data set holds fewer than 2^32 samples, got ", labels_.size(), "."});
    }
  }

  [[gnu::cold]] void check_labels() const {
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      if (labels_[i] < 0 || labels_[i] >= Classes) {
        raise_error(
            {"The label of sample ", i, " is ", labels_[i], "; expected 0 to ", Classes - 1, "."});
      }
    }
  }

  std::vector<Element> features_;     // [samples, elements]
  std::vector<std::int32_t> labels_;  // [samples]
};

/// The samples of a `labelled_dataset` of bytes as they are kept, for an input of uint8. Refers to
/// it; it must outlive this.
template <shape SampleShape, std::int32_t Classes>
class byte_samples {
 public:
  static constexpr shape sample_shape = SampleShape;
  static constexpr std::int32_t classes = Classes;

  explicit byte_samples(const labelled_dataset<SampleShape, Classes>& data) : data_(&data) {}

  /// How many samples there are.
  std::int64_t size() const { return data_->size(); }

  /// Writes the sample at `index` < size() to `row` [elements of a sample].
  void gather(std::uint32_t index, std::uint8_t* row) const {
    constexpr auto elements = static_cast<std::size_t>(SampleShape.elements());
    std::copy_n(data_->features().data() + index * elements, elements, row);
  }

  /// The class of the sample at `index` < size().
  std::int32_t label(std::uint32_t index) const { return data_->label(index); }

 private:
  const labelled_dataset<SampleShape, Classes>* data_;
};

/// Bytes as bytes, a quarter of what their floats take:
///
///   const auto images = as_bytes(digits.train);
///   run.fit(images | shuffled(10'000) | repeated(), {.epochs = 4});  // of input<dtype::uint8, 28,
///   28>
template <shape SampleShape, std::int32_t Classes>
byte_samples<SampleShape, Classes> as_bytes(const labelled_dataset<SampleShape, Classes>& data) {
  return byte_samples<SampleShape, Classes>(data);
}

/// Refused: the data set would be gone before its first sample is asked for.
template <shape SampleShape, std::int32_t Classes>
byte_samples<SampleShape, Classes> as_bytes(const labelled_dataset<SampleShape, Classes>&&) =
    delete;

}  // namespace ipu_dsl
