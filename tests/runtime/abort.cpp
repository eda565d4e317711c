// SPDX-License-Identifier: MIT
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <vector>

#include <ipu_dsl/data/prefetched.hpp>
#include <ipu_dsl/queues/infeed_queue.hpp>

#include "runtime/loaded_model.hpp"
#include "runtime/pipelines.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

/// What the feed below throws: no `error`, and not even anything that the library knows.
struct broken_feed {
  int micro_batch = 0;
};

/// Points in order without end, until it breaks at a micro-batch.
class breaking_feed {
 public:
  breaking_feed(const point_set& data, int breaks_at)
      : source_(make_feed(data | repeated(), 1)), breaks_at_(breaks_at) {}

  std::int32_t next(const feed_rows& rows) {
    if (given_ == breaks_at_) {
      throw broken_feed{given_};
    }
    ++given_;
    return source_.next(rows);
  }

  void restart() { source_.restart(); }

  std::span<const source_form> sources() const { return source_.sources(); }

  std::optional<std::int64_t> length() const { return source_.length(); }

 private:
  dataset_feed<point_set> source_;
  int breaks_at_;
  int given_ = 0;
};

constexpr int never = -1;
constexpr int micro_batches = 12;
constexpr sgd<momentum>::settings rates{.learning_rate = 0.05F, .momentum = 0.9F};

/// Training on `first` breaks at a micro-batch; what comes after is as if the complete updates
/// before it had been all. Returns how many losses were compared.
template <compiled_model C>
int check_break(const point_set& first, const point_set& second, int threads, int breaks_at) {
  session<C> unbroken(rates);
  if (breaks_at >= micro_batches) {
    breaking_feed whole(first, never);
    unbroken.fit(whole, {.steps_per_epoch = breaks_at / micro_batches * micro_batches});
  }
  session<C> broken(rates, {.threads = threads, .shared_from = 0});
  breaking_feed source(first, breaks_at);
  int caught = never;
  try {
    broken.fit(source, two_updates);
  } catch (const broken_feed& thrown) {
    caught = thrown.micro_batch;
  }
  CHECK(caught == breaks_at);
  CHECK(broken.weights().fingerprint() == unbroken.weights().fingerprint());
  CHECK(broken.evaluate(second).loss == unbroken.evaluate(second).loss);

  const auto expected = unbroken.fit(second | repeated(), two_updates).losses();
  const auto losses = broken.fit(second | repeated(), two_updates).losses();
  CHECK(std::vector<float>(losses.begin(), losses.end()) ==
        std::vector<float>(expected.begin(), expected.end()));
  CHECK(broken.weights().fingerprint() == unbroken.weights().fingerprint());
  return static_cast<int>(losses.size());
}

template <compiled_model C>
int check_breaks() {
  const point_set first = labelled_points(96, 1);
  const point_set second = labelled_points(96, 2);
  int compared = 0;
  for (const int threads : {1, 2, 4, 6}) {
    for (int breaks_at = 0; breaks_at < 2 * micro_batches; ++breaks_at) {
      INFO(threads << " threads, breaks at micro-batch " << breaks_at);
      compared += check_break<C>(first, second, threads, breaks_at);
    }
  }
  return compared;
}

}  // namespace

TEST_CASE("a feed that throws ends the run, and the session goes on as if it had not begun") {
  int compared = check_breaks<trained<two_stages, grouped>>();
  compared += check_breaks<trained<two_stages, interleaved>>();
  compared += check_breaks<trained<two_stages, sequential_schedule>>();
  CHECK(compared == 3 * 4 * 24 * 24);
  std::printf("abort: checked %d losses\n", compared);
}

TEST_CASE("a feed may break again and again") {
  const point_set data = labelled_points(96, 1);
  session<trained<two_stages, grouped>> run(rates, {.threads = 2, .shared_from = 0});
  const std::uint64_t before = run.weights().fingerprint();
  int broken = 0;
  for (int i = 0; i < 200; ++i) {
    breaking_feed source(data, i % micro_batches);
    try {
      run.fit(source, two_updates);
    } catch (const broken_feed&) {
      ++broken;
    }
  }
  CHECK(broken == 200);
  CHECK(run.weights().fingerprint() == before);
}

