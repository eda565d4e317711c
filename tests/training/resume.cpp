// SPDX-License-Identifier: MIT
// Training that is saved, loaded and goes on.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/data/prefetched.hpp>
#include <ipu_dsl/exchange/weights_by_name.hpp>
#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/formats/npy_conversion.hpp>
#include <ipu_dsl/formats/zip_reader.hpp>
#include <ipu_dsl/formats/zip_writer.hpp>
#include <ipu_dsl/queues/infeed_queue.hpp>
#include <ipu_dsl/training/saved_training.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"
#include "support/labelled_points.hpp"

using namespace ipu_dsl;
using tests::point_set;
using tests::sentence_of;

namespace {

struct net : model<input<8>, pipeline<stage<Dense<16, relu>, Dropout<0.25F>>, stage<Dense<3>>>> {};

template <typename Optimizer>
struct training
    : compile<net, micro_batch<8>, gradient_accumulation<2>, sequential_schedule,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<Optimizer>> {};

constexpr std::size_t update_samples = 16;

/// Some updates, from where in the points the first begins.
template <typename Compiled>
void train(session<Compiled>& run, const point_set& data, std::size_t first, std::size_t updates) {
  for (std::size_t i = first; i < first + updates; ++i) {
    run.train_step(data.features().subspan(i * update_samples * 8, update_samples * 8),
                   data.labels().subspan(i * update_samples, update_samples));
  }
}

/// Ten updates, with and without a break in the middle.
template <typename Optimizer>
void check_resumed(const typename Optimizer::settings& rates, const std::string& path) {
  const point_set data = tests::labelled_points(160, 3);
  session<training<Optimizer>> unbroken(rates);
  train(unbroken, data, 0, 10);
  {
    session<training<Optimizer>> first(rates);
    train(first, data, 0, 5);
    first.save_training(path);
  }
  session<training<Optimizer>> resumed(rates);
  resumed.load_training(path);
  train(resumed, data, 5, 5);
  CHECK(resumed.weights().fingerprint() == unbroken.weights().fingerprint());
  session<training<Optimizer>> forgetful(rates);
  train(forgetful, data, 5, 5);
  CHECK(forgetful.weights().fingerprint() != unbroken.weights().fingerprint());
  std::remove(path.c_str());
}

}  // namespace

TEST_CASE("training goes on with the bits of one that was never interrupted") {
  check_resumed<sgd<momentum>>({.learning_rate = 0.05F, .momentum = 0.9F}, "resume_momentum.npz");
  check_resumed<adam>({.learning_rate = 0.01F}, "resume_adam.npz");
  check_resumed<sgd<>>({.learning_rate = 0.05F}, "resume_plain.npz");
  check_resumed<rmsprop<momentum, centered>>({.learning_rate = 0.01F}, "resume_rmsprop.npz");
  // What is kept does not begin with zero, and the rate depends on the update.
  check_resumed<adagrad>(
      {.learning_rate =
           exponential_decay{.initial_learning_rate = 0.1F, .decay_steps = 2, .decay_rate = 0.5F}},
      "resume_adagrad.npz");
}

namespace {

using digits = training<adam>;

/// Saves behind so many updates of a fit, and ends it there.
struct saves_behind {
  std::int64_t updates;
  std::string path;

  stop_request on_update_end(const execution_record&, training_run& of) {
    --updates;
    if (updates != 0) {
      return stop_request::no;
    }
    save_training(of.engine(), path);
    return stop_request::yes;
  }
};

/// Whether a fit that is left behind each of its updates in turn and resumed by another session
/// ends with the weights and the numbers of one that went through; returns how often it did.
template <typename Source>
int equal_resumed_fits(const Source& source, fit_options wanted, std::int64_t updates) {
  const std::string path = "resume_fit.npz";
  session<digits> unbroken({.learning_rate = 0.01F});
  const history& all = unbroken.fit(source(), wanted);
  const epoch_record last = all.epochs().back();
  int equal = 0;
  for (std::int64_t behind = 1; behind <= updates; ++behind) {
    {
      session<digits> first({.learning_rate = 0.01F});
      first.fit(source(), wanted, saves_behind{behind, path});
    }
    session<digits> second({.learning_rate = 0.01F});
    second.load_training(path);
    wanted.resume = true;
    const history& rest = second.fit(source(), wanted);
    const std::span<const epoch_record> passed = rest.epochs();
    wanted.resume = false;
    // Of the losses those of the updates since, which take two micro-batches each.
    const auto done = static_cast<std::size_t>(2 * behind);
    const bool same = second.weights().fingerprint() == unbroken.weights().fingerprint() &&
                      std::ranges::equal(rest.losses(), all.losses().subspan(done)) &&
                      passed.back().samples == last.samples && passed.back().epoch == last.epoch &&
                      passed.back().loss == last.loss &&
                      passed.back()["accuracy"] == last["accuracy"];
    equal += same ? 1 : 0;
  }
  std::remove(path.c_str());
  return equal;
}

}  // namespace

