// SPDX-License-Identifier: MIT
// Losses out of a queue while a session trains, a training loop of one's own, and how fast data
// come. The output is docs/samples/feeds.txt.
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/queues/infeed_queue.hpp>
#include <ipu_dsl/training/dataset_benchmark.hpp>
#include <ipu_dsl/training/null_feed.hpp>
#include <ipu_dsl/training/training_outfeed.hpp>
using namespace ipu_dsl;

namespace {

// [model]
struct classifier
    : model<input<28, 28>,
            pipeline<stage<Flatten, Dense<32, relu>>, stage<named<"logits", Dense<10>>>>> {};

struct training : compile<classifier, micro_batch<32>, gradient_accumulation<4>, gradients_in_hand,
                          loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

// [/model]

void train_with_queues(const digit_dataset& digits) {
  session<training> run{{.learning_rate = 0.01F, .momentum = 0.9F}, {.threads = 2}};
  // [losses]
  auto source = make_feed(digits | shuffled(1'000) | repeated(), 1);
  infeed_queue infeed(source, {.micro_batch = 32, .depth = 8});
  loss_outfeed losses(run, {.reader = outfeed_reader::meanwhile});

  const std::jthread monitor([&losses] {
    int steps = 0;
    for (const outfeed_element element : losses) {
      ++steps;
      if (steps % 100 == 0) {
        std::printf("step %d  loss %.2f\n", steps, static_cast<double>(element["loss"][0]));
      }
    }
  });
  const closing_scope closes(losses);  // also if fit throws: then the monitor ends
  run.fit(infeed, {.epochs = 2, .steps_per_epoch = 200});
  // [/losses]
}

void train_by_hand(const digit_dataset& digits) {
  session<training> run{{.learning_rate = 0.01F, .momentum = 0.9F}};
  constexpr std::uint32_t update = 4 * 32;
  std::vector<float> features(std::size_t{update} * 784);
  std::vector<std::int32_t> labels(update);
  // [by_hand]
  parameters& gradients = run.gradients();
  const std::size_t kernel = gradients.find("logits/kernel");
  std::vector<float> values(32 * 10);

  for (std::uint32_t step = 0; step < 60; ++step) {
    for (std::uint32_t i = 0; i < update; ++i) {
      const std::uint32_t sample = (step * update + i) % 2'000;
      digits.gather(sample, features.data() + std::size_t{i} * 784);
      labels[i] = digits.label(sample);
    }
    const double loss = run.compute_gradients(features, labels);
    gradients.get(kernel, values);
    for (float& each : values) {
      each = std::fmin(std::fmax(each, -0.1F), 0.1F);  // or whatever you like
    }
    gradients.set(kernel, values);
    run.apply_gradients();
    if (step % 20 == 19) {
      std::printf("update %u  loss %.2f\n", step + 1, loss);
    }
  }
  // [/by_hand]
}

void measure_data(const digit_dataset& digits) {
  // [benchmark]
  const benchmark_result data =
      dataset_benchmark(digits | shuffled(1'000) | repeated(), {.micro_batch = 32},
                        {.number_of_epochs = 10, .elements_per_epoch = 512});
  const std::string json = data.json();

  null_feed nothing = null_feed_of<training>();
  infeed_queue infeed(nothing, {.micro_batch = 32});
  const benchmark_result least =
      infeed_benchmark(infeed, {.elements_per_epoch = 512, .print_stats = false});
  // [/benchmark]
  std::printf("%zu epochs, JSON from %.12s to %s, %zu without data\n", data.epochs.size(),
              json.c_str(), json.substr(json.size() - 3).c_str(), least.epochs.size());
}

}  // namespace

int main() {
  const digit_dataset digits = synthetic_digits(2'000, 1);
  std::printf("[losses]\n");
  train_with_queues(digits);
  std::printf("[/losses]\n\n[by_hand]\n");
  train_by_hand(digits);
  std::printf("[/by_hand]\n\n[benchmark]\n");
  measure_data(digits);
  std::printf("[/benchmark]\n");
}
