// SPDX-License-Identifier: MIT
// RTNeural's model files: JSON of layers in their order with Keras's weights. Format as written by
// python/model_utils.py of RTNeural.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/formats/json_text.hpp>
#include <ipu_dsl/formats/npy_header.hpp>
#include <ipu_dsl/formats/printable.hpp>

namespace ipu_dsl {

/// Numbers in lists of lists of the same length.
struct rtneural_array {
  std::vector<std::int64_t> extents;
  std::vector<float> values;  ///< the last axis runs fastest
};

/// What a file says of a layer. Numbers that it does not say are 0.
struct rtneural_layer {
  std::string type;        ///< "dense"
  std::string activation;  ///< "tanh"; empty: none
  std::int64_t outputs = 0;
  std::vector<rtneural_array> weights;
  std::vector<std::int64_t> kernel;  ///< extents of a convolution's window
  std::int64_t dilation = 0;         ///< along time
  std::int64_t groups = 0;
  std::int64_t stride = 0;  ///< of a conv2d along its features
  std::string padding;      ///< of a conv2d: "valid", "same"; empty: it does not say
  float epsilon = 0;
};

/// A model in a file.
struct rtneural_model {
  std::int64_t inputs = 0;  ///< features of a step
  std::vector<rtneural_layer> layers;
};

namespace rtneural {

/// The most lists in each other that an array of weights has: those of a conv2d have 4.
inline constexpr std::size_t most_axes = 4;

/// The last of a list of numbers, or a number that stands alone; 0 if it is null or a list.
inline std::int64_t read_last(json_text& text) {
  std::uint64_t last = 0;
  const bool listed = text.accept('[');
  do {
    last = 0;
    if (text.sees('[')) {
      text.skip_value();
    } else if (!text.accept_word("null")) {
      last = text.number();
    }
  } while (listed && text.accept(','));
  if (listed) {
    text.expect(']');
  }
  return static_cast<std::int64_t>(last);
}

/// The same. Throws `error` unless it is above 0.
inline std::int64_t read_count(json_text& text, std::string_view key) {
  const std::int64_t count = read_last(text);
  if (count == 0) {
    text.refuse(sentence_of({"expected a number above 0 as the last of ", key}));
  }
  return count;
}

/// The rest of a list whose bracket was read, on the axis `axis`.
inline void read_elements(json_text& text, std::size_t axis, rtneural_array& into) {
  std::int64_t count = 0;
  if (into.extents.size() == axis) {
    into.extents.push_back(-1);
  }
  if (!text.sees(']')) {
    do {
      const bool deeper = text.accept('[');
      if (deeper && axis + 1 == most_axes) {
        text.refuse(sentence_of({"weights have more than ", most_axes, " axes"}));
      }
      // The first number says how many axes there are.
      const bool has_deeper = into.extents.size() > axis + 1;
      if (!into.values.empty() && deeper != has_deeper) {
        text.refuse("numbers and lists of them stand beside each other");
      }
      if (deeper) {
        read_elements(text, axis + 1, into);
      } else {
        into.values.push_back(text.real());
      }
      ++count;
    } while (text.accept(','));
  }
  text.expect(']');
  std::int64_t& extent = into.extents[axis];
  if (extent >= 0 && extent != count) {
    text.refuse(sentence_of({"lists of ", extent, " and of ", count, " stand beside each other"}));
  }
  extent = count;
}

/// The arrays of a layer.
inline std::vector<rtneural_array> read_weights(json_text& text) {
  std::vector<rtneural_array> arrays;
  text.expect('[');
  if (text.accept(']')) {
    return arrays;
  }
  do {
    text.expect('[');
    rtneural_array& array = arrays.emplace_back();
    read_elements(text, 0, array);
    if (npy::element_count(array.extents, "an array of weights") != array.values.size()) {
      text.refuse("numbers and lists of them stand beside each other");
    }
  } while (text.accept(','));
  text.expect(']');
  return arrays;
}

/// Reads what stands behind a key of a layer, or steps over it.
inline void read_entry(json_text& text, std::string_view key, rtneural_layer& into) {
  if (key == "type") {
    into.type = text.quoted();
  } else if (key == "activation") {
    into.activation = text.quoted();
  } else if (key == "shape") {
    into.outputs = read_last(text);
  } else if (key == "weights") {
    into.weights = read_weights(text);
  } else if (key == "kernel_size" || key == "kernel_size_time") {
    into.kernel.insert(into.kernel.begin(), read_count(text, key));
  } else if (key == "kernel_size_feature") {
    into.kernel.push_back(read_count(text, key));
  } else if (key == "dilation") {
    into.dilation = read_count(text, key);
  } else if (key == "groups") {
    into.groups = read_count(text, key);
  } else if (key == "strides") {
    into.stride = read_count(text, key);
  } else if (key == "padding" && text.sees('"')) {
    into.padding = text.quoted();
  } else if (key == "epsilon") {
    into.epsilon = text.real();
  } else {
    text.skip_value();
  }
}

/// Reads an object: `read(key)` what stands behind each of its keys. Throws `error` if one stands
/// twice, or if one of `needed` is missing.
template <typename Read>
void read_object(json_text& text, std::span<const std::string_view> needed, const Read& read) {
  std::vector<std::string> keys;
  text.expect('{');
  bool more = !text.accept('}');
  while (more) {
    const std::string& key = keys.emplace_back(text.quoted());
    if (std::find(keys.begin(), keys.end(), key) != keys.end() - 1) {
      text.refuse(sentence_of({"the key ", printable(key), " stands twice"}));
    }
    text.expect(':');
    read(std::string_view(key));
    more = text.accept(',');
    if (!more) {
      text.expect('}');
    }
  }
  for (const std::string_view key : needed) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      text.refuse(sentence_of({"it has no ", key}));
    }
  }
}

inline rtneural_layer read_layer(json_text& text) {
  constexpr std::string_view needed[] = {"type", "weights"};
  rtneural_layer layer;
  read_object(text, needed, [&](std::string_view key) { read_entry(text, key, layer); });
  return layer;
}

inline std::vector<rtneural_layer> read_layers(json_text& text) {
  std::vector<rtneural_layer> layers;
  text.expect('[');
  if (text.accept(']')) {
    return layers;
  }
  do {
    text.enter(sentence_of({"layer ", layers.size()}));
    layers.push_back(read_layer(text));
  } while (text.accept(','));
  text.enter("");
  text.expect(']');
  return layers;
}

}  // namespace rtneural

/// A model out of RTNeural's JSON; `name` is what sentences call it. What it says of layers beside
/// their weights is read as far as it decides what they compute; other keys are stepped over.
/// Throws `error` for whatever is no JSON or no such model: weights that are missing, not numbers,
/// beyond float32, or in lists of different lengths. Layers are counted from 0.
inline rtneural_model parse_rtneural(std::string_view json, std::string_view name) {
  constexpr std::string_view needed[] = {"in_shape", "layers"};
  json_text text(json, "The model in ", name);
  rtneural_model model;
  rtneural::read_object(text, needed, [&](std::string_view key) {
    if (key == "in_shape") {
      model.inputs = rtneural::read_count(text, key);
    } else if (key == "layers") {
      model.layers = rtneural::read_layers(text);
    } else {
      text.skip_value();
    }
  });
  text.expect_end();
  return model;
}

/// Reads the model at `path`. Throws `error` if it is missing or anything about it is wrong.
inline rtneural_model read_rtneural(const std::string& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  return parse_rtneural({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

}  // namespace ipu_dsl
