// SPDX-License-Identifier: MIT
// Weights from elsewhere: the code of docs/weights.md.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <ipu_dsl/exchange/keras.hpp>
#include <ipu_dsl/exchange/pytorch.hpp>
#include <ipu_dsl/exchange/weights_by_name.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d.hpp>
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
  std::filesystem::remove(path);
  std::filesystem::remove(keras_path);
}
