// SPDX-License-Identifier: MIT
// Tests of formats/rtneural.hpp and formats/json_text.hpp.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/formats/rtneural.hpp>

#include "formats/mutations.hpp"
#include "formats/sentence_of.hpp"
#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

constexpr std::string_view small = R"({"in_shape": [null, null, 2], "by": {"a": [true, {}, -1e3]},
 "layers": [{"type": "dense", "activation": "tanh", "shape": [null, 6, 3],
   "weights": [[[1, -2.5, 3e-1], [0.0, -0, 5E+2]], [0.1, 1e-50, 16777217]]},
  {"type": "conv1d", "kernel_size": [3], "dilation": 2, "groups": 1, "weights": [[[[7]]], []]},
  {"type": "conv2d", "kernel_size_feature": 5, "kernel_size_time": 4, "strides": 2, "weights": []},
  {"type": "batchnorm", "epsilon": 0.001, "shape": [[null, 4]], "weights": []}]})";

/// What a model in "m.json" is refused with behind the usual words; empty if it is taken.
std::string senseless(std::string_view json) {
  const std::string said = sentence_of([&] { parse_rtneural(json, "m.json"); });
  const std::string begin = "The model in m.json makes no sense: ";
  return said.starts_with(begin) ? said.substr(begin.size()) : "not so: " + said;
}

/// The same of a model of one layer that is dense and has these weights.
std::string senseless_weights(const std::string& weights) {
  return senseless(R"({"in_shape": [2], "layers": [{"type": "dense", "weights": )" + weights +
                   "}]}");
}

TEST_CASE("a model of RTNeural is read with its layers, numbers and weights") {
  const rtneural_model model = parse_rtneural(small, "m.json");
  CHECK(model.inputs == 2);
  REQUIRE(model.layers.size() == 4);
  const rtneural_layer& dense = model.layers[0];
  CHECK(dense.type == "dense");
  CHECK(dense.activation == "tanh");
  CHECK(dense.outputs == 3);
  REQUIRE(dense.weights.size() == 2);
  CHECK(dense.weights[0].extents == std::vector<std::int64_t>{2, 3});
  CHECK(dense.weights[0].values == std::vector<float>{1, -2.5F, 0.3F, 0, 0, 500});
  CHECK(std::bit_cast<std::uint32_t>(dense.weights[0].values[4]) == 0x8000'0000U);
  CHECK(dense.weights[1].extents == std::vector<std::int64_t>{3});
  CHECK(dense.weights[1].values == std::vector<float>{0.1F, 0, 16777216});
  const rtneural_layer& convolution = model.layers[1];
  CHECK(convolution.kernel == std::vector<std::int64_t>{3});
  CHECK(convolution.dilation == 2);
  CHECK(convolution.groups == 1);
  CHECK(convolution.outputs == 0);
  REQUIRE(convolution.weights.size() == 2);
  CHECK(convolution.weights[0].extents == std::vector<std::int64_t>{1, 1, 1});
  CHECK(convolution.weights[1].extents == std::vector<std::int64_t>{0});
  CHECK(model.layers[2].kernel == std::vector<std::int64_t>{4, 5});
  CHECK(model.layers[2].stride == 2);
  CHECK(model.layers[3].epsilon == 0.001F);
}

TEST_CASE("what is no JSON or no model is refused with the layer") {
  CHECK(senseless("") == "expected { before: the end.");
  CHECK(senseless("[]") == "expected { before: [].");
  CHECK(senseless("{}") == "it has no in_shape.");
  CHECK(senseless(R"({"in_shape": [1]})") == "it has no layers.");
  CHECK(senseless(R"({"in_shape": [1], "in_shape": [1], "layers": []})") ==
        "the key in_shape stands twice.");
  CHECK(senseless(R"({"in_shape": [null], "layers": []})") ==
        "expected a number above 0 as the last of in_shape.");
  CHECK(senseless(R"({"in_shape": [-1], "layers": []})") ==
        "expected a whole number before: -1], \"layers\": []}.");
  CHECK(senseless(R"({"in_shape": [1], "layers": []} x)") == "something follows it: x.");
  CHECK(senseless(R"({"in_shape": [1], "layers": {}})") == "expected [ before: {}}.");
  CHECK(senseless(R"({"in_shape": [1], "layers": [{"type": 3, "weights": []}]})") ==
        "layer 0: expected \" before: 3, \"weights\": []}]}.");
  CHECK(
      senseless(R"({"in_shape": [1], "layers": [{"type": "a", "weights": []}, {"type": "b"}]})") ==
      "layer 1: it has no weights.");
  CHECK(senseless(R"({"in_shape": [1], "layers": [{"weights": []}]})") ==
        "layer 0: it has no type.");
  CHECK(senseless(R"({"in_shape": [1], "layers": [], "x": [1,]})") ==
        "expected a number before: ]}.");
  const std::string deep(40, '[');
  CHECK(
      senseless(R"({"in_shape": [1], "layers": [], "x": )" + deep).starts_with("lists stand too"));
}

TEST_CASE("weights that are no array of numbers are refused") {
  CHECK(senseless_weights("3").starts_with("layer 0: expected [ before: 3"));
  CHECK(senseless_weights("[3]").starts_with("layer 0: expected [ before: 3"));
  CHECK(senseless_weights("[[1, 2], [NaN]]").starts_with("layer 0: expected a number before: NaN"));
  CHECK(senseless_weights("[[Infinity]]").starts_with("layer 0: expected a number before: Inf"));
  CHECK(senseless_weights("[[\"1\"]]").starts_with("layer 0: expected a number before: \"1\""));
  CHECK(senseless_weights("[[null]]").starts_with("layer 0: expected a number before: null"));
  int numbers = 0;
  for (const std::string number : {"01", "1.", ".5", "+1", "1e", "-", "0x1", "1.e3", "1e+"}) {
    CHECK(senseless_weights("[[" + number + "]]").starts_with("layer 0: expected "));
    ++numbers;
  }
  CHECK(numbers == 9);
  CHECK(senseless_weights("[[1e39]]") == "layer 0: a number is beyond float32: 1e39.");
  CHECK(senseless_weights("[[-1e999]]") == "layer 0: a number is beyond float32: -1e999.");
  CHECK(senseless_weights("[[[1, 2], [3]]]") ==
        "layer 0: lists of 2 and of 1 stand beside each other.");
  CHECK(senseless_weights("[[[1], []]]") ==
        "layer 0: lists of 1 and of 0 stand beside each other.");
  const std::string mixed = "layer 0: numbers and lists of them stand beside each other.";
  CHECK(senseless_weights("[[1, [2]]]") == mixed);
  CHECK(senseless_weights("[[[1], 2]]") == mixed);
  CHECK(senseless_weights("[[[], 2]]") == mixed);
  CHECK(senseless_weights("[[[[[[1]]]]]]") == "layer 0: weights have more than 4 axes.");
}

TEST_CASE("a file that is missing is said") {
  const temporary_directory folder;
  CHECK(sentence_of([&] { read_rtneural(folder / "none.json"); }).starts_with("Cannot open "));
}

/// Parses a model, of which nothing is believed that does not fit.
void parse_whole(std::span<const std::uint8_t> file) {
  const rtneural_model model =
      parse_rtneural({reinterpret_cast<const char*>(file.data()), file.size()}, "m.json");
  for (const rtneural_layer& layer : model.layers) {
    for (const rtneural_array& array : layer.weights) {
      REQUIRE(npy::element_count(array.extents, "it") == array.values.size());
    }
  }
}

/// Short, as it is parsed once for every value of each of its bytes.
constexpr std::string_view tiny = R"({"in_shape": [null, 2], "layers": [{"type": "gru",
 "shape": [null, 1], "weights": [[[1, -2.5e1]], [0.5, 3]], "dilation": 2, "a": true}]})";

