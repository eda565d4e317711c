// SPDX-License-Identifier: MIT
// Training whose process is killed, whose disk is full, whose file has another writer: on POSIX
// systems.
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <ipu_dsl/core/random.hpp>
#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/training/callbacks.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "formats/sentence_of.hpp"
#include "formats/temporary_directory.hpp"
#include "support/catch2.hpp"
#include "support/labelled_points.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

using steady = std::chrono::steady_clock;
using std::chrono::microseconds;

/// Has all that there is to lose: states, masks, slots, averages, metrics.
struct net : model<input<8>, pipeline<stage<Dense<16, relu>, BatchNormalization<>, Dropout<0.25F>>,
                                      stage<Dense<3>>>> {};

struct training : compile<net, micro_batch<8>, gradient_accumulation<2>, sequential_schedule,
                          loss<sparse_categorical_crossentropy>, metrics<accuracy>,
                          optimizer<adam, moving_average<0.9F>>> {};

struct without_metric
    : compile<net, micro_batch<8>, gradient_accumulation<2>, sequential_schedule,
              loss<sparse_categorical_crossentropy>, optimizer<adam, moving_average<0.9F>>> {};

struct longer_updates : compile<net, micro_batch<8>, gradient_accumulation<4>, sequential_schedule,
                                loss<sparse_categorical_crossentropy>, metrics<accuracy>,
                                optimizer<adam, moving_average<0.9F>>> {};

/// What training ended with.
struct outcome {
  std::uint64_t weights = 0;
  std::uint64_t kept = 0;
  bool trained = false;  ///< an epoch: else all of them were done before
  double loss = 0;
  double accuracy = 0;

  friend bool operator==(const outcome& one, const outcome& other) {
    const bool told = one.trained && other.trained;
    return one.weights == other.weights && one.kept == other.kept &&
           (!told || (one.loss == other.loss && one.accuracy == other.accuracy));
  }
};

constexpr fit_options all_epochs = {.epochs = 5, .steps_per_epoch = 8};

/// Lowers the rate behind every epoch.
struct lowers_rate {
  void on_epoch_end(training_run& run) const { run.set_learning_rate(run.learning_rate() * 0.75F); }
};

template <typename... Callbacks>
outcome train(session<training>& run, Callbacks&&... callbacks) {
  const point_set data = labelled_points(80, 3);
  const std::span<const epoch_record> passed =
      run.fit(data | shuffled(50) | repeated(), all_epochs, lowers_rate(), callbacks...).epochs();
  outcome found;
  found.weights = run.weights().fingerprint();
  found.kept = run.listened_to().kept().fingerprint();
  found.trained = !passed.empty();
  if (found.trained) {
    found.loss = passed.back().loss;
    found.accuracy = passed.back()["accuracy"];
  }
  return found;
}

outcome train_backed_up(const std::string& path, std::int64_t save_freq) {
  session<training> run({.learning_rate = 0.02F});
  return train(run, backup_and_restore({.filename = path, .save_freq = save_freq}));
}

outcome unbroken() {
  session<training> run({.learning_rate = 0.02F});
  return train(run);
}

/// Trains in a process of its own, which is killed when so much time is over, if any is given. What
/// it ended with, unless it was killed.
std::optional<outcome> train_until(std::optional<microseconds> killed, const std::string& path,
                                   std::int64_t save_freq) {
  int ends[2] = {};
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    outcome found;
    try {
      found = train_backed_up(path, save_freq);
    } catch (const error& refused) {
      std::fprintf(stderr, "%s\n", refused.what());
      ::_exit(2);
    }
    ::_exit(::write(ends[1], &found, sizeof found) == sizeof found ? 0 : 3);
  }
  ::close(ends[1]);
  if (killed) {
    std::this_thread::sleep_for(*killed);
    ::kill(child, SIGKILL);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  outcome found;
  const bool whole = ::read(ends[0], &found, sizeof found) == sizeof found;
  ::close(ends[0]);
  if (WIFSIGNALED(status)) {
    REQUIRE(WTERMSIG(status) == SIGKILL);
    return std::nullopt;
  }
  REQUIRE(WEXITSTATUS(status) == 0);
  REQUIRE(whole);
  return found;
}

}  // namespace

