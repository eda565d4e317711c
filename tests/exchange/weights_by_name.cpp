// SPDX-License-Identifier: MIT
// Tests of exchange/weights_by_name.hpp and exchange/keras.hpp.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/exchange/keras.hpp>
#include <ipu_dsl/exchange/weights_by_name.hpp>
#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/formats/npz.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/training/checkpoint.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "formats/sentence_of.hpp"
#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

struct tagger
    : model<input<6, 5>,
            sequential<named<"größe", Dense<8>>, MultiHeadAttention<2, 4>, BatchNormalization<>,
                       named<"gru", GRU<3>>, named<"logits", Dense<3>>>> {};

/// Weights of which no two are the same number, as bits.
void fill(weights_of<tagger>& weights, float first) {
  float next = first;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    std::vector<float> values(static_cast<std::size_t>(weights.at(i).extents.elements()));
    for (float& value : values) {
      value = next;
      next += 0.25F;
    }
    // A zero with a sign is a number of its own.
    values[0] = i == 0 ? -0.0F : values[0];
    weights.set(i, values);
  }
}

std::vector<npz_entry> entries_of(const parameters& weights) {
  std::vector<npz_entry> entries;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    std::vector<float> values(static_cast<std::size_t>(weights.at(i).extents.elements()));
    weights.get(i, values);
    entries.push_back(
        {weights.name(i), make_npy<float>(values, exchange::extents_of(weights.at(i).extents))});
  }
  return entries;
}

TEST_CASE("weights go through safetensors and NPZ without a changed bit") {
  const temporary_directory folder;
  weights_of<tagger> weights;
  fill(weights, 1);
  save_safetensors(weights, folder / "w.safetensors");
  save_weights(weights, folder / "w.npz");
  int files = 0;
  for (const std::string name : {"w.safetensors", "w.npz"}) {
    weights_of<tagger> other;
    const load_report found = load_by_name(other, folder / name);
    CHECK(found.complete());
    CHECK(found.matched.size() == weights.size());
    CHECK(other.fingerprint() == weights.fingerprint());
    ++files;
  }
  CHECK(files == 2);
}

TEST_CASE("as much of a file as fits is loaded, and the report says what did not") {
  const temporary_directory folder;
  weights_of<tagger> weights;
  fill(weights, 1);
  std::vector<npz_entry> entries = entries_of(weights);
  REQUIRE(entries.back().name == "logits/bias");
  entries.back().name = "head/bias";
  entries[entries.size() - 2] = {"logits/kernel",
                                 make_npy<float>(std::vector<float>(6, 1.0F), {3, 2})};
  const std::vector<std::int32_t> whole(8, 1);
  entries[1].array = make_npy<std::int32_t>(whole, {8});
  write_npz(folder / "w.npz", entries);

  weights_of<tagger> other;
  fill(other, 1000);
  const std::uint64_t before = other.fingerprint();
  const std::string said = sentence_of([&] { load_by_name(other, folder / "w.npz"); });
  CHECK(said == "The file " + (folder / "w.npz") +
                    " does not fit the model: it has no array for logits/bias; nothing takes "
                    "head/bias; größe/bias of int32 (8) where größe/bias (8) takes "
                    "floats (8): save array.astype(\"float32\"), logits/kernel (3, 2) where "
                    "logits/kernel (3, 3) takes floats "
                    "(3, 3). Hint: pairs in .names say what is called otherwise, .partly = true "
                    "loads what fits.");
  CHECK(other.fingerprint() == before);

  const load_report found = load_by_name(other, folder / "w.npz", {.partly = true});
  CHECK(found.matched.size() == weights.size() - 3);
  CHECK(found.missing == std::vector<std::string>{"logits/bias"});
  CHECK(found.left_over == std::vector<std::string>{"head/bias"});
  CHECK(found.other_shape.size() == 2);
  CHECK_FALSE(found.complete());
  std::vector<float> kernel(40);
  other.get(0, kernel);
  CHECK(kernel[39] == 1 + 39 * 0.25F);
  std::vector<float> bias(3);
  other.get(other.find("logits", "bias"), bias);
  CHECK(bias[0] >= 1000);
}

TEST_CASE("a file of which nothing fits is refused, partly as well") {
  const temporary_directory folder;
  weights_of<tagger> weights;
  const std::uint64_t before = weights.fingerprint();
  const std::vector<npz_entry> entries = {
      {"head/kernel", make_npy<float>(std::vector<float>(6, 1.0F), {3, 2})}};
  write_npz(folder / "w.npz", entries);
  const std::string said =
      sentence_of([&] { load_by_name(weights, folder / "w.npz", {.partly = true}); });
  INFO(said);
  CHECK(said.starts_with("The file " + (folder / "w.npz") +
                         " has nothing of the model: it has no array for "));
  CHECK(
      said.ends_with("; nothing takes head/kernel. Hint: pairs in .names say what is called "
                     "otherwise."));
  CHECK(weights.fingerprint() == before);
}

