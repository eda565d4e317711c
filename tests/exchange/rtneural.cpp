// SPDX-License-Identifier: MIT
// Tests of exchange/rtneural.hpp: predictions are those that Keras's formulas make.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/exchange/rtneural.hpp>
#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "exchange/rtneural_goldens.hpp"
#include "formats/sentence_of.hpp"
#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

struct amplifier
    : model<
          input<6, 2>,
          sequential<
              named<"conv", Conv1D<4, 3, hyperbolic_tangent, dilation_rate<2>, causal_padding>>,
              named<"norm", BatchNormalization<>>, Dropout<0.5F>,
              named<"slopes", PReLU<shared_axes<1>>>, named<"gru", GRU<5, return_sequences<true>>>,
              named<"lstm", LSTM<4, return_sequences<true>>>, named<"each", Dense<3, relu>>,
              named<"last", Dense<2>>, elu, softmax>> {};

/// Loads a model by way of a file.
template <typename M>
load_report load(weights_of<M>& weights, std::string_view json) {
  const temporary_directory folder;
  write_file_atomically(folder / "m.json",
                        {reinterpret_cast<const std::uint8_t*>(json.data()), json.size()});
  return load_rtneural<M>(weights, folder / "m.json");
}

/// What a model is refused with, the folder left out; the weights must be as they were.
template <typename M>
std::string refusal(std::string_view json) {
  weights_of<M> weights;
  weights.initialize(3);
  const std::uint64_t before = weights.fingerprint();
  std::string said = sentence_of([&] { load(weights, json); });
  CHECK(weights.fingerprint() == before);
  const std::size_t end = said.find("m.json");
  const std::size_t begin = said.rfind(' ', end);
  return end == std::string::npos ? said : said.erase(begin + 1, end - begin - 1);
}

/// The file with the first `words` in it replaced.
std::string with(std::string_view words, std::string_view other) {
  std::string json(rtneural_file);
  const std::size_t at = json.find(words);
  REQUIRE(at != std::string::npos);
  return json.replace(at, words.size(), other);
}

TEST_CASE("a model of RTNeural predicts what Keras's formulas say") {
  weights_of<amplifier> weights;
  const load_report report = load(weights, rtneural_file);
  CHECK(report.matched.size() == weights.size());
  CHECK(report.complete());
  predictor<amplifier, micro_batch<1>> predicts(weights);
  std::vector<float> found(rtneural_output.size());
  REQUIRE(predicts.predict(rtneural_input, found));
  REQUIRE(found.size() == 12);
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("number " << i << ": " << found[i] << " for " << rtneural_output[i]);
    CHECK(std::abs(static_cast<double>(found[i]) - rtneural_output[i]) <= rtneural_bounds[i]);
  }
}

struct pedal
    : model<input<6, 1>,
            sequential<GRU<1, return_sequences<true>>, LSTM<1, return_sequences<true>>, Dense<1>>> {
};

constexpr std::string_view pedal_file = R"({"in_shape": [null, null, 1], "layers": [
  {"type": "gru", "activation": "tanh", "shape": [null, null, 1],
   "weights": [[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9], [10, 11, 12]]]},
  {"type": "lstm", "activation": "tanh", "shape": [null, null, 1],
   "weights": [[[1, 2, 3, 4]], [[5, 6, 7, 8]], [9, 10, 11, 12]]},
  {"type": "dense", "activation": "", "shape": [null, null, 1], "weights": [[[13]], [14]]}]})";

TEST_CASE("a model that is given its steps one by one takes the weights of the whole") {
  weights_of<pedal> whole;
  load(whole, pedal_file);
  weights_of<one_step<pedal>> stepped;
  stepped.initialize(3);
  REQUIRE(stepped.fingerprint() != whole.fingerprint());
  CHECK(load(stepped, pedal_file).matched.size() == 9);
  CHECK(stepped.fingerprint() == whole.fingerprint());
}

