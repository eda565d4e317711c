// SPDX-License-Identifier: MIT
// Tests of exchange/pytorch.hpp: predictions are those of PyTorch.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ipu_dsl/exchange/pytorch.hpp>
#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/formats/safetensors.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "exchange/goldens.hpp"
#include "formats/sentence_of.hpp"
#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

struct images
    : model<input<6, 7, 3>,
            sequential<named<"first", Conv2D<4, 3, relu>>,
                       named<"norm", BatchNormalization<epsilon<1e-5F>>>,
                       named<"each", DepthwiseConv2D<kernel_size{2, 3}, depth_multiplier<2>>>,
                       named<"slopes", PReLU<shared_axes<1, 2>>>,
                       named<"up", Conv2DTranspose<4, 3, strides<2>>>,
                       named<"grouped", Conv2D<6, kernel_size{3, 2}, groups<2>>>,
                       named<"groups", GroupNormalization<3, epsilon<1e-5F>>>,
                       named<"separable", SeparableConv2D<4, 2>>, Flatten, Dense<5>>> {};

struct sequences
    : model<
          input<dtype::int32, 7>,
          sequential<named<"words", Embedding<20, 8>>, named<"attention", MultiHeadAttention<2, 4>>,
                     named<"norm", LayerNormalization<epsilon<1e-5F>>>,
                     named<"both", Bidirectional<LSTM<4, return_sequences<true>>>>,
                     named<"gru", GRU<5, return_sequences<true>>>, named<"rnn", SimpleRNN<4>>,
                     named<"fc", Dense<3>>>> {};

struct signals
    : model<input<12, 3>, sequential<named<"conv", Conv1D<4, 3>>, MaxPooling1D<>,
                                     named<"up", Conv1DTranspose<3, 2, strides<2>>>, Flatten,
                                     named<"norm", BatchNormalization<epsilon<1e-5F>>>,
                                     named<"fc", Dense<24, relu>>,
                                     named<"after", BatchNormalization<epsilon<1e-5F>>>,
                                     Reshape<2, 3, 4>, named<"image", Conv2DTranspose<2, 2>>>> {};

struct volumes
    : model<input<3, 4, 5, 2>,
            sequential<named<"conv", Conv3D<3, kernel_volume{2, 2, 3}, hyperbolic_tangent>>,
                       Flatten, named<"fc", Dense<2>>>> {};

const std::vector<layer_pair> names_of_images = {{"fc", "dense_9"}};
const std::vector<layer_pair> names_of_sequences = {{"both", "both_0"},
                                                    {"both", "both_1", "_l0_reverse"}};

/// Loads a module into weights by way of a file.
template <typename M>
load_report load(weights_of<M>& weights, const pytorch_golden& golden,
                 const load_options& options = {}) {
  const temporary_directory folder;
  write_file_atomically(folder / "w.safetensors", golden.file);
  return load_pytorch<M>(weights, folder / "w.safetensors", options);
}

/// Compares a prediction with PyTorch's, number by number.
void check_output(const std::vector<float>& found, const pytorch_golden& golden) {
  REQUIRE(!found.empty());
  REQUIRE(found.size() == golden.output.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double off = std::abs(static_cast<double>(found[i]) - golden.output[i]);
    INFO("number " << i << ": " << found[i] << " for " << golden.output[i]);
    CHECK(off <= golden.bounds[i]);
  }
}

template <typename M>
void check_prediction(const pytorch_golden& golden, const std::vector<layer_pair>& names) {
  weights_of<M> weights;
  const load_report report = load(weights, golden, {.names = names});
  CHECK(report.complete());
  CHECK(report.matched.size() == weights.size());
  predictor<M, micro_batch<1>> predicts(weights);
  std::vector<float> found(golden.output.size());
  REQUIRE(predicts.predict(golden.input, found));
  check_output(found, golden);
}

TEST_CASE("convolutions of each kind predict what PyTorch predicts") {
  check_prediction<images>(pytorch_images, names_of_images);
}

TEST_CASE("what was flattened with its channels first predicts what PyTorch predicts") {
  check_prediction<signals>(pytorch_signals, {});
  check_prediction<volumes>(pytorch_volumes, {});
}

TEST_CASE("embeddings, attention and recurrences predict what PyTorch predicts") {
  weights_of<sequences> weights;
  const load_report report = load(weights, pytorch_sequences, {.names = names_of_sequences});
  CHECK(report.complete());
  predictor<sequences, micro_batch<1>> predicts(weights);
  const std::vector<std::int32_t> words(pytorch_sequences.input.begin(),
                                        pytorch_sequences.input.end());
  std::vector<float> found(3);
  REQUIRE(predicts.predict(input_arrays{words}, output_arrays{found}));
  check_output(found, pytorch_sequences);
}

