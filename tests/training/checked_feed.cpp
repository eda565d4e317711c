// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/training/session_core.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"
#include "support/labelled_points.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

struct net : model<input<8>, pipeline<stage<Dense<8, relu>>, stage<Dense<3>>>> {};

struct trained : compile<net, micro_batch<8>, gradient_accumulation<4>,
                         loss<sparse_categorical_crossentropy>> {};

constexpr std::int64_t samples = 60;

/// What a feed says and does, beside the truth.
struct lie {
  int at = -1;                    ///< the micro-batch of the lie
  std::int32_t returned = 0;      ///< what `next` returns there
  std::int64_t length = samples;  ///< what `length` says
  std::int32_t left_label = 0;    ///< what is left behind a micro-batch's samples
  bool endless = false;
};

/// 60 points in micro-batches, but for one lie.
class lying_feed {
 public:
  lying_feed(const point_set& data, const lie& told)
      : source_(make_feed(data | repeated(told.endless ? 1'000 : 1), 1)), told_(told) {}

  std::int32_t next(const feed_rows& rows) {
    const std::int32_t given = source_.next(rows);
    for (std::int32_t row = given; rows.sources.size() > 1 && row < rows.micro_batch; ++row) {
      rows.sources[1].integers(row)[0] = told_.left_label;
    }
    return micro_batch_++ == told_.at ? told_.returned : given;
  }

  void restart() {
    source_.restart();
    micro_batch_ = 0;
  }

  std::span<const source_form> sources() const { return source_.sources(); }

  std::optional<std::int64_t> length() const {
    return told_.endless ? std::nullopt : std::optional(told_.length);
  }

 private:
  dataset_feed<point_set> source_;
  lie told_;
  int micro_batch_ = 0;
};

enum class asked { fit, whole_epochs, evaluate, predict };

/// What a session says of a lie that it is told.
std::string said(asked what, const lie& told, int threads) {
  const point_set data = labelled_points(samples, 1);
  lying_feed source(data, told);
  session_core core(parts_of<trained::compiled>(), {.threads = threads, .shared_from = 0});
  const trained::compiled::optimizer_type::settings rates{.learning_rate = 0.1F};
  std::vector<float> output(static_cast<std::size_t>(told.length > 0 ? told.length : 0) * 3);
  const std::span<float> room = output;
  return sentence_of([&] {
    switch (what) {
      case asked::fit:
        core.fit({source, {.steps_per_epoch = 12}, optimizer_reference(rates)});
        break;
      case asked::whole_epochs:
        core.fit({source, {}, optimizer_reference(rates)});
        break;
      case asked::evaluate:
        core.evaluate(source, {});
        break;
      case asked::predict:
        core.predict(source, {&room, 1}, {});
        break;
    }
  });
}

/// The same with one worker and with two; they must agree.
std::string said(asked what, const lie& told) {
  const std::string one = said(what, told, 1);
  CHECK(said(what, told, 2) == one);
  return one;
}

}  // namespace

TEST_CASE("a feed cannot say that it gave more than was asked for, or fewer than none") {
  int checked = 0;
  for (const asked what : {asked::fit, asked::evaluate, asked::predict}) {
    for (const int at : {0, 3, 5}) {
      const bool endless = what == asked::fit;
      CHECK(said(what, {.at = at, .returned = 1'000'000, .endless = endless}) ==
            "A feed was asked for a micro-batch of 8 samples and says that it gave 1000000; "
            "expected 0 to 8.");
      CHECK(said(what, {.at = at, .returned = -1, .endless = endless}) ==
            "A feed was asked for a micro-batch of 8 samples and says that it gave -1; expected 0 "
            "to 8.");
      checked += 2;
    }
  }
  CHECK(checked == 18);
  std::printf("checked %d lies\n", checked);
}

TEST_CASE("a micro-batch is short at the end of the data only") {
  CHECK(said(asked::fit, {.at = 2, .returned = 5, .endless = true}) ==
        "The data ran out while training: a micro-batch has 8 samples, got 5. Repeat the data or "
        "ask for fewer steps.");
  for (const asked what : {asked::evaluate, asked::predict}) {
    CHECK(said(what, {.at = 2, .returned = 5}) ==
          "A feed has 60 samples by its length(); behind the first 16 it gave 5 instead of 8. Only "
          "its last micro-batch may be short.");
    CHECK(said(what, {.at = 2, .returned = 0}) ==
          "A feed has 60 samples by its length(); behind the first 16 it gave 0 instead of 8. Only "
          "its last micro-batch may be short.");
  }
}

TEST_CASE("a feed has as many samples as it says") {
  for (const asked what : {asked::evaluate, asked::predict}) {
    CHECK(said(what, {}).empty());
    CHECK(said(what, {.length = 10}) ==
          "A feed has 10 samples by its length(); behind the first 8 it gave 8 instead of 2. Only "
          "its last micro-batch may be short.");
    CHECK(said(what, {.length = 100}) ==
          "A feed has 100 samples by its length(); behind the first 56 it gave 4 instead of 8. "
          "Only its last micro-batch may be short.");
    CHECK(said(what, {.length = -7}) == "A feed has 0 samples or more, its length() is -7.");
  }
  CHECK(said(asked::fit, {.length = -7}) == "A feed has 0 samples or more, its length() is -7.");
}

TEST_CASE("a feed that gives more samples than it says is refused, however many there should be") {
  for (const asked what : {asked::evaluate, asked::predict}) {
    CHECK(said(what, {.length = 56}) ==
          "A feed has 56 samples by its length(); behind the first 56 it gave 4 instead of 0. Only "
          "its last micro-batch may be short.");
    CHECK(said(what, {.length = 32}) ==
          "A feed has 32 samples by its length(), and gives more behind them. Its length() counts "
          "the samples of a pass.");
  }
  CHECK(said(asked::whole_epochs, {.length = 32}) ==
        "A feed has 32 samples by its length(), and gives more behind them. Its length() counts "
        "the samples of a pass.");
}

TEST_CASE("labels behind the samples are zero, as is said of those that are not") {
  CHECK(said(asked::evaluate, {.left_label = 2}).empty());
  CHECK(said(asked::evaluate, {.left_label = -1}) ==
        "A feed left the label -1 behind the 4 samples of a micro-batch; expected 0.");
}

TEST_CASE("a session goes on after a lie") {
  const point_set data = labelled_points(samples, 1);
  session<trained> run({.learning_rate = 0.1F}, {.threads = 2, .shared_from = 0});
  const std::uint64_t weights = run.weights().fingerprint();
  const double before = run.evaluate(data).loss;
  for (int at = 0; at < 8; ++at) {
    lying_feed source(data, {.at = at, .returned = 9});
    CHECK_THROWS_AS(run.evaluate(source), error);
    CHECK(run.evaluate(data).loss == before);
  }
  CHECK(run.weights().fingerprint() == weights);
}