TEST_CASE("another model than the file's is refused with the layer, and nothing is changed") {
  CHECK(refusal<amplifier>(with("[\n  null,\n  null,\n  2\n ]", "[3]")) ==
        "The model in m.json reads 3 features; this one reads 2.");
  CHECK(refusal<amplifier>(with("\"gru\"", "\"lstm\"")) ==
        "The layer 3 of m.json is a lstm where the model has a gru, gru.");
  CHECK(
      refusal<amplifier>(with("\"relu\"", "\"sigmoid\"")) ==
      "The layer 5 of m.json is a sigmoid activation where the model has a relu activation, each.");
  CHECK(refusal<amplifier>(with("\"gru\"", "\"maxpool\""))
            .starts_with("The layer 3 of m.json is of the type maxpool with the activation tanh; "
                         "expected a type of "));
  CHECK(refusal<amplifier>(with("\"elu\"", "\"selu\""))
            .starts_with(
                "The layer 6 of m.json is of the type dense with the activation selu; expected "));
  CHECK(refusal<amplifier>(with("\"gru\",\n   \"activation\": \"tanh\"",
                                "\"gru\",\n   \"activation\": \"relu\"")) ==
        "The layer 3 of m.json is a gru with the activation relu; expected tanh.");
  CHECK(refusal<amplifier>(with("\"dilation\": [\n    2", "\"dilation\": [\n    4")) ==
        "The layer 0 of m.json has a dilation of 4 where conv of the model has 2.");
  CHECK(refusal<amplifier>(with("0.001", "0.002")) ==
        "The layer 1 of m.json and norm of the model have different epsilons. Hint: Keras's is "
        "0.001, as here.");
  const std::string last = ",\n  {\n   \"type\": \"activation\"";
  const std::string whole(rtneural_file);
  REQUIRE(whole.find(last) != std::string::npos);
  CHECK(refusal<amplifier>(whole.substr(0, whole.find(last)) + "]}") ==
        "The file m.json ends before the softmax activation of the model, softmax_9.");
  CHECK(refusal<amplifier>(whole.substr(0, whole.rfind(']', whole.rfind(']'))) +
                           R"(, {"type": "dense", "weights": []}]})") ==
        "The layer 8 of m.json, a dense, is one more than the model has.");
}

struct plain : model<input<2>, sequential<named<"first", Dense<2>>, named<"second", Dense<1>>>> {};

/// A model of two dense layers with these weights.
std::string two_layers(const std::string& first, const std::string& second,
                       const std::string& shape = "[null, 2]") {
  return R"({"in_shape": [null, 2], "layers": [{"type": "dense", "activation": "", "shape": )" +
         shape + ", \"weights\": " + first + R"(}, {"type": "dense", "weights": )" + second + "}]}";
}

TEST_CASE("weights of other extents are refused with the layer, and nothing is changed") {
  const std::string first = "[[[1, 2], [3, 4]], [5, 6]]";
  const std::string second = "[[[7], [8]], [9]]";
  weights_of<plain> weights;
  const load_report found = load(weights, two_layers(first, second));
  CHECK(found.text() == "matched: first/kernel, first/bias, second/kernel, second/bias\n");
  std::vector<float> kernel(4);
  weights.get(0, kernel);
  CHECK(kernel == std::vector<float>{1, 2, 3, 4});
  CHECK(
      refusal<plain>(two_layers(first, "[[[7, 8]], [9]]")) ==
      "The weights 0 of the layer 1 of m.json, second of the model, are (1, 2) where the kernel of "
      "the model, (2, 1), takes (2, 1).");
  CHECK(
      refusal<plain>(two_layers(first, "[[[7], [8]]]")) ==
      "The layer 1 of m.json, second of the model, has 1 arrays of weights; the bias of the model "
      "is number 1.");
  CHECK(refusal<plain>(two_layers("[[[1, 2], [3, 4]], [5, 6], [7]]", second)) ==
        "The layer 0 of m.json, first of the model, has 3 arrays of weights where the model takes "
        "2.");
  CHECK(refusal<plain>(two_layers(first, second, "[null, 3]")) ==
        "The layer 0 of m.json has a last extent of 3 where first of the model has 2.");
  CHECK(refusal<plain>(two_layers(first, "[[[7], [8]], [nan]]")) ==
        "The model in m.json makes no sense: layer 1: expected a number before: nan]]}]}.");
  CHECK(refusal<plain>(two_layers(first, second).substr(0, 60))
            .starts_with("The model in m.json makes no sense: layer 0: "));
}