TEST_CASE("a state_dict that does not fit is refused, and nothing is changed") {
  weights_of<volumes> weights;
  weights.initialize(3);
  const std::uint64_t before = weights.fingerprint();
  const std::string said = sentence_of([&] { load(weights, pytorch_images); });
  CHECK(said.find("it has no array for conv/kernel (conv.weight), conv/bias (conv.bias); "
                  "nothing takes ") != std::string::npos);
  CHECK(said.find("fc.weight (5, 80) where fc/kernel (54, 2) takes floats (2, 54)") !=
        std::string::npos);
  CHECK(weights.fingerprint() == before);
  CHECK(sentence_of([&] { load(weights, pytorch_volumes, {.names = {{"fc", "dense_0"}}}); }) ==
        "The model has no layer dense_0 with parameters; it has conv, fc.");
  CHECK(sentence_of([&] {
          load(weights, pytorch_volumes, {.names = {{"a", "fc"}, {"b", "fc"}}});
        }) == "The layer fc is paired twice, with a and b.");
  CHECK(weights.fingerprint() == before);
}

struct joined
    : model<input<4, 4, 2>,
            sequential<concat<sequential<Conv2D<2, 3>, Flatten>, Flatten>, named<"fc", Dense<2>>>> {
};

struct reset_before : model<input<4, 2>, named<"gru", GRU<3, reset_after<false>>>> {};

struct local : model<input<4, 2>, named<"windows", LocallyConnected1D<3, 2>>> {};

struct attends : model<input<3, 4>, named<"attention", MultiHeadAttention<2, 2>>> {};

/// Loads arrays under their names in PyTorch.
template <typename M>
load_report load_entries(weights_of<M>& weights, const std::vector<safetensors_entry>& entries) {
  return load(weights,
              {.file = safetensors_bytes(entries), .input = {}, .output = {}, .bounds = {}},
              {.partly = true});
}

struct narrow : model<input<4>, sequential<named<"fc", Dense<2>>>> {};

struct wide : model<input<4>, sequential<named<"fc", Dense<3>>>> {};

TEST_CASE("weights of another model than the one that is named are refused") {
  const temporary_directory folder;
  const std::string path = folder / "w.safetensors";
  const std::vector<safetensors_entry> entries = {
      {"fc.weight", {2, 4}, std::vector<float>(8, 1.0F)},
      {"fc.bias", {2}, std::vector<float>(2, 1.0F)}};
  write_file_atomically(path, safetensors_bytes(entries));
  weights_of<wide> weights;
  CHECK(sentence_of([&] { load_pytorch<narrow>(weights, path); }) ==
        "The fc/kernel of the weights is (4, 3), that of the model (4, 2): they are not those of "
        "this model.");
}

TEST_CASE("what PyTorch has no like of, or another order, is said") {
  weights_of<joined> of_branches;
  const std::string said = sentence_of([&] { load_entries(of_branches, {}); });
  CHECK(said.find("joins was an image (2, 2, 2), whose order behind the join is not known of "
                  "PyTorch's. Hint: join before Flatten") != std::string::npos);
  weights_of<reset_before> gates;
  const load_report found = load_entries(gates, {});
  REQUIRE(found.missing.size() == gates.size());
  CHECK(found.missing[0] == "gru/kernel (a GRU of PyTorch is one with reset_after<true>)");
  weights_of<local> windows;
  const load_report unknown = load_entries(windows, {});
  REQUIRE(unknown.missing.size() == windows.size());
  CHECK(unknown.missing[0] == "windows/kernel (PyTorch has no LocallyConnected1D)");
}

namespace {

template <typename... Layers>
struct of_images : model<input<4, 5, 3>, sequential<named<"conv", Conv2D<4, 2>>, Layers...>> {};

using last = named<"fc", Dense<2>>;

/// The parameters of which a file of PyTorch has another order than can be known.
template <typename M>
std::vector<std::string> unknown_of() {
  weights_of<M> weights;
  std::vector<std::string> found;
  for (const std::string& missing : load_entries(weights, {}).missing) {
    if (missing.find("reads an image that was reshaped") != std::string::npos) {
      found.push_back(missing.substr(0, missing.find(' ')));
    }
  }
  return found;
}

struct of_rows : model<input<6, 5, 3>, sequential<Reshape<6, 15>, named<"rnn", LSTM<3>>>> {};

struct joined_rows {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor numbers = build.input("numbers", {3, 2});
    const symbolic_tensor image = build.input("image", {4, 5, 3});
    const symbolic_tensor rows = build.layer<Reshape<3, 20>>("rows", image);
    return build.layer<LSTM<3>>("rnn", build.layer<Concatenate>("both", numbers, rows));
  }
};

