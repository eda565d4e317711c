// SPDX-License-Identifier: MIT
// Callbacks of a session that trains, where a session by itself does not say enough.
#include <cstdio>
#include <string>

#include <ipu_dsl/formats/file.hpp>
#include <ipu_dsl/training/callbacks.hpp>
#include <ipu_dsl/training/session.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"
#include "support/labelled_points.hpp"

using namespace ipu_dsl;
using tests::point_set;
using tests::sentence_of;

namespace {

struct line : model<input<8>, sequential<Dense<3>>> {};

template <typename Metrics>
struct training : compile<line, micro_batch<8>, loss<sparse_categorical_crossentropy>, Metrics,
                          optimizer<sgd<>>> {};

using with_a_comma = training<metrics<metric<accuracy, metric_name<"share, top 1">>>>;
using confused = training<metrics<confusion_matrix>>;

}  // namespace

TEST_CASE("a name that would be two columns of a log is refused before the log begins") {
  const point_set data = tests::labelled_points(16, 3);
  const std::string path = "callbacks_names.csv";
  session<with_a_comma> run({.learning_rate = 0.01F});
  CHECK(sentence_of([&] { run.fit(data, {.epochs = 1}, csv_logger({.filename = path})); }) ==
        "csv_logger cannot write share, top 1 as the name of a column. Hint: write "
        "metric_name<\"...\"> without quotes and without the separator.");
  CHECK(!file_exists(path));
  run.fit(data, {.epochs = 1}, csv_logger({.filename = path, .separator = ';'}));
  CHECK(file_exists(path));
  std::remove(path.c_str());
}

TEST_CASE("what is watched is one number, or refused before the first step") {
  const point_set data = tests::labelled_points(16, 3);
  session<confused> run({.learning_rate = 0.01F});
  const std::uint64_t before = run.weights().fingerprint();
  const early_stopping_options options = {.monitor = "confusion_matrix",
                                          .mode = monitor_mode::smaller};
  CHECK(sentence_of([&] { run.fit(data, {.epochs = 2}, early_stopping(options)); }) ==
        "early_stopping looks at confusion_matrix, which has 9 numbers: there is no better or "
        "worse of them.");
  CHECK(run.weights().fingerprint() == before);
}
