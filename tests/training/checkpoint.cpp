// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/formats/npy.hpp>
#include <ipu_dsl/formats/npz.hpp>
#include <ipu_dsl/formats/zip.hpp>
#include <ipu_dsl/training/checkpoint.hpp>
#include <ipu_dsl/training/session.hpp>

#include "formats/sentence_of.hpp"
#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"
#include "support/labelled_points.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

struct net : model<input<8>, pipeline<stage<Dense<20, relu>>, stage<named<"logits", Dense<3>>>>> {};

struct trained : compile<net, micro_batch<8>, gradient_accumulation<4>,
                         loss<sparse_categorical_crossentropy>> {};

/// What loading a file with changed arrays says. Nothing may have changed then.
std::string refusal(const std::function<void(std::vector<npz_entry>&)>& change) {
  const temporary_directory folder;
  const std::string path = folder / "weights.npz";
  session<trained> run({}, {.seed = 1});
  run.save(path);
  std::vector<npz_entry> entries = read_npz(path);
  change(entries);
  write_npz(path, entries);
  session<trained> other({}, {.seed = 2});
  const std::uint64_t before = other.weights().fingerprint();
  std::string said = sentence_of([&] { other.load(path); });
  CHECK(other.weights().fingerprint() == before);
  const std::size_t at = said.find(path);
  return at == std::string::npos ? said : said.replace(at, path.size(), "FILE");
}

npz_entry array_of(const std::string& name, const std::vector<std::int64_t>& extents) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) {
    count *= extent;
  }
  const std::vector<float> values(static_cast<std::size_t>(count), 1.0F);
  return {name, make_npy(std::span<const float>(values), extents)};
}

}  // namespace

TEST_CASE("what is saved is loaded, bit for bit") {
  const temporary_directory folder;
  const point_set data = labelled_points(96, 1);
  session<trained> run({.learning_rate = 0.1F}, {.seed = 1});
  run.fit(data | repeated(), {.steps_per_epoch = 40});
  run.save(folder / "weights.npz");

  session<trained> other({}, {.seed = 2});
  CHECK(other.weights().fingerprint() != run.weights().fingerprint());
  other.load(folder / "weights.npz");
  CHECK(other.weights().fingerprint() == run.weights().fingerprint());
  CHECK(other.evaluate(data).loss == run.evaluate(data).loss);

  other.save(folder / "again.npz");
  CHECK(read_file(folder / "again.npz") == read_file(folder / "weights.npz"));
}

TEST_CASE("a file of weights has an array for each parameter, in [inputs, units] order") {
  const temporary_directory folder;
  session<trained> run;
  run.save(folder / "weights.npz");
  const std::vector<npz_entry> entries = read_npz(folder / "weights.npz");
  const std::vector<std::string> names = {"dense_0/kernel", "dense_0/bias", "logits/kernel",
                                          "logits/bias"};
  const std::vector<std::vector<std::int64_t>> extents = {{8, 20}, {20}, {20, 3}, {3}};
  REQUIRE(entries.size() == names.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    CHECK(entries[i].name == names[i]);
    CHECK(entries[i].array.extents == extents[i]);
    const std::vector<float> in_file = npy_values<float>(entries[i].array, names[i]);
    std::vector<float> in_session(in_file.size());
    run.weights().get(i, in_session);
    CHECK(in_file == in_session);
  }
}

TEST_CASE("the order of the arrays in a file does not matter") {
  const temporary_directory folder;
  session<trained> run({}, {.seed = 1});
  run.save(folder / "weights.npz");
  std::vector<npz_entry> entries = read_npz(folder / "weights.npz");
  std::reverse(entries.begin(), entries.end());
  write_npz(folder / "weights.npz", entries);
  session<trained> other({}, {.seed = 2});
  other.load(folder / "weights.npz");
  CHECK(other.weights().fingerprint() == run.weights().fingerprint());
}