TEST_CASE("evaluation ends with the feed's exception as well") {
  const point_set data = labelled_points(96, 1);
  session<trained<two_stages, interleaved>> run(rates, {.threads = 2, .shared_from = 0});
  const double expected = run.evaluate(data).loss;
  int broken = 0;
  for (int breaks_at = 0; breaks_at < 24; ++breaks_at) {
    /// As long as the data are.
    struct finite_feed : breaking_feed {
      using breaking_feed::breaking_feed;

      std::optional<std::int64_t> length() const { return 96; }
    };

    finite_feed source(data, breaks_at);
    CHECK_THROWS_AS(run.evaluate(source), broken_feed);
    CHECK(run.evaluate(data).loss == expected);
    ++broken;
  }
  CHECK(broken == 24);
}

TEST_CASE("a callback that throws leaves a session that is trained so far") {
  const point_set data = labelled_points(96, 1);
  session<trained<two_stages, grouped>> run(rates, {.threads = 2, .shared_from = 0});
  session<trained<two_stages, grouped>> expected(rates);
  expected.fit(data | repeated(), {.epochs = 1, .steps_per_epoch = 24});
  CHECK_THROWS_AS(run.fit(data | repeated(), {.epochs = 3, .steps_per_epoch = 24},
                          [](const epoch_record& record) { throw broken_feed{record.epoch}; }),
                  broken_feed);
  CHECK(run.weights().fingerprint() == expected.weights().fingerprint());
}

namespace {

/// Points until so many micro-batches have been given, and then nothing until it is told to stop.
class stalling_feed {
 public:
  stalling_feed(const point_set& data, int gives)
      : source_(make_feed(data | repeated(), 1)), left_(gives) {}

  std::int32_t next(const feed_rows& rows, const stop_token& stop) {
    if (left_ > 0) {
      --left_;
      return source_.next(rows);
    }
    std::uint32_t before = woken_.load();
    while (!stop.requested()) {
      woken_.wait(before);
      before = woken_.load();
    }
    return 0;
  }

  void wake() noexcept {
    woken_.fetch_add(1);
    woken_.notify_all();
  }

  void restart() { source_.restart(); }

  std::span<const source_form> sources() const { return source_.sources(); }

  std::optional<std::int64_t> length() const { return source_.length(); }