TEST_CASE("a fit resumes behind any of its updates, in its epoch and in its data") {
  const point_set data = tests::labelled_points(80, 3);
  // Three epochs of six updates, which begin in the midst of the data.
  const auto endless = data | shuffled(50) | repeated();
  const fit_options epochs = {.epochs = 3, .steps_per_epoch = 12, .steps_per_execution = 4};
  CHECK(equal_resumed_fits([&] { return endless; }, epochs, 18) == 18);
  CHECK(equal_resumed_fits([&] { return prefetched(endless, 1); }, epochs, 18) == 18);
  // Three passes of five.
  const auto passes = data | shuffled(80);
  CHECK(equal_resumed_fits([&] { return passes; }, {.epochs = 3}, 15) == 15);
  CHECK(equal_resumed_fits([&] { return prefetched(passes, 1, {.depth = 7}); }, {.epochs = 3},
                           15) == 15);
  // Two passes in one, three times; and three passes in one that ends with the fit.
  const auto twice = data | shuffled(80) | repeated(2);
  CHECK(equal_resumed_fits([&] { return twice; }, {.epochs = 3}, 30) == 30);
  CHECK(equal_resumed_fits([&] { return prefetched(twice, 1); }, {.epochs = 3}, 30) == 30);
  const auto thrice = data | shuffled(80) | repeated(3);
  const fit_options as_passes = {.epochs = 3, .steps_per_epoch = 10};
  CHECK(equal_resumed_fits([&] { return thrice; }, as_passes, 15) == 15);
  CHECK(equal_resumed_fits([&] { return prefetched(thrice, 1); }, as_passes, 15) == 15);
}

TEST_CASE("what waits in an infeed is not lost to training that goes on") {
  const point_set data = tests::labelled_points(80, 3);
  const fit_options some = {.steps_per_epoch = 6};
  auto source = make_feed(data | shuffled(50) | repeated(), 1);
  infeed_queue infeed(source, {.micro_batch = 8, .depth = 5});
  session<digits> first;
  first.fit(infeed, some);
  first.save_training("resume_infeed.npz", infeed);
  first.fit(infeed, some);
  auto again = make_feed(data | shuffled(50) | repeated(), 1);
  infeed_queue behind(again, {.micro_batch = 8});
  session<digits> second;
  second.load_training("resume_infeed.npz", behind);
  second.fit(behind, some);
  CHECK(second.weights().fingerprint() == first.weights().fingerprint());
  auto other = make_feed(data | shuffled(50) | repeated(), 1);
  infeed_queue larger(other, {.micro_batch = 16});
  CHECK(sentence_of([&] { second.load_training("resume_infeed.npz", larger); }) ==
        "This is a position behind an infeed of micro-batches of 8 samples, got one of 16.");
  std::remove("resume_infeed.npz");
}

TEST_CASE("a feed of one's own stands where it stood when it was saved along") {
  const point_set data = tests::labelled_points(80, 3);
  const auto order = data | shuffled(50) | repeated();
  const fit_options some = {.steps_per_epoch = 6};
  auto feed = make_feed(order, 1);
  session<digits> first;
  first.fit(feed, some);
  first.save_training("resume_feed.npz", feed);
  first.fit(feed, some);
  auto again = make_feed(order, 1);
  session<digits> second;
  second.load_training("resume_feed.npz", again);
  second.fit(again, some);
  CHECK(second.weights().fingerprint() == first.weights().fingerprint());
  auto beginning = make_feed(order, 1);
  session<digits> third;
  third.load_training("resume_feed.npz");
  third.fit(beginning, some);
  CHECK(third.weights().fingerprint() != first.weights().fingerprint());
  std::remove("resume_feed.npz");
}