TEST_CASE("a file of another model is refused and changes nothing") {
  CHECK(refusal([](std::vector<npz_entry>& entries) { entries.pop_back(); }) ==
        "The file FILE has no array logits/bias; it has dense_0/kernel, dense_0/bias, "
        "logits/kernel.");
  CHECK(refusal([](std::vector<npz_entry>& entries) {
          entries[2] = array_of("logits/kernel", {3, 20});
        }) == "The array logits/kernel of FILE must have the shape (20, 3), got (3, 20).");
  CHECK(refusal([](std::vector<npz_entry>& entries) {
          entries[0] = array_of("dense_0/kernel", {160});
        }) == "The array dense_0/kernel of FILE must have the shape (8, 20), got (160).");
  CHECK(refusal([](std::vector<npz_entry>& entries) {
          entries.push_back(array_of("dense_2/kernel", {2, 2}));
        }) ==
        "The file FILE has 5 arrays, the model has 4 parameters; dense_2/kernel is none of them.");
  CHECK(refusal([](std::vector<npz_entry>& entries) { entries[1].name = "dense_0/biases"; }) ==
        "The file FILE has no array dense_0/bias; it has dense_0/kernel, dense_0/biases, "
        "logits/kernel, "
        "logits/bias.");
  CHECK(refusal([](std::vector<npz_entry>& entries) {
          entries.clear();
          for (int i = 0; i < 12; ++i) {
            entries.push_back(array_of("arr_" + std::to_string(i), {1}));
          }
        }) ==
        "The file FILE has no array dense_0/kernel; it has arr_0, arr_1, arr_2, arr_3, arr_4, "
        "arr_5, arr_6, arr_7 and 4 more.");
  CHECK(refusal([](std::vector<npz_entry>& entries) { entries.clear(); }) ==
        "The file FILE has no array dense_0/kernel; it has none at all.");
  const std::string said = refusal([](std::vector<npz_entry>& entries) {
    const std::vector<std::int32_t> values(3, 1);
    entries[3] = {"logits/bias", make_npy(std::span<const std::int32_t>(values), {3})};
  });
  INFO(said);
  CHECK(said.find("logits/bias") != std::string::npos);
}

TEST_CASE("a file that has a parameter twice is refused and changes nothing") {
  const temporary_directory folder;
  const std::string path = folder / "weights.npz";
  session<trained> run({}, {.seed = 1});
  run.save(path);
  std::vector<zip_entry> files = parse_zip(read_file(path), path);
  files.push_back(files[2]);
  write_file_atomically(path, zip_bytes(files));
  session<trained> other({}, {.seed = 2});
  const std::uint64_t before = other.weights().fingerprint();
  CHECK(sentence_of([&] { other.load(path); }) ==
        path + " has two arrays of the name logits/kernel.");
  CHECK(other.weights().fingerprint() == before);
}

TEST_CASE("weights that are no finite numbers are refused unless they are to be kept") {
  const temporary_directory folder;
  const std::string path = folder / "weights.npz";
  session<trained> run({}, {.seed = 1});
  session<trained> other({}, {.seed = 2});
  const std::uint64_t before = other.weights().fingerprint();
  const std::size_t kernel = run.weights().find("logits/kernel");
  std::vector<float> values(60);
  int checked = 0;
  for (const float wrong :
       {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
        std::numeric_limits<float>::quiet_NaN()}) {
    run.weights().get(kernel, values);
    values[59] = wrong;
    run.weights().set(kernel, values);
    run.save(path, non_finite::kept);
    save_parameter(run.weights(), kernel, folder / "kernel.npy", non_finite::kept);
    const std::string is = wrong == wrong ? " is infinite" : " is not a number";
    const auto sentence = [&](const std::string& file) {
      return "Value 59 of the array logits/kernel of " + file + is +
             "; expected finite numbers. Hint: non_finite::kept behind the path keeps it.";
    };
    CHECK(sentence_of([&] { other.load(path); }) == sentence(path));
    const std::string one = folder / "kernel.npy";
    CHECK(sentence_of([&] { load_parameter(other.weights(), kernel, one); }) == sentence(one));
    CHECK(other.weights().fingerprint() == before);
    ++checked;
  }
  CHECK(checked == 3);
  other.load(path, non_finite::kept);
  CHECK(other.weights().fingerprint() == run.weights().fingerprint());
}