TEST_CASE("weights are loaded out of saved training, whose other files are left over") {
  const temporary_directory folder;
  weights_of<tagger> weights;
  fill(weights, 1);
  std::vector<zip_entry> files;
  for (const npz_entry& entry : entries_of(weights)) {
    files.push_back({entry.name + ".npy", npy_bytes(entry.array)});
  }
  // What save_training writes beside them.
  files.push_back({"training/version.npy",
                   npy_bytes(make_npy<std::uint8_t>(std::vector<std::uint8_t>(8), {8}))});
  files.push_back({"training/architecture.txt", {'\n'}});
  write_file_atomically(folder / "best.npz", zip_bytes(files));
  weights_of<tagger> other;
  const load_report found = load_by_name(other, folder / "best.npz", {.partly = true});
  CHECK(found.matched.size() == weights.size());
  CHECK(found.left_over ==
        std::vector<std::string>{"training/version", "training/architecture.txt"});
  CHECK(other.fingerprint() == weights.fingerprint());
  CHECK(sentence_of([&] {
          load_by_name(other, folder / "best.npz");
        }).find("nothing takes training/version, training/architecture.txt.") != std::string::npos);

  const std::vector<zip_entry> of_keras = {{"config.json", {'{', '}'}}};
  write_file_atomically(folder / "model.keras", zip_bytes(of_keras));
  CHECK(sentence_of([&] { load_by_name(other, folder / "model.keras", {.partly = true}); }) ==
        (folder / "model.keras") +
            " holds no arrays but a file config.json; save its weights as NPZ or safetensors, "
            "docs/weights.md has the lines.");
}

TEST_CASE("numbers that are not finite are refused unless they are to be kept") {
  const temporary_directory folder;
  weights_of<tagger> weights;
  fill(weights, 1);
  const std::vector<float> bias = {1, std::numeric_limits<float>::infinity(), 2};
  weights.set("logits/bias", bias);
  const std::string path = folder / "w.safetensors";
  CHECK(sentence_of([&] { save_safetensors(weights, path); }) ==
        "Value 1 of logits/bias is infinite, so that " + path +
            " is not written. Hint: terminate_on_nan ends a fit in which the loss is; "
            "non_finite::kept behind the path writes it, and reads it.");
  save_safetensors(weights, path, non_finite::kept);
  weights_of<tagger> other;
  CHECK(sentence_of([&] { load_by_name(other, folder / "w.safetensors"); }) ==
        "Value 1 of logits/bias in " + (folder / "w.safetensors") +
            " is infinite; expected finite numbers. Hint: .floats = non_finite::kept keeps it.");
  load_by_name(other, folder / "w.safetensors", {.floats = non_finite::kept});
  CHECK(other.fingerprint() == weights.fingerprint());
}

TEST_CASE("what people have instead of NPZ and safetensors is refused with what to do") {
  const temporary_directory folder;
  weights_of<tagger> weights;
  const std::string pickled = "PK\3\4 archive/data.pkl";
  write_file_atomically(folder / "w.pt",
                        {reinterpret_cast<const std::uint8_t*>(pickled.data()), pickled.size()});
  CHECK(sentence_of([&] { load_by_name(weights, folder / "w.pt"); }) ==
        (folder / "w.pt") +
            " is what torch.save wrote, pickled Python, which is not read; save "
            "its weights as NPZ or safetensors, docs/weights.md has the lines.");
  const std::string hdf = "\x89HDF\r\n";
  write_file_atomically(folder / "w.h5",
                        {reinterpret_cast<const std::uint8_t*>(hdf.data()), hdf.size()});
  CHECK(sentence_of([&] { load_by_name(weights, folder / "w.h5"); }) ==
        (folder / "w.h5") +
            " is HDF5, which is not read; save its weights as NPZ or "
            "safetensors, docs/weights.md has the lines.");
  write_npy(folder / "w.npy", make_npy<float>(std::vector<float>(2, 1.0F), {2}));
  CHECK(sentence_of([&] { load_by_name(weights, folder / "w.npy"); }) ==
        (folder / "w.npy") +
            " is one array of NumPy, which has no name. Hint: np.savez(\"weights.npz\", "
            "**{\"dense/kernel\": array}) gives it that of its parameter.");
}