 private:
  dataset_feed<point_set> source_;
  int left_;
  std::atomic<std::uint32_t> woken_{0};
};

/// What a kernel that is out of order throws; those of the library throw nothing.
struct broken_kernel : std::runtime_error {
  broken_kernel() : std::runtime_error("broken kernel") {}
};

/// Trains with a first stage that waits for its feed while the last one breaks at the loss.
/// Returns whether the run ended with what broke.
template <compiled_model C>
bool ends_while_feed_waits(feed_reference source) {
  const session_parts parts = parts_of<typename C::compiled>();
  list<kernel_code> functions;
  functions.append(parts.train.functions());
  for (std::size_t i = 0; i < parts.train.plan.calls.size(); ++i) {
    if (parts.train.plan.calls[i].stage == C::stages - 1) {
      functions[parts.train.plan.code_of_call[i]].run = [](const run_context&, void* const*,
                                                           const float*) { throw broken_kernel(); };
    }
  }
  const region_set memory(std::vector<program_plan_view>{parts.train.plan});
  worker_pool workers(2);
  executor train(parts.train.plan, functions, memory, workers);
  std::array<std::int32_t, micro_batches> valid{};
  run_context context;
  context.training = true;
  context.feed = &source;
  context.valid = valid.data();
  try {
    train.run(context);
  } catch (const broken_kernel&) {
    return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a run that fails elsewhere sends away who waits for a feed, or behind a queue") {
  using planned = trained<two_stages, grouped>;
  const point_set data = labelled_points(96, 1);
  int ended = 0;
  for (int i = 0; i < 40; ++i) {
    stalling_feed direct(data, 1 + i % 2);
    ended += ends_while_feed_waits<planned>(direct) ? 1 : 0;
    stalling_feed behind(data, 1 + i % 2);
    infeed_queue infeed(behind, {.micro_batch = planned::compiled::settings.micro_batch});
    ended += ends_while_feed_waits<planned>(infeed) ? 1 : 0;
    stalling_feed far(data, 1 + i % 2);
    auto ahead = prefetched(far);
    ended += ends_while_feed_waits<planned>(ahead) ? 1 : 0;
  }
  CHECK(ended == 120);
}

TEST_CASE("what a feed throws on the thread of an infeed ends the run as if it had none") {
  using planned = trained<two_stages, grouped>;
  const point_set data = labelled_points(96, 1);
  int compared = 0;
  for (const int threads : {1, 2}) {
    for (int breaks_at = 0; breaks_at < 2 * micro_batches; breaks_at += 5) {
      session<planned> direct(rates, {.threads = threads, .shared_from = 0});
      breaking_feed source(data, breaks_at);
      CHECK_THROWS_AS(direct.fit(source, two_updates), broken_feed);
      session<planned> run(rates, {.threads = threads, .shared_from = 0});
      breaking_feed behind(data, breaks_at);
      infeed_queue infeed(behind, {.micro_batch = planned::compiled::settings.micro_batch});
      CHECK_THROWS_AS(run.fit(infeed, two_updates), broken_feed);
      CHECK(run.weights().fingerprint() == direct.weights().fingerprint());
      session<planned> ahead(rates, {.threads = threads, .shared_from = 0});
      CHECK_THROWS_AS(ahead.fit(prefetched(breaking_feed(data, breaks_at)), two_updates),
                      broken_feed);
      CHECK(ahead.weights().fingerprint() == direct.weights().fingerprint());
      ++compared;
    }
  }
  CHECK(compared == 2 * 5);
}

TEST_CASE("an infeed changes no bit, and goes on where the last fit ended") {
  using planned = trained<two_stages, grouped>;
  const point_set data = labelled_points(96, 1);
  session<planned> direct(rates);
  auto source = make_feed(data | shuffled(50) | repeated(), 3);
  direct.fit(source, two_updates);
  direct.fit(source, two_updates);
  session<planned> run(rates, {.threads = 2, .shared_from = 0});
  auto behind = make_feed(data | shuffled(50) | repeated(), 3);
  infeed_queue infeed(behind, {.micro_batch = planned::compiled::settings.micro_batch});
  run.fit(infeed, two_updates);
  const auto losses = run.fit(infeed, two_updates).losses();
  CHECK(losses.size() == 2 * micro_batches);
  CHECK(run.weights().fingerprint() == direct.weights().fingerprint());
}

TEST_CASE("an infeed begins the data anew for every pass of fit, in the order of that pass") {
  using planned = trained<two_stages, grouped>;
  const point_set data = labelled_points(96, 1);
  session<planned> direct(rates);
  auto source = make_feed(data | shuffled(50), 3);
  direct.fit(source, {.epochs = 3});
  session<planned> run(rates, {.threads = 2, .shared_from = 0});
  auto behind = make_feed(data | shuffled(50), 3);
  infeed_queue infeed(behind, {.micro_batch = planned::compiled::settings.micro_batch});
  CHECK(run.fit(infeed, {.epochs = 3}).losses().size() == 72);
  CHECK(run.weights().fingerprint() == direct.weights().fingerprint());
  session<planned> ahead(rates, {.threads = 2, .shared_from = 0});
  ahead.fit(prefetched(data | shuffled(50), 3), {.epochs = 3},
            validation_data(prefetched(data, 1)));
  CHECK(ahead.weights().fingerprint() == direct.weights().fingerprint());
}