TEST_CASE("training that is killed, at any time and again and again, ends as if it never was") {
  constexpr std::uint64_t seed = 20'261;
  constexpr int wanted = 40;
  const outcome expected = unbroken();
  const temporary_directory directory;
  // How long training takes that nobody kills; the disk takes most of it.
  double whole[3] = {};
  for (const std::int64_t save_freq : {0, 1, 2}) {
    const auto begin = steady::now();
    REQUIRE(train_until(std::nullopt, directory / "whole.npz", save_freq) == expected);
    const std::chrono::duration<double, std::micro> taken = steady::now() - begin;
    whole[save_freq] = taken.count();
  }
  int kills = 0;
  int kept = 0;
  int told = 0;
  int trainings = 0;
  while (kills < wanted) {
    const std::string path = directory / ("backup" + std::to_string(trainings) + ".npz");
    std::optional<outcome> found;
    for (std::uint64_t life = 0; !found; ++life) {
      const auto stream = static_cast<std::uint64_t>(trainings);
      const double share = static_cast<double>(uniform_unit(random_word(seed, stream, life)));
      const auto time = static_cast<std::int64_t>(share * 0.8 * whole[trainings % 3]);
      // Who is killed so often that nothing gets on may live once.
      const std::optional<microseconds> killed =
          life < 12 ? std::optional(microseconds(time)) : std::nullopt;
      found = train_until(killed, path, trainings % 3);
      kills += found ? 0 : 1;
      kept += !found && file_exists(path) ? 1 : 0;
    }
    INFO("training " << trainings << " of seed " << seed << ", " << kills << " kills");
    REQUIRE(*found == expected);
    CHECK(!file_exists(path));
    told += found->trained ? 1 : 0;
    ++trainings;
  }
  WARN("seed " << seed << ": " << kills << " kills in " << trainings << " trainings, " << kept
               << " of them behind a backup");
  CHECK(kept > wanted / 4);
  CHECK(told > 0);
}

namespace {

/// Behind the third epoch no file may be longer than so many bytes; as it was in the end.
class full_disk {
 public:
  full_disk() : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) { ::getrlimit(RLIMIT_FSIZE, &old_); }

  full_disk(const full_disk&) = delete;
  full_disk& operator=(const full_disk&) = delete;

  ~full_disk() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }

  void on_epoch_begin(std::int32_t epoch) const {
    if (epoch == 3) {
      const rlimit small = {1000, old_.rlim_max};
      ::setrlimit(RLIMIT_FSIZE, &small);
    }
  }

 private:
  rlimit old_ = {};
  void (*old_handler_)(int);
};

std::size_t files_in(const temporary_directory& directory) {
  const std::filesystem::directory_iterator files(directory.path());
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

}  // namespace

TEST_CASE(
    "a full disk ends training with a sentence, and the backup before is there to go on with") {
  const temporary_directory directory;
  const std::string path = directory / "backup.npz";
  std::string said;
  {
    const full_disk disk;
    session<training> run({.learning_rate = 0.02F});
    said = sentence_of(
        [&] { train(run, disk, backup_and_restore({.filename = path, .save_freq = 2})); });
  }
  CHECK(said == "Cannot write " + path + ": File too large.");
  CHECK(files_in(directory) == 1);
  session<training> again({.learning_rate = 0.02F});
  backup_and_restore backup({.filename = path, .delete_checkpoint = false});
  CHECK(train(again, backup) == unbroken());
  CHECK(backup.restored());
  // It says that all epochs are done.
  session<training> third;
  const point_set data = labelled_points(80, 3);
  CHECK(third.fit(data | shuffled(50) | repeated(), all_epochs, backup).epochs().empty());
  CHECK(third.weights().fingerprint() == unbroken().weights);
  if (file_exists("/dev/full")) {
    CHECK(sentence_of([&] { again.save_training("/dev/full"); }) ==
          "Cannot write /dev/full: No space left on device.");
  }
}

namespace {

/// Lowers the rate within an epoch.
struct lowers_rate_within {
  void on_update_end(training_run& run) const {
    run.set_learning_rate(run.learning_rate() * 0.875F);
  }
};

struct broken {};

/// Breaks a fit behind so many of its updates.
struct breaks_behind {
  int updates;

  void on_update_end() {
    --updates;
    if (updates == 0) {
      throw broken();
    }
  }
};

}  // namespace

TEST_CASE("in an epoch that is begun again the rate goes on from what it was at its beginning") {
  const temporary_directory directory;
  const std::string path = directory / "backup.npz";
  const auto halved = [] {
    return learning_rate_scheduler([](std::int32_t, float rate) { return 0.5F * rate; });
  };
  session<training> whole({.learning_rate = 0.5F});
  const outcome expected = train(whole, halved(), lowers_rate_within());
  int equal = 0;
  for (int behind = 1; behind <= 20; ++behind) {
    const auto backup = [&] { return backup_and_restore({.filename = path, .save_freq = 1}); };
    session<training> first({.learning_rate = 0.5F});
    CHECK_THROWS_AS(train(first, halved(), lowers_rate_within(), backup(), breaks_behind{behind}),
                    broken);
    session<training> second({.learning_rate = 0.5F});
    equal += train(second, halved(), lowers_rate_within(), backup()) == expected ? 1 : 0;
  }
  CHECK(equal == 20);
}

