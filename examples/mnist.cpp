// SPDX-License-Identifier: MIT
// Trains the tutorial's model in two pipeline stages, tests it, and shows the schedule that ran.
#include <charconv>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>
#include <boost/hana/pair.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>

#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/hana/literals.hpp>
#include <ipu_dsl/hana/variants.hpp>
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/report/chrome_trace.hpp>
#include <ipu_dsl/report/drawn_trace.hpp>
#include <ipu_dsl/report/summary.hpp>
#include <ipu_dsl/report/timeline.hpp>
#include <ipu_dsl/report/timeline_svg.hpp>
#include <ipu_dsl/runtime/worker_pool.hpp>
#if __has_include(<zlib.h>)
#include <ipu_dsl/formats/gzip.hpp>
#endif

#include "example.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::literals;
namespace hana = boost::hana;

namespace {

using layers = sequential<Flatten, Dense<256, relu>, Dense<128, relu>, Dense<64, relu>,
                          Dense<32, relu>, named<"logits", Dense<10>>>;

/// The first `Cut` layers are the first stage, the others the second.
template <int Cut>
struct mlp : model<input<28, 28>, layers,
                   stage_assignment<0, (Cut < 2 ? 1 : 0), (Cut < 3 ? 1 : 0), (Cut < 4 ? 1 : 0),
                                    (Cut < 5 ? 1 : 0), 1>> {};

template <int Cut, typename Schedule>
struct training
    : compile<mlp<Cut>, micro_batch<32>, gradient_accumulation<4>, Schedule,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

// All of them are compiled; the command line chooses one of each.
// [variants]
constexpr auto schedules =
    hana::make_tuple(hana::make_pair("grouped"_s, hana::type_c<grouped>),
                     hana::make_pair("interleaved"_s, hana::type_c<interleaved>),
                     hana::make_pair("sequential"_s, hana::type_c<sequential_schedule>));
constexpr auto cuts = hana::tuple_c<int, 1, 2, 3, 4, 5>;

// [/variants]

struct command_line {
  std::string data;
  std::string schedule = "grouped";
  int cut = 2;
  int threads = 1;
  int epochs = 4;
  int steps = 500;
  std::int64_t seed = 1;
  std::string svg;
  std::string trace;