struct of_gray_rows : model<input<6, 5, 1>, sequential<Reshape<6, 5>, named<"rnn", LSTM<3>>>> {};

struct to_sequence
    : model<input<7>, sequential<Dense<24>, Reshape<6, 4>, LSTM<4, return_sequences<true>>,
                                 named<"conv", Conv1D<3, 2>>>> {};

}  // namespace

TEST_CASE("what reads a reshaped image in an order of its own is not guessed") {
  using names = std::vector<std::string>;
  using rnn = named<"rnn", LSTM<3>>;
  CHECK(unknown_of<of_images<Flatten, last>>().empty());
  CHECK(unknown_of<of_images<MaxPooling2D<2>, Flatten, BatchNormalization<>, last>>().empty());
  CHECK(unknown_of<of_images<GlobalAveragePooling2D, last>>().empty());
  // Channels stay last.
  CHECK(unknown_of<of_images<Reshape<12, 4>, rnn>>().empty());
  CHECK(unknown_of<of_gray_rows>().empty());
  CHECK(unknown_of<to_sequence>().empty());

  CHECK(unknown_of<of_images<Reshape<3, 16>, rnn>>() == names{"rnn/kernel"});
  CHECK(unknown_of<of_images<Permute<2, 1, 3>, Reshape<4, 12>, rnn>>() == names{"rnn/kernel"});
  CHECK(unknown_of<of_images<Flatten, RepeatVector<3>, rnn, last>>() == names{"rnn/kernel"});
  CHECK(unknown_of<of_images<Flatten, Reshape<12, 4>, rnn>>() == names{"rnn/kernel"});
  CHECK(unknown_of<of_images<Permute<3, 1, 2>, Flatten, last>>() == names{"fc/kernel"});
  CHECK(unknown_of<of_images<Reshape<3, 16>, last>>() == names{"fc/kernel"});
  CHECK(unknown_of<of_images<Reshape<3, 16>, named<"norm", LayerNormalization<>>>>() ==
        names{"norm/gamma", "norm/beta"});
  CHECK(unknown_of<of_rows>() == names{"rnn/kernel"});
  // The second of what is joined.
  CHECK(unknown_of<joined_rows>() == names{"rnn/kernel"});
}

TEST_CASE("projections of attention may be one matrix or three") {
  std::vector<float> joined_rows(3 * 16);
  for (std::size_t i = 0; i < joined_rows.size(); ++i) {
    joined_rows[i] = static_cast<float>(i);
  }
  std::vector<safetensors_entry> apart;
  for (const char* name : {"q", "k", "v"}) {
    const auto begin = joined_rows.begin() + static_cast<std::ptrdiff_t>(16 * apart.size());
    apart.push_back(
        {std::string("attention.") + name + "_proj_weight", {4, 4}, {begin, begin + 16}});
  }
  weights_of<attends> one;
  weights_of<attends> three;
  CHECK(load_entries(one, {{"attention.in_proj_weight", {12, 4}, joined_rows}}).matched ==
        load_entries(three, apart).matched);
  CHECK(one.fingerprint() == three.fingerprint());
  std::vector<float> kernel(16);
  one.get(one.find("attention", "key_kernel"), kernel);
  CHECK(kernel[1] == 20);
}

TEST_CASE("as much of a state_dict as fits is loaded where that is asked for") {
  weights_of<volumes> weights;
  weights.initialize(3);
  const load_report found =
      load(weights, pytorch_volumes, {.names = {{"other", "fc"}}, .partly = true});
  CHECK(found.matched == std::vector<std::string>{"conv/kernel", "conv/bias"});
  CHECK(found.missing ==
        std::vector<std::string>{"fc/kernel (other.weight)", "fc/bias (other.bias)"});
  CHECK(found.left_over == std::vector<std::string>{"fc.weight", "fc.bias"});
  CHECK(found.text() ==
        "matched: conv/kernel, conv/bias\n"
        "missing: fc/kernel (other.weight), fc/bias (other.bias)\n"
        "left over: fc.weight, fc.bias\n");
}

}  // namespace