TEST_CASE("training of another seed, fit or version is refused, and nothing is changed") {
  const point_set data = tests::labelled_points(80, 3);
  session<digits> first;
  first.fit(data, {.epochs = 2}, saves_behind{3, "resume_refused.npz"});
  session<digits> run({}, {.seed = 7});
  const std::uint64_t before = run.weights().fingerprint();
  CHECK(sentence_of([&] { run.load_training("resume_refused.npz"); }) ==
        "The training in resume_refused.npz has the seed 1, this session the seed 7, so that it "
        "cannot go on as it would have. Hint: make the session with {.seed = 1}.");
  CHECK(run.weights().fingerprint() == before);

  session<digits> same;
  CHECK(sentence_of([&] { same.fit(data, {.resume = true}); }) ==
        "fit was asked to resume, and the session has loaded nothing that was saved within a fit, "
        "or has trained since: a callback saves it, of data or of a feed that says where it "
        "stands, and load_training comes right before.");
  same.load_training("resume_refused.npz");
  const std::uint64_t loaded = same.weights().fingerprint();
  CHECK(
      sentence_of([&] { same.fit(data | repeated(), {.steps_per_epoch = 12, .resume = true}); }) ==
      "What was loaded was saved in a fit of 10 steps of 8 samples an epoch; this one has 12 of "
      "8.");
  same.load_training("resume_refused.npz");
  CHECK(sentence_of([&] { same.fit(data, {.epochs = 9, .initial_epoch = 3, .resume = true}); }) ==
        "fit was asked to resume, and to begin with epoch 3. What resumes goes on where it stood: "
        "take initial_epoch out.");
  same.load_training("resume_refused.npz");
  CHECK(sentence_of([&] { same.fit(data | shuffled(80), {.resume = true}); }) ==
        "This is a position behind 0 steps of shuffled, repeated, take or skip, these data have 1. "
        "Hint: go on with the data that it was taken of.");
  CHECK(same.weights().fingerprint() == loaded);

  // Outside of a fit no data stand anywhere.
  same.save_training("resume_refused.npz");
  auto feed = make_feed(data, 1);
  CHECK(sentence_of([&] { same.load_training("resume_refused.npz", feed); }) ==
        "The file resume_refused.npz does not say where its data stood: it was saved without a "
        "feed.");
  same.load_training("resume_refused.npz");
  CHECK(sentence_of([&] { same.fit(data, {.resume = true}); }).starts_with("fit was asked to"));

  std::vector<std::uint8_t> bytes = read_file("resume_refused.npz");
  const std::string name = "the file";
  zips::archive_reader archive(bytes, name, refuse_deflated, default_unpacked_limit);
  zips::archive_writer newer;
  int changed = 0;
  for (std::size_t i = 0; i < archive.size(); ++i) {
    const auto entry = archive.take(i);
    std::vector<std::uint8_t> content(entry.bytes.begin(), entry.bytes.end());
    if (archive.at(i).name == "training/version.npy") {
      content[content.size() - 8] = 2;
      ++changed;
    }
    newer.add(archive.at(i).name, content);
  }
  CHECK(changed == 1);
  write_file_atomically("resume_refused.npz", newer.finish());
  CHECK(sentence_of([&] { same.load_training("resume_refused.npz"); }) ==
        "The file resume_refused.npz has saved training of version 2, this program reads version "
        "1.");
  CHECK(same.weights().fingerprint() == loaded);
  std::remove("resume_refused.npz");
}

namespace {

/// Points that do not say where they stand.
class mute_feed {
 public:
  explicit mute_feed(const point_set& data) : source_(make_feed(data, 1)) {}

  std::int32_t next(const feed_rows& rows) { return source_.next(rows); }

  void restart() { source_.restart(); }

  std::span<const source_form> sources() const { return source_.sources(); }

  std::optional<std::int64_t> length() const { return source_.length(); }

 private:
  dataset_feed<point_set> source_;
};

}  // namespace

