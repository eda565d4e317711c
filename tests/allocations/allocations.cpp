// SPDX-License-Identifier: MIT
// Nothing is allocated while a constructed session works.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/data/class_weights.hpp>
#include <ipu_dsl/data/concatenated.hpp>
#include <ipu_dsl/data/digits.hpp>
#include <ipu_dsl/data/mapped.hpp>
#include <ipu_dsl/data/picked.hpp>
#include <ipu_dsl/data/windowed.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/queues/infeed_queue.hpp>
#include <ipu_dsl/training/callbacks.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/training/training_outfeed.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"
#include "support/counted_allocations.hpp"

using namespace ipu_dsl;

namespace {

struct network : model<input<28, 28>, pipeline<stage<Flatten, Dense<32, relu>>,
                                               stage<residual<Dense<32, swish>>, Dense<10>>>> {};

struct training
    : compile<network, micro_batch<16>, gradient_accumulation<4>, grouped,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

/// Two stages a device, backwards whole and in halves.
struct deep_network
    : model<input<28, 28>, pipeline<stage<Flatten, Dense<32, relu>>, stage<Dense<32, relu>>,
                                    stage<Dense<32, relu>>, stage<Dense<10>>>> {};

struct deep_training
    : compile<deep_network, micro_batch<16>, gradient_accumulation<4>, dualpipe_v,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

struct penalised_network
    : model<input<28, 28>,
            pipeline<stage<Flatten, Dense<32, relu, kernel_regularizer<l1_l2<>>>>,
                     stage<Dense<10, bias_regularizer<l2<>>, kernel_constraint<max_norm<>>>>>> {};

/// Updates by calls of their own, which need sums first, with penalties on weights and a
/// constraint.
struct normed_training : compile<penalised_network, micro_batch<16>, gradient_accumulation<4>,
                                 grouped, loss<sparse_categorical_crossentropy>,
                                 optimizer<lamb, clipnorm<1.0F>, moving_average<0.99F>>> {};

struct weighted_training
    : compile<network, micro_batch<16>, gradient_accumulation<4>, grouped,
              loss<sparse_categorical_crossentropy, sample_weights>,
              metrics<metric<accuracy, sample_weights>, confusion_matrix, per_class<recall>>,
              optimizer<sgd<momentum>>> {};

/// All that an update, a loss and a metric can be told.
struct full_training
    : compile<network, micro_batch<16>, gradient_accumulation<4>, grouped,
              loss<sparse_categorical_crossentropy, sample_weights>,
              metrics<metric<accuracy, sample_weights>, sparse_top_k_categorical_accuracy<3>,
                      mean_of_output>,
              optimizer<adam, clipvalue<0.5F>, weight_decay<0.01F>, moving_average<0.99F>>> {};

constexpr std::size_t step_samples = 64;

/// How many allocations a piece of work makes.
template <typename Work>
std::int64_t count_allocations(Work work) {
  const std::int64_t before = tests::allocations.load();
  work();
  return tests::allocations.load() - before;
}

bool counting() {
  if (!IPU_DSL_COUNTS_ALLOCATIONS) {
    std::printf("Skipped: allocations are counted with glibc and without a sanitizer only.\n");
  }
  return IPU_DSL_COUNTS_ALLOCATIONS != 0;
}

/// A feed that allocates once in each micro-batch, as a careless user's might.
template <feed Feed>
struct allocating_feed {
  Feed source;
  std::vector<float> memory = {};

  std::int32_t next(const feed_rows& rows) {
    std::vector<float> fresh(8);
    memory.swap(fresh);
    return source.next(rows);
  }

  void restart() { source.restart(); }

  std::span<const source_form> sources() const { return source.sources(); }