struct gate : model<input<4, 2>, named<"gru", GRU<3, reset_after<false>>>> {};

struct backwards : model<input<4, 2>, named<"lstm", LSTM<3, go_backwards<true>>>> {};

struct curved : model<input<2>, named<"fc", Dense<2, gelu>>> {};

struct flat : model<input<4, 2>, sequential<Flatten, Dense<2>>> {};

struct branched : model<input<2>, sequential<concat<Dense<2>, Dense<2>>>> {};

TEST_CASE("models that no file of RTNeural has are refused with the layer") {
  const std::string file = R"({"in_shape": [2], "layers": []})";
  CHECK(refusal<gate>(file) ==
        "The layer gru of the model has reset_after<false>; RTNeural's gru is one with "
        "reset_after<true>.");
  CHECK(refusal<backwards>(file).starts_with(
      "The layer lstm of the model has another activation or direction than RTNeural's"));
  CHECK(refusal<curved>(file).starts_with(
      "The layer fc of the model has the activation gelu, which RTNeural has not; "));
  CHECK(refusal<flat>(file) ==
        "The layer flatten_0 of the model is a Flatten with 1 input, which no file of RTNeural "
        "has.");
  CHECK(refusal<branched>(file).find("does not read what the layer before it hands on") !=
        std::string::npos);
}

struct pictures
    : model<input<5, 4, 2>, sequential<named<"conv", Conv2D<3, kernel_size{2, 3}, relu>>,
                                       named<"norm", BatchNormalization<>>>> {};

TEST_CASE("convolutions over time and features are those of conv2d") {
  const auto filled = [](const std::string& number, int count) {
    std::string list = "[";
    for (int i = 0; i < count; ++i) {
      list += (i == 0 ? "" : ", ") + number;
    }
    return list + "]";
  };
  const std::string taps = filled(filled(filled(filled("0.5", 3), 2), 3), 2);
  const std::string file =
      R"({"in_shape": [null, 5, 4, 2], "layers": [{"type": "conv2d", "activation": "relu",
          "kernel_size_time": 2, "kernel_size_feature": 3, "dilation": 1, "strides": 1,
          "num_filters_in": 2, "padding": "valid", "shape": [null, 4, 2, 3], "weights": [)" +
      taps + ", " + filled("1", 3) +
      R"(]}, {"type": "batchnorm2d", "epsilon": 0.001, "weights": [)" + filled("1", 3) + ", " +
      filled("2", 3) + ", " + filled("3", 3) + ", " + filled("4", 3) + "]}]}";
  weights_of<pictures> weights;
  CHECK(load(weights, file).matched.size() == 6);
  std::vector<float> variance(3);
  weights.get("norm/moving_variance", variance);
  CHECK(variance == std::vector<float>{4, 4, 4});
  std::string strided = file;
  strided.replace(strided.find("\"strides\": 1"), 12, "\"strides\": 2");
  CHECK(refusal<pictures>(strided) ==
        "The layer 0 of m.json has strides of 2 where conv of the model has 1.");
  std::string padded = file;
  padded.replace(padded.find("\"valid\""), 7, "\"same\"");
  CHECK(refusal<pictures>(padded) ==
        "The layer 0 of m.json has the padding same where conv of the model has valid_padding.");
  // PyTorch's exporter writes numbers in a string.
  padded = file;
  padded.replace(padded.find("\"valid\""), 7, "\"(0, 0)\"");
  CHECK(load(weights, padded).matched.size() == 6);
}

}  // namespace