TEST_CASE("a feed that does not say where it stands is saved without, and not resumed") {
  const point_set data = tests::labelled_points(80, 3);
  mute_feed mute(data);
  session<digits> run;
  run.fit(mute, {.epochs = 2}, saves_behind{3, "resume_mute.npz"});
  run.load_training("resume_mute.npz");
  CHECK(sentence_of([&] { run.fit(mute, {.resume = true}); }).starts_with("fit was asked to"));
  CHECK(sentence_of([&] { run.save_training("resume_mute.npz", mute); }) ==
        "This feed does not say where it stands: it has no position() and go_to(...); see "
        "placed_feed.");
  run.fit(data, {.epochs = 2}, saves_behind{3, "resume_mute.npz"});
  run.load_training("resume_mute.npz");
  CHECK(sentence_of([&] { run.fit(mute, {.resume = true}); }) ==
        "This fit cannot go on in its data: its feed does not say where it stands. Give fit a data "
        "set, or the feed position() and go_to(...); see placed_feed.");
  auto ahead = prefetched(mute);
  run.load_training("resume_mute.npz");
  CHECK(sentence_of([&] {
          run.fit(ahead, {.resume = true});
        }).starts_with("This fit cannot go on in its data: its feed does not say"));
  std::remove("resume_mute.npz");
}

TEST_CASE("a file of weights, or of another optimizer, is no training, and nothing is changed") {
  const point_set data = tests::labelled_points(160, 3);
  session<training<adam>> run;
  train(run, data, 0, 2);
  const std::uint64_t before = run.weights().fingerprint();
  run.save("resume_weights.npz");
  CHECK(sentence_of([&] { run.load_training("resume_weights.npz"); }) ==
        "The file resume_weights.npz has no array training/version: it holds weights, not how far "
        "training has come. Load it with load.");
  session<training<sgd<momentum>>> other;
  other.save_training("resume_other.npz");
  const std::string said = sentence_of([&] { run.load_training("resume_other.npz"); });
  INFO(said);
  CHECK(said.find("/kernel/m, which the optimizer of this session keeps: it was saved with another "
                  "one. Hint: load_by_name(") != std::string::npos);
  CHECK(run.weights().fingerprint() == before);
  std::remove("resume_weights.npz");
  std::remove("resume_other.npz");
}

TEST_CASE("training of an optimizer that keeps arrays of the same names is refused") {
  const std::string path = "resume_other_optimizer.npz";
  session<training<adam>> saved;
  saved.save_training(path);
  session<training<adamax>> other;
  const std::uint64_t before = other.weights().fingerprint();
  CHECK(sentence_of([&] { other.load_training(path); }) ==
        "The training in " + path +
            " was saved with the optimizer adam, this session has adamax, so that it cannot go on "
            "as it would have. Hint: load_by_name(run.weights(), path, {.partly = true}) takes its "
            "weights alone.");
  CHECK(other.weights().fingerprint() == before);
  session<training<adam>> same({}, {.seed = 1});
  same.load_training(path);
  CHECK(same.weights().fingerprint() == saved.weights().fingerprint());
  std::remove(path.c_str());
}

namespace {

/// The model of `training`, but for what its arrays do not show.
template <typename First, typename Noise>
struct alike : model<input<8>, pipeline<stage<First, Noise>, stage<Dense<3>>>> {};

template <typename Model, typename Loss, int Accumulation, typename... Options>
struct of_equal_arrays : compile<Model, micro_batch<8>, gradient_accumulation<Accumulation>,
                                 loss<Loss>, metrics<accuracy>, optimizer<adam>, Options...> {};

/// What a session of these says to a file of saved training, which must leave it as it was.
template <typename Compiled>
std::string said_to(const std::string& path) {
  session<Compiled> run({.learning_rate = 0.01F});
  const std::uint64_t before = run.weights().fingerprint();
  const std::string said = sentence_of([&] { run.load_training(path); });
  CHECK((said.empty() || run.weights().fingerprint() == before));
  return said;
}

}  // namespace

