// SPDX-License-Identifier: MIT
// LeNet-5 learns digits from their bytes; with a folder of MNIST's files as its argument from
// those, otherwise from digits that it draws. It says of which digits the confused ones were.
#include "models/lenet.hpp"

#include <cstddef>
#include <cstdio>
#include <span>
#include <utility>

#include <ipu_dsl/ipu_dsl.hpp>
#if __has_include(<zlib.h>)
#include <ipu_dsl/formats/gzip.hpp>
#endif

#include "example.hpp"

using namespace ipu_dsl;

namespace {

// [training]
// The model stands in a header of its own; here is how it learns.
struct training : compile<models::lenet, micro_batch<40>, gradient_accumulation<2>, mean_gradients,
                          loss<sparse_categorical_crossentropy>,
                          metrics<accuracy, confusion_matrix>, optimizer<adam>> {};

static_assert(check<training>());

// [/training]

struct two_sets {
  digit_dataset known;
  digit_dataset unseen;
};

two_sets load(const char* folder) {
  if (folder == nullptr) {
    return {synthetic_digits(4'000, 1), synthetic_digits(1'000, 2)};
  }
#if __has_include(<zlib.h>)
  auto digits = mnist::load(folder, read_file_or_gzip);
#else
  auto digits = mnist::load(folder);
#endif
  return {std::move(digits.train), std::move(digits.test)};
}

/// A row for each digit: how often it was taken for which.
void print_confusion(std::span<const double> counts) {
  std::printf("\n        taken for\n       ");
  for (int taken = 0; taken < 10; ++taken) {
    std::printf("%5d", taken);
  }
  for (std::size_t digit = 0; digit < 10; ++digit) {
    std::printf("\n    %zu  ", digit);
    for (std::size_t taken = 0; taken < 10; ++taken) {
      std::printf("%5.0f", counts[digit * 10 + taken]);
    }
  }
  std::printf("\n");
}

int train(const char* folder) {
  const two_sets digits = load(folder);

  // [train]
  // Bytes travel to the device, where Rescaling makes numbers of them.
  const auto known = as_bytes(digits.known);
  session<training> run{{.learning_rate = 0.002F}};
  run.fit(known | shuffled(10'000), {.epochs = 3}, [](const epoch_record& epoch) {
    std::printf("epoch %d  loss %.4f  accuracy %.4f\n", epoch.epoch + 1, epoch.loss,
                epoch.metrics["accuracy"]);
  });
  // [/train]

  // [evaluate]
  const evaluation found = run.evaluate(as_bytes(digits.unseen));
  std::printf("unseen digits: %.2f %% are recognised\n", 100 * found.metrics["accuracy"]);
  print_confusion(found.metrics.numbers("confusion_matrix"));
  // [/evaluate]
  return found.metrics["accuracy"] > 0.9 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  return example::run("lenet", [&] { return train(count > 1 ? arguments[1] : nullptr); });
}
