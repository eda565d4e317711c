// SPDX-License-Identifier: MIT
// Training, testing, weights in and out, equal bits, and what is refused. The output is
// docs/samples/session.txt.
#include <cinttypes>
#include <cstdio>
#include <string>
#include <vector>

#include <ipu_dsl/report/summary.hpp>

#include "mnist_mlp.hpp"

using namespace samples;

namespace {

// [split_at]
/// The same layers with another cut: three in the first stage, which ends with dense_2.
struct later_cut : split_at<mnist_mlp, "dense_2"> {};

// [/split_at]

struct later_training
    : compile<later_cut, micro_batch<32>, gradient_accumulation<4>, grouped,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

// [mean]
struct mean_training
    : compile<mnist_mlp, micro_batch<32>, gradient_accumulation<4>, mean_gradients,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

// [/mean]

// [frozen]
/// The tutorial's model, of which only the last layer learns.
struct head_alone
    : model<input<28, 28>, pipeline<frozen<stage<Flatten, Dense<256, relu>, Dense<128, relu>,
                                                 Dense<64, relu>, Dense<32, relu>>>,
                                    stage<named<"logits", Dense<10>>>>> {};

struct head_training
    : compile<head_alone, micro_batch<32>, gradient_accumulation<4>,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

// [/frozen]

struct softmax_mlp
    : model<input<28, 28>, sequential<Flatten, Dense<32, relu>, Dense<10, softmax>>> {};

struct softmax_training : compile<softmax_mlp, micro_batch<32>,
                                  loss<sparse_categorical_crossentropy>, metrics<accuracy>> {};

/// Trains the head on the weights in weights.npz, and prints what it has changed.
void train_head(const parameters& loaded) {
  const auto digits = synthetic_digits(2'000, 2);
  // [train_head]
  session<head_training> run{{.learning_rate = 0.01F, .momentum = 0.9F}};
  run.load("weights.npz");
  run.fit(digits | shuffled(1'000) | repeated(), {.steps_per_epoch = 60});
  // [/train_head]
  const parameters& weights = run.weights();
  std::printf("[train_head]\nchanged:");
  for (std::size_t i = 0; i < weights.size(); ++i) {
    std::vector<float> before(static_cast<std::size_t>(weights.at(i).extents.elements()));
    std::vector<float> after(before.size());
    loaded.get(i, before);
    weights.get(i, after);
    std::printf("%s%s", before == after ? "" : " ", before == after ? "" : weights.name(i).c_str());
  }
  const std::string table = summary_text(graph_of<head_alone>, "head_alone");
  std::printf("\n%s[/train_head]\n\n", table.c_str());
}

template <typename Training>
std::uint64_t trained_weights(int threads, float learning_rate = 0.01F) {
  const auto digits = synthetic_digits(2'000, 1);
  session<Training> run{{.learning_rate = learning_rate, .momentum = 0.9F}, {.threads = threads}};
  run.fit(digits | shuffled(1'000) | repeated(), {.steps_per_epoch = 100});
  return run.weights().fingerprint();
}

template <typename Training>
void print_weights(const char* what, float learning_rate = 0.01F) {
  for (const int threads : {1, 2}) {
    std::printf("%-28s %d threads  %016" PRIx64 "\n", what, threads,
                trained_weights<Training>(threads, learning_rate));
  }
}

void train_and_test() {
  std::printf("[train]\n");
  // [train]
  const auto digits = synthetic_digits(20'000, 1);  // how many, seed
  const auto unseen = synthetic_digits(1'001, 2);

  session<training<grouped>> run{{.learning_rate = 0.01F, .momentum = 0.9F},
                                 {.threads = 2, .seed = 1}};
  const history& passed =
      run.fit(digits | shuffled(10'000) | repeated(), {.epochs = 2, .steps_per_epoch = 500});
  for (const epoch_record& epoch : passed.epochs()) {
    std::printf("epoch %d  loss %.4f  accuracy %.4f\n", epoch.epoch, epoch.loss,
                epoch.metrics["accuracy"]);
  }
  std::printf("losses of micro-batches: %zu\n", passed.losses().size());

  const evaluation found = run.evaluate(unseen);
  std::printf("unseen   loss %.4f  accuracy %.4f  on %d digits\n", found.loss,
              found.metrics["accuracy"], static_cast<int>(found.samples));
  // [/train]
  std::printf("[/train]\n\n");

  std::printf("[weights]\n");
  // [weights]
  parameters& weights = run.weights();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    std::printf("%-16s %s\n", weights.name(i).c_str(),
                std::string(describe(weights.at(i).extents).view()).c_str());
  }
  std::vector<float> kernel(32 * 10);
  weights.get("logits/kernel", kernel);  // [inputs, units]
  weights.set("logits/kernel", kernel);

  run.save("weights.npz");
  session<training<interleaved>> other;
  other.load("weights.npz");
  // [/weights]
  const bool equal = other.weights().fingerprint() == weights.fingerprint();
  std::printf("loaded weights are %s\n[/weights]\n\n", equal ? "the same" : "others");

  std::vector<float> images(2 * 784);
  digits.gather(0, images.data());
  digits.gather(1, images.data() + 784);
  // [predict]
  std::vector<float> scores(2 * 10);
  run.predict(images, scores);  // [samples, 784] and [samples, 10]
  // [/predict]
  train_head(weights);
  std::remove("weights.npz");
}

/// What is thrown, with a name.
template <typename Refused>
void print_refusal(const char* tag, Refused refused) {
  try {
    refused();
    std::printf("[%s]\nnothing was refused\n[/%s]\n\n", tag, tag);
  } catch (const error& found) {
    std::printf("[%s]\n%s\n[/%s]\n\n", tag, found.what(), tag);
  }
}

/// All options by their names against none.
void print_defaults() {
  const auto digits = synthetic_digits(2'048, 1);
  // [options]
  const session_options how = {.threads = 1,
                               .shared_from = 100'000,
                               .pinned = {},
                               .seed = 1,
                               .poison_freed_slots = false,
                               .trace = false,
                               .history_epochs = 1'024,
                               .history_micro_batches = 65'536};
  const fit_options how_long = {.epochs = 1,
                                .steps_per_epoch = 0,
                                .steps_per_execution = 0,
                                .initial_epoch = 0,
                                .validation_frequency = 1,
                                .validation_split = 0,
                                .step = step_unit::micro_batch,
                                .resume = false};
  session<training<grouped>> run{{.learning_rate = 0.01F, .momentum = 0.9F}, how};
  run.fit(digits, how_long);
  // [/options]
  session<training<grouped>> plain{{.learning_rate = 0.01F, .momentum = 0.9F}};
  plain.fit(digits);
  const bool equal = plain.weights().fingerprint() == run.weights().fingerprint();
  std::printf("[options]\nwithout any the weights are %s\n[/options]\n\n",
              equal ? "the same" : "others");
}

void print_refusals() {
  const auto digits = synthetic_digits(1'000, 1);
  session<training<grouped>> run{{.learning_rate = 0.01F, .momentum = 0.9F}};
  print_refusal("steps", [&] { run.fit(digits | repeated(), {.steps_per_epoch = 6}); });
  print_refusal("execution", [&] {
    run.fit(digits | repeated(), {.steps_per_epoch = 12, .steps_per_execution = 8});
  });
  print_refusal("endless_epoch", [&] { run.fit(digits | repeated(), {}); });
  print_refusal("too_few", [&] { run.fit(digits | take(1'000), {.steps_per_epoch = 40}); });
  print_refusal("endless_evaluate", [&] {
    auto endless = make_feed(digits | repeated(), 1);
    run.evaluate(endless);
  });
  print_refusal("no_samples", [&] {
    auto nothing = make_feed(digits | take(0), 1);
    run.evaluate(nothing);
  });
  print_refusal("update_size", [&] {
    run.train_step(std::vector<float>(32 * 784), std::vector<std::int32_t>(32));
  });
  print_refusal("label", [&] {
    run.train_step(std::vector<float>(128 * 784), std::vector<std::int32_t>(128, 10));
  });
  print_refusal("no_parameter", [&] { run.weights().find("logits/weights"); });
  print_refusal("parameter_size", [&] { run.weights().set(0, std::vector<float>(10)); });
  print_refusal("predict_room", [&] {
    std::vector<float> scores(10);
    run.predict(std::vector<float>(2 * 784), scores);
  });
  print_refusal("threads", [&] { session<training<grouped>> none{{}, {.threads = 0}}; });
}

}  // namespace

int main() {
  train_and_test();

  std::printf("[bits]\n");
  print_weights<training<grouped>>("grouped");
  print_weights<training<interleaved>>("interleaved");
  print_weights<training<sequential_schedule>>("sequential");
  print_weights<later_training>("grouped, cut one layer later");
  std::printf("[/bits]\n\n[mean]\n");
  print_weights<training<grouped>>("sum, learning rate 0.01", 0.01F);
  print_weights<mean_training>("mean, learning rate 0.04", 4 * 0.01F);
  std::printf("[/mean]\n\n");

  std::printf("[summary]\n%s[/summary]\n\n",
              summary_text(graph_of<mnist_mlp>, "mnist_mlp").c_str());
  constexpr graph_view with_loss = planned_graph_of<softmax_training::compiled>.view();
  std::printf("[softmax]\n%s[/softmax]\n\n", summary_text(with_loss, "softmax_mlp").c_str());
  print_defaults();
  print_refusals();
  return 0;
}