TEST_CASE("of two writers of one backup each leaves a whole one") {
  const temporary_directory directory;
  const std::string path = directory / "backup.npz";
  std::atomic<int> done = 0;
  std::atomic<int> refused = 0;
  const auto write = [&] {
    session<training> run({.learning_rate = 0.02F});
    const std::string said = sentence_of([&] {
      train(run,
            backup_and_restore({.filename = path, .save_freq = 1, .delete_checkpoint = false}));
    });
    refused += said.empty() ? 0 : 1;
    ++done;
  };
  std::thread first(write);
  std::thread second(write);
  int whole = 0;
  session<training> reader;
  while (done < 2 || whole == 0) {
    if (file_exists(path)) {
      reader.load_training(path);
      ++whole;
    }
  }
  first.join();
  second.join();
  CHECK(refused == 0);
  CHECK(whole > 5);
  reader.load_training(path);
  CHECK(reader.weights().fingerprint() == unbroken().weights);
}

TEST_CASE("a backup that cannot be gone on with is refused before the first step, and stays") {
  const temporary_directory directory;
  const std::string path = directory / "backup.npz";
  session<training> run({.learning_rate = 0.02F});
  const std::uint64_t before = run.weights().fingerprint();
  const std::vector<std::uint8_t> bytes = {'P', 'K', 3, 4};
  write_file_atomically(path, bytes);
  CHECK(!sentence_of([&] { train(run, backup_and_restore({.filename = path})); }).empty());
  CHECK(read_file(path) == bytes);
  session<training> other({}, {.seed = 2});
  other.save_training(path);
  CHECK(sentence_of([&] {
          train(run, backup_and_restore({.filename = path}));
        }).starts_with("The training in " + path + " has the seed 2, this session the seed 1"));
  CHECK(sentence_of([&] { train(run, backup_and_restore({.filename = "/nowhere/b.npz"})); }) ==
        "Cannot write /nowhere/b.npz: No such file or directory.");
  CHECK(run.weights().fingerprint() == before);
  CHECK(sentence_of([&] { train(run, backup_and_restore({.filename = path, .save_freq = -1})); }) ==
        "backup_and_restore expects a save_freq of 0 updates or more, got -1.");
  CHECK(sentence_of([&] {
          train(run, asynchronous(backup_and_restore({.filename = path, .save_freq = 1})));
        }) ==
        "backup_and_restore with a save_freq saves between updates, for which training does not "
        "wait within asynchronous(...). Give fit this callback beside it, or leave save_freq out.");
  CHECK(run.weights().fingerprint() == before);
  CHECK(sentence_of([&] { train(run, backup_and_restore({.filename = ""})); }) ==
        "Expected the path of a file, got an empty one.");
  // Saved outside of a fit it does not say where to go on.
  session<training> same({.learning_rate = 0.02F});
  same.save_training(path);
  CHECK(sentence_of([&] { train(run, backup_and_restore({.filename = path})); }) ==
        "The file " + path + " does not say where a fit stood: it was saved outside of one.");
  CHECK(file_exists(path));
}