  std::optional<std::int64_t> length() const { return source.length(); }
};

struct samples {
  std::vector<float> features;
  std::vector<std::int32_t> labels;
};

samples first_samples(const digit_dataset& digits) {
  samples made{std::vector<float>(step_samples * 784), std::vector<std::int32_t>(step_samples)};
  for (std::uint32_t i = 0; i < step_samples; ++i) {
    digits.gather(i, made.features.data() + i * std::size_t{784});
    made.labels[i] = digits.label(i);
  }
  return made;
}

/// Returns how many calls were watched.
template <compiled_model C>
int check_session(const typename session<C>::settings& settings) {
  const digit_dataset digits = synthetic_digits(300, 4);
  const samples given = first_samples(digits);
  std::vector<float> output(step_samples * 10);
  int checked = 0;
  for (int threads = 1; threads <= 2; ++threads) {
    session<C> run(settings, {.threads = threads, .shared_from = 0});
    auto endless = make_feed(digits | shuffled(100) | repeated(), 1);
    auto test = make_feed(digits, 1);
    INFO(C::schedule_type::name << ", " << threads << " threads");
    CHECK(count_allocations([&] { run.train_step(given.features, given.labels); }) == 0);
    CHECK(count_allocations([&] { run.fit(endless, {.epochs = 3, .steps_per_epoch = 40}); }) == 0);
    CHECK(count_allocations([&] { run.evaluate(test); }) == 0);
    CHECK(count_allocations([&] { run.predict(given.features, output); }) == 0);
    // And once more, when everything has run.
    CHECK(count_allocations([&] { run.train_step(given.features, given.labels); }) == 0);
    checked += 5;
  }
  return checked;
}

/// What a callback heard.
struct heard_records {
  int executions = 0;
  int epochs = 0;
  int metrics = 0;
  std::int64_t validated = 0;
};

struct listening {
  heard_records* heard;

  void on_train_batch_end(const execution_record& record) const {
    ++heard->executions;
    heard->metrics += record.metrics["accuracy"] >= 0 ? 0 : 1;
  }

  void on_test_end(const evaluation& found) const { heard->validated += found.samples; }

  void on_epoch_end(const epoch_record& record) const {
    ++heard->epochs;
    for (const std::string_view name : record.metrics.names()) {
      heard->metrics += record.metrics[name] >= -1000 ? 1 : 0;
    }
  }
};

}  // namespace

TEST_CASE("every allocation function is counted") {
  if (!counting()) {
    return;
  }
  // Through volatile pointers, so that no compiler leaves out the pairs.
  void* (*volatile allocate)(std::size_t) = std::malloc;
  void* (*volatile allocate_zeroed)(std::size_t, std::size_t) = std::calloc;
  void* (*volatile resize)(void*, std::size_t) = std::realloc;
  void* (*volatile allocate_aligned)(std::size_t, std::size_t) = std::aligned_alloc;
  int (*volatile allocate_posix)(void**, std::size_t, std::size_t) = posix_memalign;
  CHECK(count_allocations([&] { std::free(allocate(8)); }) == 1);
  CHECK(count_allocations([&] { std::free(allocate_zeroed(8, 8)); }) == 1);
  CHECK(count_allocations([&] { std::free(resize(nullptr, 8)); }) == 1);
  CHECK(count_allocations([&] { std::free(allocate_aligned(64, 64)); }) == 1);
  CHECK(count_allocations([&] {
          void* memory = nullptr;
          if (allocate_posix(&memory, 64, 64) == 0) {
            std::free(memory);
          }
        }) == 1);
}

TEST_CASE("a session allocates nothing after its construction") {
  if (!counting()) {
    return;
  }
  int checked = check_session<training>({.learning_rate = 0.01F, .momentum = 0.9F});
  checked += check_session<deep_training>({.learning_rate = 0.01F, .momentum = 0.9F});
  checked += check_session<normed_training>({.learning_rate = 0.01F});
  CHECK(checked == 30);
  std::printf("allocations: checked %d calls, none allocated\n", checked);
}

TEST_CASE("a session whose samples are weighed allocates nothing after its construction") {
  if (!counting()) {
    return;
  }
  const digit_dataset digits = synthetic_digits(300, 4);
  const auto weighted = digits | class_weighted({1, 0, 2, 1, 1, 0.5F, 1, 1, 3, 1});
  const samples given = first_samples(digits);
  const std::vector<float> weights(step_samples, 0.5F);
  session<weighted_training> run({}, {.threads = 2, .shared_from = 0});
  auto endless = make_feed(weighted | shuffled(100) | repeated(), 1);
  auto test = make_feed(weighted, 1);
  CHECK(count_allocations([&] { run.fit(endless, {.epochs = 3, .steps_per_epoch = 40}); }) == 0);
  // An evaluation has the numbers of a confusion matrix in memory of its own.
  CHECK(count_allocations([&] { run.evaluate(test); }) == 1);
  CHECK(count_allocations([&] { run.train_step(given.features, given.labels, weights); }) == 0);
  // The same of data that are made of others while they are read.
  const auto every_second = [](std::span<const float>, std::span<const std::int32_t> kind) {
    return kind[0] % 2 == 0;
  };
  const auto darken = [](std::span<float> image) { image[0] = 1; };
  auto made = make_feed(concatenated(digits, digits) | filtered(every_second) | windowed<1>() |
                            mapped(darken) | shuffled(100) |
                            class_weighted({1, 0, 2, 1, 1, 0.5F, 1, 1, 3, 1}) | repeated(),
                        1);
  CHECK(count_allocations([&] { run.fit(made, {.epochs = 3, .steps_per_epoch = 40}); }) == 0);
}