TEST_CASE("no file of weights that are no finite numbers stands where a good one stood") {
  const temporary_directory folder;
  const std::string weights = folder / "weights.npz";
  const std::string training = folder / "training.npz";
  const std::string one = folder / "kernel.npy";
  session<trained> run({}, {.seed = 1});
  const std::size_t kernel = run.weights().find("logits/kernel");
  run.save(weights);
  run.save_training(training);
  save_parameter(run.weights(), kernel, one);
  const std::uint64_t good = run.weights().fingerprint();
  std::vector<float> values(60);
  run.weights().get(kernel, values);
  values[7] = std::numeric_limits<float>::quiet_NaN();
  run.weights().set(kernel, values);
  const auto sentence = [](const std::string& file) {
    return "Value 7 of logits/kernel is not a number, so that " + file +
           " is not written. Hint: terminate_on_nan ends a fit in which the loss is; "
           "non_finite::kept behind the path writes it, and reads it.";
  };
  CHECK(sentence_of([&] { run.save(weights); }) == sentence(weights));
  CHECK(sentence_of([&] { run.save_training(training); }) == sentence(training));
  CHECK(sentence_of([&] { save_parameter(run.weights(), kernel, one); }) == sentence(one));
  session<trained> other({}, {.seed = 1});
  other.load(weights);
  CHECK(other.weights().fingerprint() == good);
  other.load_training(training);
  load_parameter(other.weights(), kernel, one);
  CHECK(other.weights().fingerprint() == good);
  run.save_training(training, non_finite::kept);
  other.load_training(training, non_finite::kept);
  CHECK(other.weights().fingerprint() == run.weights().fingerprint());
}

TEST_CASE("files of other formats are refused with what reads them, and change nothing") {
  const temporary_directory folder;
  session<trained> run;
  const std::uint64_t before = run.weights().fingerprint();
  const std::string hdf5 = "\x89HDF\r\n\x1a\n and more";
  const std::string safetensors = std::string("\2\0\0\0\0\0\0\0", 8) + "{}";
  const std::string path = folder / "weights";
  int refused = 0;
  const auto check = [&](const std::string& content, const std::string& words) {
    write_file_atomically(path,
                          {reinterpret_cast<const std::uint8_t*>(content.data()), content.size()});
    CHECK(sentence_of([&] { run.load(path); }) == path + words);
    CHECK(sentence_of([&] { run.load_training(path); }) == path + words);
    ++refused;
  };
  check(hdf5,
        " is HDF5, which is not read; save its weights as NPZ or safetensors, docs/weights.md has "
        "the lines.");
  check(safetensors,
        " is a file of safetensors. Hint: load_by_name(run.weights(), path) of "
        "<ipu_dsl/exchange/weights_by_name.hpp> takes its weights.");
  check("", " is no zip archive, or truncated: its 0 bytes hold no end record.");
  CHECK(refused == 3);
  CHECK(run.weights().fingerprint() == before);
}

TEST_CASE("no archive is written where a file of another format would be looked for") {
  const temporary_directory folder;
  session<trained> run;
  int refused = 0;
  for (const char* const name : {"best.h5", "best.hdf5", "best.keras", "best.safetensors",
                                 "best.pt", "best.pth", "best.onnx", "best.tflite"}) {
    const std::string path = folder / name;
    const std::string wanted = "Expected a path such as weights.npz for an NPZ archive, got " +
                               path + ", which ends as files of another format do.";
    CHECK(sentence_of([&] { run.save(path); }) == wanted);
    CHECK(sentence_of([&] { run.save_training(path); }) == wanted);
    CHECK_FALSE(std::filesystem::exists(path));
    ++refused;
  }
  CHECK(refused == 8);
  run.save(folder / "best.h5.npz");
  run.save(folder / "best");
}

TEST_CASE("a file that is missing is refused and changes nothing") {
  const temporary_directory folder;
  session<trained> run;
  const std::uint64_t before = run.weights().fingerprint();
  CHECK_FALSE(sentence_of([&] { run.load(folder / "missing.npz"); }).empty());
  CHECK(run.weights().fingerprint() == before);
}

