// SPDX-License-Identifier: MIT
// What a file of weights gave to a model, and what it did not.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/non_finite.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/formats/entry_inflater.hpp>
#include <ipu_dsl/formats/zip_reader.hpp>

namespace ipu_dsl {

/// Whose weights in the file are whose in the model.
struct layer_pair {
  std::string in_file;   ///< "encoder.fc1": what stands before ".weight" or "/kernel"
  std::string in_model;  ///< "dense_0": what the summary calls the layer
  /// Of a recurrent layer of PyTorch, which of its layers: "_l1", "_l0_reverse". "_l0" unless
  /// given.
  std::string suffix = {};
};

/// What is wrong with two words where pairs of layers are wanted.
template <typename Letter>
struct unnamed_pairs_of {
  static constexpr problem find() {
    problem found = refuse("pairs of layers", "two words",
                           "write {.names = {{\"fc1\", \"dense_0\"}}}, each pair in braces");
    found.where = "load_options";
    return found;
  }

  static constexpr problem value = find();
};

/// Pairs of layers. Of its own for the sake of one sentence: from two words in braces, where
/// `.names =` was forgotten, a vector would be made as from two iterators.
struct layer_pairs : std::vector<layer_pair> {
  using std::vector<layer_pair>::vector;

  layer_pairs(std::vector<layer_pair> pairs) : std::vector<layer_pair>(std::move(pairs)) {}

  template <std::same_as<char> Letter>
  layer_pairs(const Letter*, const Letter*) {
    static_assert(diagnose<unnamed_pairs_of<Letter>>());
  }
};

/// How a file of weights is loaded.
struct load_options {
  /// For layers that have another name in the file; others are looked for under their own.
  layer_pairs names = {};
  /// Loads what fits and leaves the rest as it is. Otherwise a parameter that the file has not, or
  /// has in another shape, and what nothing takes are refused, and nothing is changed. A file of
  /// which nothing fits is refused either way.
  bool partly = false;
  non_finite floats = non_finite::refused;    ///< infinities and NaN
  entry_inflater inflater = refuse_deflated;  ///< `inflate_entry` for compressed archives
};

/// What became of the parameters of a model and of the arrays of a file.
struct load_report {
  std::vector<std::string> matched;      ///< parameters that were loaded: "logits/kernel"
  std::vector<std::string> missing;      ///< not in the file: "logits/bias (fc2.bias)"
  std::vector<std::string> left_over;    ///< of the file, what no parameter took
  std::vector<std::string> other_shape;  ///< a sentence each, without a full stop

  /// Whether every parameter was loaded and every array taken.
  bool complete() const { return missing.empty() && left_over.empty() && other_shape.empty(); }

  /// One line for each of the four that has something.
  std::string text() const {
    return lines("matched", matched) + lines("missing", missing) + lines("left over", left_over) +
           lines("of other shape", other_shape);
  }

  /// What does not fit, for one sentence; at most four of a kind.
  std::string fault() const {
    std::string words;
    append(words, "it has no array for ", missing);
    append(words, "nothing takes ", left_over);
    append(words, "", other_shape);
    return words;
  }

 private:
  static std::string listed(std::span<const std::string> names, std::size_t most) {
    std::string words;
    for (std::size_t i = 0; i < names.size() && i < most; ++i) {
      words += (i == 0 ? "" : ", ") + names[i];
    }
    return names.size() <= most ? words
                                : sentence_of({words, " and ", names.size() - most, " more"});
  }

  static std::string lines(std::string_view kind, std::span<const std::string> names) {
    return names.empty() ? "" : sentence_of({kind, ": ", listed(names, names.size()), "\n"});
  }

  static void append(std::string& words, std::string_view what,
                     std::span<const std::string> names) {
    constexpr std::size_t most = 4;
    if (!names.empty()) {
      words += sentence_of({words.empty() ? "" : "; ", what, listed(names, most)});
    }
  }
};

}  // namespace ipu_dsl