TEST_CASE("training of equal arrays and other numbers is refused, elsewhere it goes on") {
  using hidden = Dense<16, relu>;
  using noise = Dropout<0.25F>;
  using cross = sparse_categorical_crossentropy;
  const std::string path = "resume_identity.npz";
  session<of_equal_arrays<alike<hidden, noise>, cross, 8, sequential_schedule>> saved;
  saved.save_training(path);
  const std::string other_model =
      "The training in " + path +
      " is of another model: its arrays are the same, but a layer, an option of one, a loss or "
      "mean_gradients is not, so that it cannot go on as it would have. Hint: "
      "load_by_name(run.weights(), path, "
      "{.partly = true}) takes its weights alone.";
  CHECK(said_to<of_equal_arrays<alike<Dense<16, sigmoid>, noise>, cross, 8, sequential_schedule>>(
            path) == other_model);
  CHECK(said_to<of_equal_arrays<alike<hidden, Dropout<0.5F>>, cross, 8, sequential_schedule>>(
            path) == other_model);
  CHECK(said_to<
            of_equal_arrays<alike<hidden, GaussianDropout<0.25F>>, cross, 2, sequential_schedule>>(
            path) == other_model);
  const std::string other_update =
      said_to<of_equal_arrays<alike<hidden, noise>, cross, 16, sequential_schedule>>(path);
  CHECK(other_update.starts_with("The training in " + path +
                                 " has 64 samples in an update, this session has 128, so that"));
  CHECK(said_to<of_equal_arrays<alike<hidden, noise>, cross, 8, grouped>>(path).empty());
  CHECK(
      said_to<of_equal_arrays<alike<hidden, noise>, cross, 4, replicas<2>, grouped>>(path).empty());
  std::remove(path.c_str());
}

TEST_CASE("a fit resumes where something was loaded, not where it was trained on") {
  const std::string path = "resume_trained_since.npz";
  const point_set data = tests::labelled_points(160, 3);
  session<digits> first({.learning_rate = 0.01F});
  first.fit(data | repeated(), {.epochs = 2, .steps_per_epoch = 8}, saves_behind{2, path});
  session<digits> second({.learning_rate = 0.01F});
  second.load_training(path);
  train(second, data, 0, 1);
  CHECK(sentence_of([&] {
          second.fit(data | repeated(), {.epochs = 2, .steps_per_epoch = 8, .resume = true});
        }).find("or has trained since") != std::string::npos);
  std::remove(path.c_str());
}

TEST_CASE("saved training is told from weights, which are read from it by their names") {
  const point_set data = tests::labelled_points(160, 3);
  session<training<adam>> run;
  train(run, data, 0, 2);
  run.save_training("resume_all.npz");
  session<training<adam>> other({}, {.seed = 2});
  const std::uint64_t before = other.weights().fingerprint();
  CHECK(sentence_of([&] { other.load("resume_all.npz"); }) ==
        "The file resume_all.npz holds saved training, more than weights. load_training goes on "
        "from it; load_by_name of <ipu_dsl/exchange/weights_by_name.hpp> takes its weights alone, "
        "with {.partly = true} behind the path.");
  CHECK(other.weights().fingerprint() == before);
  CHECK(load_by_name(other.weights(), "resume_all.npz", {.partly = true}).missing.empty());
  CHECK(other.weights().fingerprint() == run.weights().fingerprint());
  std::remove("resume_all.npz");
}

namespace {

/// A file of saved training with an array in which the bytes from the end of its header on are
/// changed; the archive is whole.
std::vector<std::uint8_t> with_changed(const std::vector<std::uint8_t>& file,
                                       std::string_view array, std::size_t behind_header,
                                       std::uint8_t change) {
  const std::string name = "the file";
  zips::archive_reader archive(file, name, refuse_deflated, default_unpacked_limit);
  zips::archive_writer made;
  for (std::size_t i = 0; i < archive.size(); ++i) {
    const auto entry = archive.take(i);
    std::vector<std::uint8_t> content(entry.bytes.begin(), entry.bytes.end());
    if (archive.at(i).name == array) {
      const bool is_array = array.ends_with(".npy");
      const std::size_t size =
          is_array ? npy::find_array(content, array).kept_bytes() : content.size();
      content[content.size() - size + behind_header % size] ^= change;
    }
    made.add(archive.at(i).name, content);
  }
  return made.finish();
}

}  // namespace