TEST_CASE("one parameter is saved and loaded by itself") {
  const temporary_directory folder;
  session<trained> run({}, {.seed = 1});
  session<trained> other({}, {.seed = 2});
  const std::size_t kernel = run.weights().find("logits/kernel");
  save_parameter(run.weights(), kernel, folder / "kernel.npy");
  load_parameter(other.weights(), kernel, folder / "kernel.npy");
  std::vector<float> saved(60);
  std::vector<float> loaded(60);
  run.weights().get(kernel, saved);
  other.weights().get(kernel, loaded);
  CHECK(saved == loaded);
  CHECK(read_npy(folder / "kernel.npy").extents == std::vector<std::int64_t>{20, 3});

  const std::uint64_t before = other.weights().fingerprint();
  const std::size_t bias = run.weights().find("logits/bias");
  const std::string path = folder / "kernel.npy";
  CHECK(sentence_of([&] { load_parameter(other.weights(), bias, path); }) ==
        "The array logits/bias of " + path + " must have the shape (3), got (20, 3).");
  CHECK(other.weights().fingerprint() == before);
}

namespace {

/// An .npz of the weights of `run` with its first entry, dense_0/kernel, as `change` makes it.
void save_changed(const session<trained>& run, const std::string& path,
                  const std::function<void(std::vector<std::uint8_t>&)>& change) {
  run.save(path);
  std::vector<zip_entry> files = parse_zip(read_file(path), path);
  change(files[0].bytes);
  write_file_atomically(path, zip_bytes(files));
}

/// dense_0/kernel as NumPy saves it from float64 in Fortran order, times `scale`.
std::vector<std::uint8_t> fortran_float64(const session<trained>& run, double scale) {
  std::vector<float> kernel(8 * 20);
  run.weights().get(0, kernel);
  std::vector<std::uint8_t> file;
  const std::string header = "{'descr': '<f8', 'fortran_order': True, 'shape': (8, 20), }";
  append_text(file, npy::signature);
  append_little_endian(file, 1, 2);
  append_little_endian(file, header.size(), 2);
  append_text(file, header);
  for (std::size_t unit = 0; unit < 20; ++unit) {
    for (std::size_t row = 0; row < 8; ++row) {
      const double value = static_cast<double>(kernel[row * 20 + unit]) * scale;
      append_little_endian(file, std::bit_cast<std::uint64_t>(value), 8);
    }
  }
  return file;
}

}  // namespace

TEST_CASE("float64 in Fortran order is loaded, unless a number does not fit") {
  const temporary_directory folder;
  const std::string path = folder / "weights.npz";
  const session<trained> run({}, {.seed = 1});
  session<trained> other({}, {.seed = 2});
  const std::uint64_t before = other.weights().fingerprint();
  save_changed(run, path, [&](auto& file) { file = fortran_float64(run, 1e60); });
  const std::string said = sentence_of([&] { other.load(path); });
  INFO(said);
  CHECK(said.starts_with(path + "/dense_0/kernel.npy holds "));
  CHECK(said.ends_with(" at (0, 0), which float32 cannot hold."));
  CHECK(other.weights().fingerprint() == before);
  save_changed(run, path, [&](auto& file) { file = fortran_float64(run, 1.0); });
  other.load(path);
  CHECK(other.weights().fingerprint() == run.weights().fingerprint());
}

TEST_CASE("compressed weights are loaded with what unpacks them") {
  const temporary_directory folder;
  const std::string path = folder / "weights.npz";
  session<trained> run({}, {.seed = 1});
  run.save(path);
  // The first entry says that it is deflated; what unpacks it takes it as it is.
  std::vector<std::uint8_t> archive = read_file(path);
  const std::size_t directory = zips::find_directory(archive, path).begin;
  archive[directory + 10] = static_cast<std::uint8_t>(zips::deflated);
  write_file_atomically(path, archive);
  session<trained> other({}, {.seed = 2});
  CHECK(sentence_of([&] { other.load(path); }) ==
        path + "/dense_0/kernel.npy is compressed: save it with np.savez, or hand inflate_entry " +
            "of ipu_dsl/formats/gzip.hpp (component gzip) to what reads it: read_npz(path, "
            "inflate_entry), load_by_name(weights, path, {.inflater = inflate_entry}).");
  load_weights(other.weights(), path,
               [](std::span<const std::uint8_t> bytes, std::size_t, const std::string&) {
                 return std::vector<std::uint8_t>(bytes.begin(), bytes.end());
               });
  CHECK(other.weights().fingerprint() == run.weights().fingerprint());
}
