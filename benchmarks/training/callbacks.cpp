// SPDX-License-Identifier: MIT
// How much longer an epoch takes with callbacks, a progress bar and a table than without.
#include <algorithm>
#include <cstdint>
#include <cstdio>

#include <benchmark/benchmark.h>

#include <ipu_dsl/data/digits.hpp>
#include <ipu_dsl/training/callbacks.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

namespace {

using namespace ipu_dsl;

struct mlp : model<input<28, 28>, pipeline<stage<Flatten, Dense<256, relu>>,
                                           stage<Dense<128, relu>, Dense<64, relu>, Dense<32, relu>,
                                                 named<"logits", Dense<10>>>>> {};

struct training
    : compile<mlp, micro_batch<32>, gradient_accumulation<4>, grouped,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

/// An epoch of 25 updates, five of them an execution.
constexpr fit_options one_epoch{.steps_per_epoch = 100, .steps_per_execution = 20};

/// Hears of everything.
struct listener {
  std::int64_t* heard;

  void on_train_batch_begin(const execution_record&) const { ++*heard; }

  void on_train_batch_end(const execution_record&) const { ++*heard; }

  void on_update_end(const execution_record&) const { ++*heard; }
};

struct samples_of_epoch {
  digit_dataset digits = synthetic_digits(4'000, 1);
  session<training> run{{.learning_rate = 0.01F, .momentum = 0.9F}};
  dataset_feed<digit_dataset> source = make_feed(digits | shuffled(4'000) | repeated(), 1);
};

void epoch_with_callbacks(benchmark::State& state) {
  samples_of_epoch plain;
  samples_of_epoch watched;
  std::FILE* const nowhere = std::fopen("/dev/null", "w");
  std::int64_t heard = 0;
  double without = 1e9;
  double with = 1e9;
  for (auto _ : state) {
    const std::int64_t begun = steady_nanoseconds();
    plain.run.fit(plain.source, one_epoch);
    const std::int64_t between = steady_nanoseconds();
    watched.run.fit(watched.source, one_epoch, listener{&heard}, terminate_on_nan(),
                    csv_logger({.filename = "/dev/null"}),
                    progress_bar({.verbose = verbosity::bar, .file = nowhere}));
    const std::int64_t ended = steady_nanoseconds();
    without = (std::min)(without, static_cast<double>(between - begun) * 1e-9);
    with = (std::min)(with, static_cast<double>(ended - between) * 1e-9);
  }
  std::fclose(nowhere);
  state.counters["without_ms"] = without * 1e3;
  state.counters["with_ms"] = with * 1e3;
  state.counters["longer_percent"] = (with / without - 1) * 100;
  state.counters["calls"] = static_cast<double>(heard) / static_cast<double>(state.iterations());
}

BENCHMARK(epoch_with_callbacks)->Iterations(400)->Unit(benchmark::kMillisecond);

}  // namespace
