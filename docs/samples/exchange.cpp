// SPDX-License-Identifier: MIT
// Weights from elsewhere: the code of docs/weights.md.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/exchange/keras.hpp>
#include <ipu_dsl/exchange/pytorch.hpp>
#include <ipu_dsl/exchange/rtneural.hpp>
#include <ipu_dsl/exchange/weights_by_name.hpp>
#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/gru.hpp>
#include <ipu_dsl/vocabulary/layers/prelu.hpp>

using namespace ipu_dsl;

namespace {

// [model]
struct digits : model<input<6, 6, 1>, sequential<named<"conv", Conv2D<4, 3, relu>>, Flatten,
                                                 Dense<8, relu>, named<"logits", Dense<3>>>> {};

// [/model]

// [other_head]
struct other_head
    : model<input<6, 6, 1>, sequential<named<"conv", Conv2D<4, 3, relu>>, Flatten, Dense<8, relu>,
                                       named<"logits", Dense<5>>, named<"scale", PReLU<>>>> {};

// [/other_head]

// [amplifier]
struct amplifier
    : model<input<64, 1>, sequential<GRU<2, return_sequences<true>>, named<"out", Dense<1>>>> {};

// [/amplifier]

/// What RTNeural's save_model writes of a Keras model with these layers.
constexpr std::string_view rtneural_model_file = R"({"in_shape": [null, null, 1], "layers": [
  {"type": "gru", "activation": "tanh", "shape": [null, null, 2],
   "weights": [[[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]],
               [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.6, 0.5, 0.4, 0.3, 0.2, 0.1]],
               [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]]]},
  {"type": "dense", "activation": "", "shape": [null, null, 1],
   "weights": [[[1.5], [-0.5]], [0.25]]}]})";

/// An array of as many small numbers as it takes.
safetensors_entry array_of(const std::string& name, const std::vector<std::int64_t>& extents) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) {
    count *= extent;
  }
  return {name, extents, std::vector<float>(static_cast<std::size_t>(count), 0.5F)};
}

/// What a module of PyTorch with these layers gives.
std::vector<safetensors_entry> state_dict() {
  return {array_of("conv.weight", {4, 1, 3, 3}), array_of("conv.bias", {4}),
          array_of("fc1.weight", {8, 64}),       array_of("fc1.bias", {8}),
          array_of("fc2.weight", {3, 8}),        array_of("fc2.bias", {3})};
}

/// What a Keras model with these layers gives.
std::vector<safetensors_entry> keras_weights() {
  return {array_of("conv2d/kernel", {3, 3, 1, 4}), array_of("conv2d/bias", {4}),
          array_of("dense/kernel", {64, 8}),       array_of("dense/bias", {8}),
          array_of("logits/kernel", {8, 3}),       array_of("logits/bias", {3})};
}

}  // namespace

int main() {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string path = folder / "ipu_dsl_sample_model.safetensors";
  const std::string keras_path = folder / "ipu_dsl_sample_keras.safetensors";
  write_safetensors(path, state_dict());
  write_safetensors(keras_path, keras_weights());
  std::puts("[pytorch]");
  // [pytorch]
  weights_of<digits> weights;
  const load_report found =
      load_pytorch<digits>(weights, path, {.names = {{"fc1", "dense_2"}, {"fc2", "logits"}}});
  std::printf("%s", found.text().c_str());
  // [/pytorch]
  std::puts("[/pytorch]");
  // [keras]
  load_keras<digits>(weights, keras_path, {.names = {{"conv2d", "conv"}, {"dense", "dense_2"}}});
  // [/keras]
  std::puts("[partly]");
  // [partly]
  save_safetensors(weights, path);
  weights_of<other_head> started;
  std::printf("%s", load_by_name(started, path, {.partly = true}).text().c_str());
  // [/partly]
  std::puts("[/partly]");
  const std::string model_path = folder / "ipu_dsl_sample_model.json";
  write_file_atomically(model_path,
                        {reinterpret_cast<const std::uint8_t*>(rtneural_model_file.data()),
                         rtneural_model_file.size()});
  std::puts("[rtneural]");
  // [rtneural]
  weights_of<amplifier> amplifying;
  std::printf("%s", load_rtneural<amplifier>(amplifying, model_path).text().c_str());
  // [/rtneural]
  std::puts("[/rtneural]");
  std::filesystem::remove(model_path);
  std::filesystem::remove(path);
  std::filesystem::remove(keras_path);
}