TEST_CASE("files of saved training that are damaged or that lie are refused, or a fit goes on") {
  const point_set data = tests::labelled_points(80, 3);
  const auto order = data | shuffled(9) | repeated();
  const fit_options wanted = {.epochs = 2, .steps_per_epoch = 6};
  session<digits> run;
  run.fit(order, wanted, saves_behind{4, "resume_damaged.npz"});
  const std::vector<std::uint8_t> whole = read_file("resume_damaged.npz");
  run.load_training("resume_damaged.npz");
  const std::uint64_t before = run.weights().fingerprint();
  int refused = 0;
  int gone_on = 0;
  const auto load = [&](const std::vector<std::uint8_t>& bytes) {
    // As often as this, not to the disk itself.
    std::ofstream file("resume_damaged.npz", std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    file.close();
    const std::string said = sentence_of([&] { run.load_training("resume_damaged.npz"); });
    refused += said.empty() ? 0 : 1;
    return said.empty();
  };
  for (std::size_t length = 0; length < whole.size(); length += 97) {
    load({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)});
  }
  CHECK(refused == static_cast<int>((whole.size() + 96) / 97));
  int flipped = 0;
  refused = 0;
  for (std::size_t i = 0; i < whole.size(); i += 89) {
    ++flipped;
    std::vector<std::uint8_t> changed = whole;
    changed[i] ^= 0x20;
    load(changed);
  }
  // Checksums leave nothing but what nobody reads, as the dates of entries.
  CHECK(refused > flipped * 3 / 4);
  CHECK(run.weights().fingerprint() == before);
  // The name of an optimizer with an escape sequence, of which none reaches the sentence.
  const std::uint8_t escape = 'a' ^ 0x1B;
  REQUIRE(!load(with_changed(whole, "training/optimizer.txt", 0, escape)));
  const std::string of_name = sentence_of([&] { run.load_training("resume_damaged.npz"); });
  CHECK(of_name.find("dam, this session has adam, so that") != std::string::npos);
  CHECK(of_name.find('\x1B') == std::string::npos);
  // Numbers that lie in a file that is whole.
  refused = 0;
  for (const char* const array : {"training/place.npy", "training/data.npy",
                                  "training/progress.npy", "training/version.npy"}) {
    for (std::size_t byte = 0; byte < 160; byte += 4) {
      for (const std::uint8_t change : {std::uint8_t{1}, std::uint8_t{0x80}}) {
        if (load(with_changed(whole, array, byte, change))) {
          fit_options resumed = wanted;
          resumed.resume = true;
          const std::string said = sentence_of([&] { run.fit(order, resumed); });
          refused += said.empty() ? 0 : 1;
          gone_on += said.empty() ? 1 : 0;
        }
      }
    }
  }
  CHECK(refused > 60);
  CHECK(gone_on > 20);
  CHECK(refused + gone_on == 4 * 40 * 2);
  std::remove("resume_damaged.npz");
}

namespace {

struct line : model<input<8>, sequential<Dense<3>>> {};

struct line_training
    : compile<line, micro_batch<8>, loss<sparse_categorical_crossentropy>, optimizer<sgd<>>> {};

}  // namespace

TEST_CASE("a fit shuffles in another order than those before it, the same in every session") {
  const point_set data = tests::labelled_points(64, 3);
  // At a rate of 0 the losses of the micro-batches tell which samples these have.
  const auto orders_of = [&] {
    session<line_training> run({.learning_rate = 0.0F});
    std::vector<std::vector<float>> orders;
    for (int fit = 0; fit < 3; ++fit) {
      const std::span<const float> losses = run.fit(data | shuffled(64), {.epochs = 1}).losses();
      orders.emplace_back(losses.begin(), losses.end());
    }
    return orders;
  };
  const std::vector<std::vector<float>> orders = orders_of();
  CHECK(orders[0] != orders[1]);
  CHECK(orders[1] != orders[2]);
  CHECK(orders[0] != orders[2]);
  CHECK(orders == orders_of());
}

TEST_CASE("a fit behind another one resumes in its own order") {
  const point_set data = tests::labelled_points(64, 3);
  const std::string path = "resume_second_fit.npz";
  session<digits> unbroken({.learning_rate = 0.01F});
  unbroken.fit(data | shuffled(64), {.epochs = 1});
  unbroken.fit(data | shuffled(64), {.epochs = 2});
  int resumed = 0;
  for (std::int64_t behind = 1; behind <= 8; ++behind) {
    {
      session<digits> first({.learning_rate = 0.01F});
      first.fit(data | shuffled(64), {.epochs = 1});
      first.fit(data | shuffled(64), {.epochs = 2}, saves_behind{behind, path});
    }
    session<digits> second({.learning_rate = 0.01F});
    second.load_training(path);
    second.fit(data | shuffled(64), {.epochs = 2, .resume = true});
    resumed += second.weights().fingerprint() == unbroken.weights().fingerprint() ? 1 : 0;
  }
  CHECK(resumed == 8);
  std::remove(path.c_str());
}
