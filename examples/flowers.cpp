// SPDX-License-Identifier: MIT
// A classifier from a CSV file: which of three flowers it is, from four lengths. The file is drawn
// here; another of the same columns is given as an argument.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/data/csv.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

#include "example.hpp"

using namespace ipu_dsl;

namespace {

// [model]
struct classifier : model<input<4>, sequential<Dense<16, relu>, Dense<3>>> {};

struct training : compile<classifier, micro_batch<10>, loss<sparse_categorical_crossentropy>,
                          metrics<accuracy>, optimizer<adam>> {};

static_assert(check<training>());

// [/model]

/// A line for each flower: three kinds, of which two are hard to tell apart.
std::string draw_flowers(std::int32_t flowers) {
  constexpr const char* names[] = {"setosa", "versicolor", "virginica"};
  constexpr float lengths[3][4] = {
      {5.0F, 3.4F, 1.5F, 0.2F}, {5.9F, 2.8F, 4.3F, 1.3F}, {6.6F, 3.0F, 5.5F, 2.0F}};
  std::string text = "sepal length,sepal width,petal length,petal width,species\n";
  for (std::int32_t flower = 0; flower < flowers; ++flower) {
    const std::int32_t kind = flower % 3;
    for (std::uint64_t i = 0; i < 4; ++i) {
      const float noise = uniform_unit(random_word(1, static_cast<std::uint64_t>(flower), i));
      char cell[16];
      std::snprintf(cell, sizeof(cell), "%.1f,",
                    static_cast<double>(lengths[kind][i] * (0.85F + 0.3F * noise)));
      text += cell;
    }
    text += std::string("\"") + names[kind] + "\"\n";
  }
  return text;
}

int train_and_predict(const std::string& path) {
  // [table]
  const csv_table table = read_csv(path);
  const auto flowers =
      zipped(table.features({"sepal length", "sepal width", "petal length", "petal width"}),
             table.labels<3>("species"));
  // [/table]
  std::printf("%d flowers: %s, %s, %s\n", static_cast<int>(table.rows()),
              table.classes("species")[0].c_str(), table.classes("species")[1].c_str(),
              table.classes("species")[2].c_str());

  // [train]
  // Lengths in centimetres become numbers around 0; every fifth flower of a shuffled file is kept
  // to test with.
  const auto scaled = flowers | mapped([](std::span<float, 4> lengths) {
                        for (float& each : lengths) {
                          each = (each - 3.5F) / 2;
                        }
                      });
  const auto order = scaled | shuffled(table.rows());
  const std::int64_t kept = table.rows() / 5;
  const auto known = order | skip(kept) | fixed_order(1);
  const auto unseen = order | take(kept) | fixed_order(1) | cached();

  session<training> run{{.learning_rate = 0.01F}};
  run.fit(known | shuffled(known.size()), {.epochs = 20});
  const evaluation found = run.evaluate(unseen);
  // [/train]
  std::printf("accuracy %.3f on %d unseen flowers\n", found.metrics["accuracy"],
              static_cast<int>(found.samples));
  return found.metrics["accuracy"] > 0.85 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  return example::run("flowers", [&] {
    if (count > 1) {
      return train_and_predict(arguments[1]);
    }
    const std::string drawn = draw_flowers(600);
    write_file_atomically("flowers.csv", std::vector<std::uint8_t>(drawn.begin(), drawn.end()));
    const int result = train_and_predict("flowers.csv");
    std::remove("flowers.csv");
    return result;
  });
}