TEST_CASE("a session of which everything is asked allocates nothing after its construction") {
  if (!counting()) {
    return;
  }
  const learning_rate_schedule rate = warm_up{
      .warmup_steps = 4,
      .schedule = cosine_decay_restarts{.initial_learning_rate = 0.01F, .first_decay_steps = 5}};
  const digit_dataset digits = synthetic_digits(300, 4);
  const auto weighted = digits | class_weighted({1, 0, 2, 1, 1, 0.5F, 1, 1, 3, 1});
  int checked = 0;
  for (int threads = 1; threads <= 2; ++threads) {
    session<full_training> run({.learning_rate = rate, .beta_1 = 0.8F},
                               {.threads = threads, .shared_from = 0});
    auto endless = make_feed(weighted | shuffled(100) | repeated(), 1);
    auto test = make_feed(weighted, 1);
    heard_records heard;
    CHECK(count_allocations([&] {
            run.fit(endless, {.epochs = 3, .steps_per_epoch = 40, .steps_per_execution = 8},
                    listening{&heard}, validation_data(test));
          }) == 0);
    CHECK(heard.validated == 3 * 300);
    CHECK(heard.epochs == 3);
    CHECK(heard.executions == 15);
    CHECK(heard.metrics == 3 * 3);
    // With the averages as with the weights.
    CHECK(count_allocations([&] {
            const auto averaged = run.averaged_weights();
            run.evaluate(test);
          }) == 0);
    checked += 2;
  }
  CHECK(checked == 4);
  std::printf("allocations: checked %d calls of a session with everything on\n", checked);
}

TEST_CASE("ready callbacks take no memory within an epoch, and logs none at its end") {
  if (!counting()) {
    return;
  }
  const digit_dataset digits = synthetic_digits(300, 4);
  session<training> run({}, {.threads = 2, .shared_from = 0});
  auto endless = make_feed(digits | shuffled(100) | repeated(), 1);
  auto test = make_feed(digits, 1);

  /// Counts from the end of on_train_begin to that of the last epoch; it has to stand last.
  struct counter {
    std::int64_t* begun;
    std::int64_t* ended;

    void on_train_begin() const { *begun = tests::allocations.load(); }

    void on_epoch_end() const { *ended = tests::allocations.load(); }
  };

  std::int64_t begun = 0;
  std::int64_t ended = -1;
  std::FILE* const nowhere = std::fopen("/dev/null", "w");
  REQUIRE(nowhere != nullptr);
  // Its own buffer the C library takes when it writes first.
  std::setvbuf(nowhere, nullptr, _IONBF, 0);
  run.fit(endless, {.epochs = 3, .steps_per_epoch = 40, .steps_per_execution = 8},
          validation_data(test), csv_logger({.filename = "/dev/null"}),
          json_lines({.filename = "/dev/null"}), terminate_on_nan(),
          early_stopping({.patience = 9, .restore_best_weights = true}), reduce_lr_on_plateau(),
          progress_bar({.verbose = verbosity::bar, .file = nowhere, .interval = 0}),
          counter{&begun, &ended});
  std::fclose(nowhere);
  CHECK(ended == begun);
}