  bool draws() const { return !svg.empty() || !trace.empty(); }
};

/// Where digits come from: files that the user has, or the program's own.
mnist::data load_digits(const command_line& wanted) {
  if (wanted.data.empty()) {
    std::printf("Drawing 60,000 digits to train on and 10,000 to test with.\n");
    const auto seed = static_cast<std::uint64_t>(wanted.seed);
    return {synthetic_digits(60'000, seed), synthetic_digits(10'000, seed + 1)};
  }
#if __has_include(<zlib.h>)
  return mnist::load(wanted.data, read_file_or_gzip);
#else
  return mnist::load(wanted.data);
#endif
}

template <int Cut, typename Schedule>
void show_schedule() {
  constexpr program_plan_view plan =
      frozen_plan_of<typename training<Cut, Schedule>::compiled, program_kind::train>.view();
  const list<timed_action> timeline =
      asynchronous_timeline(plan.actions, plan.stages(), plan.slots);
  const facts found = facts_of(plan.actions, timeline);
  std::printf("\n%s", timeline_text(plan.actions, timeline, found, Schedule::name,
                                    {.clock = "multiply-adds, modelled"})
                          .c_str());
}

void write_text(const std::string& path, const std::string& text) {
  write_file_atomically(path, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  std::printf("wrote %s\n", path.c_str());
}

/// What the last update really did, as a picture and for a trace viewer.
void draw_last_update(const command_line& wanted, const trace& last) {
  const drawn_timeline drawn = draw_trace(last, "mnist, " + wanted.schedule + ": the last update");
  if (!wanted.svg.empty()) {
    write_text(wanted.svg, timeline_svg(drawn));
  }
  if (!wanted.trace.empty()) {
    write_text(wanted.trace, chrome_trace(drawn));
  }
}

template <int Cut, typename Schedule>
void train(const command_line& wanted) {
  const auto seed = static_cast<std::uint64_t>(wanted.seed);
  const mnist::data digits = load_digits(wanted);
  session<training<Cut, Schedule>> run{
      {.learning_rate = 0.01F, .momentum = 0.9F},
      {.threads = wanted.threads, .seed = seed, .trace = wanted.draws()}};
  std::printf("%s\n", summary_text(graph_of<mlp<Cut>>, "mnist").c_str());
  auto batches = make_feed(digits.train | shuffled(10'000) | repeated(), seed);
  run.fit(batches, {.epochs = wanted.epochs, .steps_per_epoch = wanted.steps},
          [&wanted](const epoch_record& epoch) {
            std::printf("Epoch %d/%d  loss %.4f  accuracy %.4f  %.0f samples/s\n", epoch.epoch + 1,
                        wanted.epochs, epoch.loss, epoch.metrics["accuracy"],
                        static_cast<double>(epoch.samples) / epoch.seconds);
            std::fflush(stdout);
          });
  auto test = make_feed(digits.test, seed);
  const evaluation found = run.evaluate(test);
  std::printf("Test     loss %.4f  accuracy %.4f  on %" PRId64 " digits\n", found.loss,
              found.metrics["accuracy"], found.samples);
  std::printf("weights %016" PRIx64 "\n", run.weights().fingerprint());
  show_schedule<Cut, Schedule>();
  if (wanted.draws()) {
    draw_last_update(wanted, run.last_trace());
  }
}

// [chosen]
void train_chosen(const command_line& wanted) {
  with_variant(schedules, wanted.schedule, [&wanted](auto schedule) {
    with_variant(cuts, wanted.cut - 1, [&wanted](auto cut) {
      train<decltype(cut)::value, typename decltype(schedule)::type>(wanted);
    });
  });
}

// [/chosen]

/// Refused here, before the digits are drawn; empty if nothing is wrong.
std::string multiple_of_four(const std::string& steps) {
  return std::stoll(steps) % 4 == 0 ? "" : "expected a multiple of 4 steps, got " + steps;
}

/// A number beyond 64 bits is refused, not replaced by the largest one.
std::string seed_fits(const std::string& words) {
  std::int64_t seed = -1;
  const auto [end, fault] = std::from_chars(words.data(), words.data() + words.size(), seed);
  const bool fits = fault == std::errc() && end == words.data() + words.size() && seed >= 0;
  return fits ? "" : "expected a whole number from 0 to 2^63 - 1, got " + words;
}

/// Files and folders have names.
std::string no_empty_name(const std::string& name) {
  return name.empty() ? "expected a name, got an empty one" : "";
}

/// What is drawn is written after the training: whether it can be is better said before.
std::string can_be_written(const std::string& name) {
  if (name.empty()) {
    return no_empty_name(name);
  }
  const std::filesystem::path file = name;
  const std::filesystem::path folder = file.parent_path();
  if (std::filesystem::is_directory(file)) {
    return "expected a file, got the folder " + name;
  }
  if (!folder.empty() && !std::filesystem::is_directory(folder)) {
    return "there is no folder " + folder.string();
  }
  return "";
}

void describe_training(CLI::App& options, command_line& wanted) {
  const int most = std::numeric_limits<int>::max();
  options
      .add_option("--data", wanted.data,
                  "folder of the MNIST files, plain or .gz; without it digits are drawn")
      ->type_name("FOLDER")
      ->check(no_empty_name);
  const auto names = variant_names(schedules);
  options.add_option("--schedule", wanted.schedule, "grouped, interleaved or sequential")
      ->check(CLI::IsMember(std::vector<std::string>(names.begin(), names.end())))
      ->type_name("NAME")
      ->capture_default_str();
  options.add_option("--cut", wanted.cut, "layers in the first stage, Flatten included")
      ->check(CLI::Range(1, 5))
      ->capture_default_str();
  options.add_option("--threads", wanted.threads, "workers; with four, each stage has two")
      ->check(CLI::Range(1, worker_pool::most_workers))
      ->capture_default_str();
  options.add_option("--epochs", wanted.epochs, "how often the steps are gone through")
      ->check(CLI::Range(1, most))
      ->capture_default_str();
  options.add_option("--steps", wanted.steps, "micro-batches of 32 an epoch, a multiple of 4")
      ->check(CLI::Range(1, most))
      ->check(multiple_of_four)
      ->capture_default_str();
  options.add_option("--seed", wanted.seed, "of drawn digits, their order and the first weights")
      ->check(seed_fits)
      ->capture_default_str();
}

void describe_pictures(CLI::App& options, command_line& wanted) {
  options.add_option("--svg", wanted.svg, "draws the last update, as it was measured")
      ->type_name("FILE")
      ->check(can_be_written);
  options.add_option("--trace", wanted.trace, "the same as Chrome trace JSON")
      ->type_name("FILE")
      ->check(can_be_written);
}

/// Does what the command line says; returns the exit code.
int follow(int argc, char** argv) {
  command_line wanted;
  CLI::App options("Trains 784-256-128-64-32-10 on handwritten digits in two pipeline stages.");
  describe_training(options, wanted);
  describe_pictures(options, wanted);
  try {
    options.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return options.exit(help);
  }
  if (wanted.draws() && wanted.svg == wanted.trace) {
    throw error("--svg and --trace: expected two files, got " + wanted.svg + " twice");
  }
  if (!architecture_note().empty()) {
    std::printf("%s\n", architecture_note().data());
  }
  train_chosen(wanted);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return example::run("mnist", [&] { return follow(argc, argv); });
}
