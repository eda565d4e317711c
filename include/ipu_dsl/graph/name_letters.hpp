// SPDX-License-Identifier: MIT
// Of which letters names of layers are: files of weights and archives are written with them.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/graph/graph.hpp>

namespace ipu_dsl {

/// By letter: whether it is one of words.
inline constexpr std::array<bool, 256> letters_of_words = [] {
  std::array<bool, 256> made = {};
  for (const char letter :
       std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")) {
    made[static_cast<unsigned char>(letter)] = true;
  }
  return made;
}();

/// Whether a name may have a letter: those that TensorFlow's names have but for the backslash,
/// which is no letter of a file's name everywhere, and all beyond ASCII, which Keras 3 has as well.
constexpr bool is_letter_of_name(char letter) {
  const auto code = static_cast<unsigned char>(letter);
  const bool is_sign = letter == '.' || letter == '/' || letter == '>';
  return letters_of_words[code] || is_sign || code > 127;
}

/// Whether a name is one word, as most are: a step of a compiler for each letter.
constexpr bool is_word(std::string_view name) {
  const char* at = name.data();
  const char* const end = at + name.size();
  while (at != end && letters_of_words[static_cast<unsigned char>(*at)]) {
    ++at;
  }
  return at == end && !name.empty();
}

/// A letter that a name may not have, and the name, unless it cannot be printed.
constexpr label describe_letter(char letter, std::string_view name) {
  if (static_cast<unsigned char>(letter) < ' ' || letter == 127) {
    return "a control character";
  }
  label words;
  if (letter == ' ') {
    words << "a space";
  } else {
    words << "'" << letter << "'";
  }
  return words << " in " << name;
}

/// Whether a part between slashes leads out of the folder that it is in, or nowhere.
constexpr bool leads_astray(std::string_view part) {
  return part.empty() || part == "." || part == "..";
}

/// What is wrong with a name as one of files and archives.
constexpr problem check_letters(std::string_view name) {
  if (is_word(name)) {
    return {};
  }
  std::size_t begin = 0;
  bool is_lost = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (!is_letter_of_name(name[i])) {
      return refuse("letters, digits and _ . - > / in a name", describe_letter(name[i], name));
    }
    if (name[i] == '/') {
      is_lost = is_lost || leads_astray(name.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  if (is_lost || leads_astray(name.substr(begin))) {
    return refuse("a name without empty parts, . and .. between its slashes", name);
  }
  return {};
}

/// What is wrong with the name of a layer, or with that of a model that is one and begins with it.
constexpr problem check_letters(const layer_record& layer) {
  const std::string_view listed = listed_name(layer);
  problem found = listed.empty() ? problem() : check_letters(listed);
  if (!found.found() && layer.depth > 0 && !layer.name.empty()) {
    found = check_letters(layer.name);
  }
  return found;
}

/// Where a layer is whose name cannot be said.
constexpr label where_without_name(const layer_record& layer) {
  if (layer.depth > 0) {
    return label("layer ") << listed_number(layer) << " in stage " << layer.stage;
  }
  layer_record nameless = layer;
  nameless.name = {};
  return where_is(nameless);
}

/// The first layer whose name files do not take.
constexpr problem refuse_letters(const graph& model) {
  for (const layer_record& layer : model.layers) {
    problem found = check_letters(layer);
    if (found.found()) {
      found.where = where_without_name(layer);
      return found;
    }
  }
  return {};
}

}  // namespace ipu_dsl
