// SPDX-License-Identifier: MIT
// Tests of exchange/keras_layers.hpp: weights of layers in wrappers, under the names of Keras 2.4.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ipu_dsl/exchange/keras.hpp>
#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "exchange/keras_goldens.hpp"
#include "formats/sentence_of.hpp"
#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

struct encoder : model<input<4>, sequential<named<"code", Dense<3>>>> {};

/// What keras_goldens.py has the weights of.
struct wrapped : model<input<5, 6, 3>,
                       sequential<named<"head", TimeDistributed<Conv1D<4, 2>>>,
                                  named<"each", TimeDistributed<Bidirectional<GRU<2>>>>,
                                  named<"seen", TimeDistributed<encoder>>,
                                  named<"rows", TimeDistributed<Dense<6>>>,
                                  named<"both", Bidirectional<LSTM<3, return_sequences<true>>>>,
                                  Bidirectional<SimpleRNN<2>>, named<"logits", Dense<3>>>> {};

/// Number `element` of the array with this number in the file.
float golden(std::size_t array, std::size_t element) {
  return static_cast<float>(array) + static_cast<float>(element) / 64.0F;
}

/// Whether a weight is the array with this number, from this element on.
bool is_array(const parameters& weights, const std::string& name, std::size_t array,
              std::size_t first = 0) {
  const std::size_t index =
      weights.find(name.substr(0, name.rfind('/')), name.substr(name.rfind('/') + 1));
  std::vector<float> values(static_cast<std::size_t>(weights.at(index).extents.elements()));
  weights.get(index, values);
  bool same = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    same = same && values[i] == golden(array, first + i);
  }
  return same;
}

void check_arrays(const parameters& weights) {
  std::size_t array = 0;
  for (const char* const layer : {"head_0", "each_0", "each_1", "seen_0/code", "rows", "both_0",
                                  "both_1", "simplernn_5_0", "simplernn_5_1", "logits"}) {
    INFO(layer);
    const std::string name = layer;
    const bool recurrent = name.find("each") == 0 || name.find("both") == 0 || name[1] == 'i';
    CHECK(is_array(weights, name + "/kernel", array++));
    if (recurrent) {
      CHECK(is_array(weights, name + "/recurrent_kernel", array++));
    }
    CHECK(is_array(weights, name + "/bias", array));
    if (name.find("each") == 0) {
      CHECK(is_array(weights, name + "/recurrent_bias", array, 3 * 2));
    }
    ++array;
  }
  CHECK(array == 26);
}

TEST_CASE("weights of wrapped layers are found in what Keras writes to HDF5") {
  const temporary_directory folder;
  write_file_atomically(folder / "model.npz", keras_wrapped_hdf5());
  weights_of<wrapped> weights;
  const load_report found = load_keras<wrapped>(
      weights, folder / "model.npz",
      {.names = {{"bidirectional_1", "simplernn_5_0"}, {"bidirectional_1", "simplernn_5_1"}}});
  CHECK(found.complete());
  check_arrays(weights);
}

TEST_CASE("weights of wrapped layers are found by the names that Keras gives them") {
  const temporary_directory folder;
  write_file_atomically(folder / "model.npz", keras_wrapped_weights());
  weights_of<wrapped> weights;
  const load_report found =
      load_keras<wrapped>(weights, folder / "model.npz",
                          {.names = {{"code", "seen_0/code"},
                                     {"bidirectional_1", "simplernn_5_0"},
                                     {"bidirectional_1/backward_simple_rnn", "simplernn_5_1"}}});
  CHECK(found.complete());
  check_arrays(weights);
}

TEST_CASE("a wrapped layer that a file of Keras has not is missed under its name there") {
  const temporary_directory folder;
  write_file_atomically(folder / "model.npz", keras_wrapped_weights());
  weights_of<wrapped> weights;
  const std::string said = sentence_of([&] { load_keras<wrapped>(weights, folder / "model.npz"); });
  CHECK(said.find("seen_0/code/kernel (seen/code/kernel)") != said.npos);
  CHECK(said.find("simplernn_5_0/kernel") != said.npos);
  CHECK(said.find("head") == said.npos);
}

/// Two layers of which both are called as their wrapper.
struct two_in_one
    : model<input<5, 6, 3>,
            sequential<named<"head", TimeDistributed<sequential<Conv1D<4, 2>, Conv1D<4, 2>>>>>> {};

TEST_CASE("several layers in one wrapper are told apart by pairs") {
  const temporary_directory folder;
  write_file_atomically(folder / "model.npz", keras_wrapped_weights());
  weights_of<two_in_one> weights;
  CHECK(sentence_of([&] {
          load_keras<two_in_one>(weights, folder / "model.npz", {.partly = true});
        }).find("head_0 and head_1 are both called head in ") != std::string::npos);
}

}  // namespace