TEST_CASE("a damaged model of RTNeural parses or is refused") {
  CHECK(truncate_everywhere(std::vector<std::uint8_t>(small.begin(), small.end()), parse_whole)
            .refused == small.size());
  const std::vector<std::uint8_t> file(tiny.begin(), tiny.end());
  const mutation_counts truncated = truncate_everywhere(file, parse_whole);
  CHECK(truncated.parsed == 0);
  CHECK(truncated.refused == file.size());
  const mutation_counts changed = change_every_byte(file, file.size(), parse_whole);
  CHECK(changed.parsed + changed.refused == file.size() * 255);
  // Digits and letters may change, and blanks.
  CHECK(changed.parsed > 1'000);
  CHECK(changed.refused > changed.parsed);
}

TEST_CASE("words of RTNeural's files in any order parse or are refused") {
  constexpr std::string_view words[] = {"{",
                                        "}",
                                        "[",
                                        "]",
                                        "],",
                                        "},",
                                        ",",
                                        ":",
                                        "1",
                                        "-0.5e1",
                                        "null",
                                        "\"type\": \"dense\"",
                                        "\"weights\": [[",
                                        "\"shape\": [null, 2]",
                                        "[[1, 2], [3, 4]]",
                                        "[1, 2]",
                                        R"({"type": "gru", "weights": [[1, 2], [[3], [4]]]})",
                                        "\"",
                                        "\\u0041",
                                        " "};
  std::minstd_rand generator(11);
  const auto random = [&] { return static_cast<std::size_t>(generator()); };
  mutation_counts counts;
  for (int i = 0; i < 30'000; ++i) {
    std::string json = R"({"in_shape": [1], "layers": [)";
    const std::size_t length = random() % 10;
    for (std::size_t word = 0; word < length; ++word) {
      json += words[random() % std::size(words)];
    }
    json += random() % 4 != 0 ? "]}" : "";
    count_one({json.begin(), json.end()}, parse_whole, counts);
  }
  CHECK(counts.parsed > 1'000);
  CHECK(counts.refused > counts.parsed);
  std::printf("parsed %zu, refused %zu\n", counts.parsed, counts.refused);
}

}  // namespace