TEST_CASE("a fit beyond the reserve takes memory between epochs only, and seldom") {
  if (!counting()) {
    return;
  }
  const digit_dataset digits = synthetic_digits(300, 4);
  session<training> run({}, {.history_epochs = 1, .history_micro_batches = 8});
  auto endless = make_feed(digits | repeated(), 1);
  std::int64_t at_begin = tests::allocations.load();
  int executions = 0;
  std::int64_t between = 0;

  struct listener {
    std::int64_t* last;
    std::int64_t* between;
    int* executions;

    /// From one execution of an epoch to the next nothing is allocated.
    void on_train_batch_end(const execution_record& record) const {
      const std::int64_t now = tests::allocations.load();
      const bool first = record.steps == 4;
      CHECK((first || now == *last));
      *between += first ? now - *last : 0;
      *last = tests::allocations.load();
      ++*executions;
    }

    void on_epoch_end() const { *last = tests::allocations.load(); }
  };

  run.fit(endless, {.epochs = 64, .steps_per_epoch = 8, .steps_per_execution = 4},
          listener{&at_begin, &between, &executions});
  CHECK(executions == 128);
  // 512 losses from 8 on, 64 epochs from 1 on: 6 doublings each.
  CHECK(between > 0);
  CHECK(between <= 12);
}

TEST_CASE("an allocation in a feed is counted, on whichever thread it happens") {
  if (!counting()) {
    return;
  }
  const digit_dataset digits = synthetic_digits(300, 4);
  for (int threads = 1; threads <= 2; ++threads) {
    session<training> run({}, {.threads = threads, .shared_from = 0});
    allocating_feed planted{make_feed(digits | repeated(), 1)};
    CHECK(count_allocations([&] { run.fit(planted, {.steps_per_epoch = 40}); }) == 40);
  }
}

namespace {

/// Bytes beside floats, and a number that is given from run to run.
struct told_network {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor image = build.input("image", {28, 28}, dtype::uint8);
    const symbolic_tensor gain = build.value("gain", 1.0F);
    const symbolic_tensor grey = build.layer<Rescaling<1.0F / 255>>("", image);
    const symbolic_tensor flat =
        build.layer<Flatten>("", build.layer<ScaleByValue>("", grey, gain));
    build.stage(1);
    return build.layer<Dense<10>>("logits", flat);
  }
};

struct told_training : compile<told_network, micro_batch<16>, gradient_accumulation<4>, grouped,
                               loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

}  // namespace

TEST_CASE("a session of bytes that is told numbers allocates nothing after its construction") {
  if (!counting()) {
    return;
  }
  const digit_dataset digits = synthetic_digits(300, 4);
  const auto images = as_bytes(digits);
  const std::vector<std::uint8_t> bytes(digits.features().begin(),
                                        digits.features().begin() + step_samples * 784);
  const samples given = first_samples(digits);
  std::vector<float> output(step_samples * 10);
  session<told_training> run({.learning_rate = 0.01F}, {.threads = 2, .shared_from = 0});
  auto endless = make_feed(images | shuffled(100) | repeated(), 1);
  auto test = make_feed(images, 1);
  int checked = 0;
  for (const float gain : {1.0F, 0.5F}) {
    CHECK(count_allocations([&] { run.set<"gain">(gain); }) == 0);
    CHECK(count_allocations([&] { run.train_step(bytes, given.labels); }) == 0);
    CHECK(count_allocations([&] { run.fit(endless, {.epochs = 2, .steps_per_epoch = 40}); }) == 0);
    CHECK(count_allocations([&] { run.evaluate(test); }) == 0);
    CHECK(count_allocations([&] { run.predict(bytes, output); }) == 0);
    checked += 5;
  }
  CHECK(checked == 10);
}

TEST_CASE("a fit between an infeed and an outfeed takes no memory, nor does the infeed's thread") {
  if (!counting()) {
    return;
  }
  const digit_dataset digits = synthetic_digits(300, 4);
  int checked = 0;
  for (int threads = 1; threads <= 2; ++threads) {
    session<training> run({.learning_rate = 0.01F}, {.threads = threads, .shared_from = 0});
    auto source = make_feed(digits | shuffled(100) | repeated(), 1);
    infeed_queue infeed(source, {.micro_batch = 16});
    loss_outfeed losses(run, {.depth = 240});
    CHECK(count_allocations([&] { run.fit(infeed, {.epochs = 3, .steps_per_epoch = 40}); }) == 0);
    CHECK(count_allocations([&] { run.fit(infeed, {.epochs = 3, .steps_per_epoch = 40}); }) == 0);
    CHECK(losses.dequeue().count() == 240);
    ++checked;
  }
  CHECK(checked == 2);
}