/// The same weights under Keras's names and in its extents.
std::vector<npz_entry> as_keras(const weights_of<tagger>& weights) {
  std::vector<npz_entry> entries = entries_of(weights);
  std::vector<npz_entry> made;
  const std::string heads = "multiheadattention_1/";
  for (npz_entry& entry : entries) {
    std::string name = entry.name;
    std::vector<std::int64_t>& extents = entry.array.extents;
    if (name.starts_with(heads)) {
      const std::string leaf = name.substr(heads.size());
      const std::string which = leaf.substr(0, leaf.find('_'));
      const bool out = which == "output";
      const bool kernel = leaf.ends_with("kernel");
      name = "multi_head_attention/" + (out ? "attention_output" : which) + "/" +
             leaf.substr(leaf.find('_') + 1);
      if (!out) {
        extents = kernel ? std::vector<std::int64_t>{8, 2, 4} : std::vector<std::int64_t>{2, 4};
      } else if (kernel) {
        extents = {2, 4, 8};
      }
    } else if (name == "gru/recurrent_bias") {
      npy_array& rows = made.back().array;
      rows.extents = {2, 9};
      rows.bytes.insert(rows.bytes.end(), entry.array.bytes.begin(), entry.array.bytes.end());
      continue;
    } else if (name.starts_with("gru/")) {
      name = "gru/gru_cell/" + name.substr(4);
    } else if (name.starts_with("batchnormalization_2/")) {
      name = "batch_normalization/" + name.substr(21);
    }
    made.push_back({name + ":0", entry.array});
  }
  return made;
}

TEST_CASE("weights under Keras's names are loaded, heads and rows of biases included") {
  const temporary_directory folder;
  weights_of<tagger> weights;
  fill(weights, 1);
  const std::vector<npz_entry> keras = as_keras(weights);
  REQUIRE(keras.size() == weights.size() - 1);
  write_npz(folder / "keras.npz", keras);
  weights_of<tagger> other;
  const load_options options = {.names = {{"multi_head_attention", "multiheadattention_1"},
                                          {"batch_normalization", "batchnormalization_2"}}};
  const load_report found = load_keras<tagger>(other, folder / "keras.npz", options);
  CHECK(found.complete());
  CHECK(found.matched.size() == weights.size());
  CHECK(other.fingerprint() == weights.fingerprint());
}

struct scaled : model<input<3>, sequential<named<"scale", Normalization<>>, Dense<2>>> {};

TEST_CASE("how many samples a Normalization of Keras has seen is passed over") {
  const temporary_directory folder;
  weights_of<scaled> weights;
  weights.initialize(1);
  weights.set("scale/mean", std::vector<float>{1, 2, 3});
  std::vector<npz_entry> keras;
  save_weights(weights, folder / "ours.npz");
  for (const npz_entry& entry : read_npz(folder / "ours.npz")) {
    keras.push_back({entry.name + ":0", entry.array});
  }
  keras.push_back({"scale/count:0", {dtype::int32, {}, {7, 0, 0, 0}}});
  write_npz(folder / "keras.npz", keras);
  weights_of<scaled> other;
  CHECK(load_keras<scaled>(other, folder / "keras.npz").complete());
  CHECK(other.fingerprint() == weights.fingerprint());
}

TEST_CASE("attention of other heads is not that of the model") {
  const temporary_directory folder;
  weights_of<tagger> weights;
  fill(weights, 1);
  weights_of<tagger> other;
  const std::uint64_t before = other.fingerprint();
  const load_options options = {.names = {{"multi_head_attention", "multiheadattention_1"},
                                          {"batch_normalization", "batchnormalization_2"}}};
  int refused = 0;
  for (npz_entry& changed : std::vector<npz_entry>(as_keras(weights))) {
    std::vector<npz_entry> keras = as_keras(weights);
    for (npz_entry& entry : keras) {
      std::vector<std::int64_t>& extents = entry.array.extents;
      const bool of_heads = entry.name.starts_with("multi_head_attention/") && extents.size() > 1;
      if (entry.name == changed.name && of_heads) {
        // Four heads of two numbers, or the other way round.
        std::swap(extents[extents.size() - 2], extents[extents.size() - 1]);
        write_npz(folder / "keras.npz", keras);
        const std::string said =
            sentence_of([&] { load_keras<tagger>(other, folder / "keras.npz", options); });
        INFO(entry.name);
        CHECK(said.find("takes floats (") != std::string::npos);
        ++refused;
      }
    }
  }
  CHECK(refused == 7);
  CHECK(other.fingerprint() == before);
}

TEST_CASE("a name that two arrays of Keras could have is refused") {
  const temporary_directory folder;
  weights_of<tagger> weights;
  std::vector<npz_entry> keras = as_keras(weights);
  keras.push_back({"logits/other/kernel:0", keras[0].array});
  write_npz(folder / "keras.npz", keras);
  CHECK(sentence_of([&] { load_keras<tagger>(weights, folder / "keras.npz", {.partly = true}); }) ==
        "Both logits/kernel:0 and logits/other/kernel:0 of " + (folder / "keras.npz") +
            " could be the kernel of logits. Hint: pair the layer with a longer name in .names.");
}

}  // namespace