TEST_CASE("a backup of another fit changes neither weights nor rate, and stays") {
  const temporary_directory directory;
  const std::string path = directory / "backup.npz";
  const point_set data = labelled_points(80, 3);

  struct stops {
    std::int64_t updates = 0;

    void on_update_end() {
      if (++updates == 7) {
        raise_error("stopped");
      }
    }
  };

  session<training> broken({.learning_rate = 0.02F});
  CHECK(sentence_of([&] {
          train(broken, backup_and_restore({.filename = path, .save_freq = 1}), stops());
        }) == "stopped");
  const std::vector<std::uint8_t> backup = read_file(path);
  int refused = 0;
  const auto goes_on = [&](const auto& other, const fit_options& wanted) {
    session<training> run({.learning_rate = 0.01F});
    const std::uint64_t before = run.weights().fingerprint();
    const std::string sentence = sentence_of(
        [&] { run.fit(other, wanted, lowers_rate(), backup_and_restore({.filename = path})); });
    CHECK(run.weights().fingerprint() == before);
    CHECK(run.listened_to().progress().updates == 0);
    CHECK(read_file(path) == backup);
    ++refused;
    return sentence;
  };
  CHECK(!goes_on(data | repeated(), all_epochs).empty());
  CHECK(!goes_on(data | shuffled(49) | repeated(), all_epochs).empty());
  CHECK(!goes_on(data | take(72) | shuffled(50) | repeated(), all_epochs).empty());
  CHECK(
      goes_on(data | shuffled(50) | repeated(), {.epochs = 5, .steps_per_epoch = 6}) ==
      "What was loaded was saved in a fit of 8 steps of 8 samples an epoch; this one has 6 of 8.");
  CHECK(
      goes_on(data | shuffled(50) | repeated(), {.epochs = 1, .steps_per_epoch = 8}) ==
      "What was loaded was saved in epoch 2, counted from 1; this fit has 1 epochs. Hint: give it "
      "at least as many.");
  session<without_metric> unmeasured({.learning_rate = 0.01F});
  CHECK(sentence_of([&] {
          unmeasured.fit(data | shuffled(50) | repeated(), all_epochs,
                         backup_and_restore({.filename = path}));
        }) == "What was loaded was saved in a fit of other losses or metrics than this one has.");
  session<longer_updates> longer({.learning_rate = 0.01F});
  CHECK(sentence_of([&] {
          longer.fit(data | shuffled(50) | repeated(), all_epochs,
                     backup_and_restore({.filename = path}));
        }).find(" has 16 samples in an update, this session has 32, so that it cannot go on") !=
        std::string::npos);
  CHECK(read_file(path) == backup);
  CHECK(refused == 5);
  std::printf("backups of another fit: checked %d\n", refused);
}

TEST_CASE("a backup does not put a constant rate in the place of a program's schedule") {
  const temporary_directory directory;
  const std::string path = directory / "backup.npz";
  const point_set data = labelled_points(80, 3);

  struct stops {
    void on_epoch_end() const { raise_error("stopped"); }
  };

  session<training> broken({.learning_rate = 0.5F});
  CHECK(sentence_of([&] {
          broken.fit(data | repeated(), all_epochs, backup_and_restore({.filename = path}),
                     stops());
        }) == "stopped");
  const exponential_decay decay{
      .initial_learning_rate = 0.25F, .decay_steps = 4, .decay_rate = 0.5F};
  session<training> run({.learning_rate = decay});

  struct hears_rate {
    float* heard;

    void on_epoch_end(training_run& of) const { *heard = of.learning_rate(); }
  };

  float rate = 0;
  run.fit(data | repeated(), all_epochs, backup_and_restore({.filename = path}), hears_rate{&rate});
  // That of the next update: 5 epochs of 4 have passed.
  CHECK(rate == static_cast<float>(learning_rate_schedule(decay).at(20)));
}

TEST_CASE("what backup_and_restore has not written it neither goes on with nor removes") {
  const temporary_directory directory;
  const std::string path = directory / "best.npz";
  session<training> first({.learning_rate = 0.02F});
  train(first, model_checkpoint({.filepath = path, .monitor = "loss"}));
  const std::vector<std::uint8_t> trained = read_file(path);
  session<training> again({.learning_rate = 0.02F});
  const std::uint64_t before = again.weights().fingerprint();
  CHECK(sentence_of([&] { train(again, backup_and_restore({.filename = path})); }) ==
        "The file " + path +
            " was not written by backup_and_restore, which removes its file when training has "
            "ended. Hint: give it a file of its own.");
  CHECK(again.weights().fingerprint() == before);
  CHECK(read_file(path) == trained);
  // Nor do two callbacks share it, of which one would remove what the other saves.
  std::remove(path.c_str());
  CHECK(sentence_of([&] {
          train(again, model_checkpoint({.filepath = path, .monitor = "loss"}),
                backup_and_restore({.filename = path}));
        }) == "model_checkpoint and backup_and_restore would both write " + path +
                  ". Hint: give each a file of its own.");
  // However its path is written.
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  const std::string name = path.substr(folder.size());
  const std::string parent = folder.empty() ? "./" : folder + "./";
  CHECK(sentence_of([&] {
          train(again, model_checkpoint({.filepath = parent + name, .monitor = "loss"}),
                backup_and_restore({.filename = path}));
        }) == "model_checkpoint and backup_and_restore would both write " + path +
                  ". Hint: give each a file of its own.");
  // On a thread of their own as well.
  CHECK(sentence_of([&] {
          train(again, asynchronous(model_checkpoint({.filepath = path, .monitor = "loss"})),
                backup_and_restore({.filename = path}));
        }) == "model_checkpoint and backup_and_restore would both write " + path +
                  ". Hint: give each a file of its own.");
}
