// SPDX-License-Identifier: MIT
// How wide should a layer be? Trains a model of each of several widths on drawn digits.
//
//   sweep [NAME] [--epochs 2] [--learning_rate 0.05] [--seed 7] ...
//
// NAME is one width, such as "wide"; without it all are trained. The options are the members of
// `fit_options`, `session_options` and the optimizer's settings.
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <vector>

#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/transform.hpp>
#include <boost/hana/value.hpp>

#include <ipu_dsl/hana.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

#include "example.hpp"
#include "structs.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::literals;
namespace hana = boost::hana;

namespace {

/// Layers around one of a width.
template <int Width>
constexpr auto layers = hana::tuple_t<Flatten, Dense<Width, relu>, named<"logits", Dense<10>>>;

template <typename Model>
struct training
    : compile<Model, micro_batch<32>, gradient_accumulation<1>, sequential_schedule,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

// [candidates]
constexpr auto widths = hana::make_tuple(hana::make_pair("narrow"_s, hana::int_c<8>),
                                         hana::make_pair("medium"_s, hana::int_c<24>),
                                         hana::make_pair("wide"_s, hana::int_c<64>));

/// A compiled model of every width, by name.
constexpr auto candidates = hana::transform(widths, [](auto width) {
  constexpr int units = hana::value<decltype(hana::second(width))>();
  using model = typename decltype(model_of<input<28, 28>>(layers<units>))::type;
  return hana::make_pair(hana::first(width), hana::type_c<training<model>>);
});

// [/candidates]

struct command_line {
  fit_options fit{.epochs = 2};
  session_options session;
  sgd_momentum_settings optimizer{.learning_rate = 0.02F};
};

struct digits {
  decltype(synthetic_digits(1, 1)) train = synthetic_digits(9'600, 1);
  decltype(synthetic_digits(1, 1)) test = synthetic_digits(1'000, 2);
};

/// All that the model learns, counted by the compiler.
template <typename Session>
constexpr std::size_t count_numbers(const Session& run) {
  std::size_t count = 0;
  hana::for_each(weights(run), [&](const auto& layer) {
    hana::for_each(hana::second(layer),
                   [&](const auto& weight) { count += hana::second(weight).size; });
  });
  return count;
}

template <typename Compiled>
void train(std::string_view name, const digits& drawn, const command_line& wanted) {
  session<Compiled> run(wanted.optimizer, wanted.session);
  run.fit(drawn.train | shuffled(1'000), wanted.fit);
  const evaluation found = run.evaluate(drawn.test);
  const auto kernel = weights(run)["logits"_s]["kernel"_s];
  std::printf("%-8.*s %6d %8zu  %s\n", static_cast<int>(name.size()), name.data(),
              kernel.extents[0], count_numbers(run), structs::json(found).c_str());
  std::fflush(stdout);
}

int follow(int argc, char** argv) {
  std::vector<std::string_view> words(argv + 1, argv + argc);
  std::string_view chosen;
  if (!words.empty() && !words.front().starts_with("--")) {
    chosen = words.front();
    words.erase(words.begin());
  }
  // [read]
  command_line wanted;
  structs::read_command_line(words, wanted.fit, wanted.optimizer, wanted.session);
  // [/read]
  if (!chosen.empty()) {
    // Refused before anything is drawn.
    with_variant(candidates, chosen, [](auto) {});
  }
  std::printf("%s %s\n", structs::json(wanted.fit).c_str(),
              structs::json(wanted.optimizer).c_str());
  std::printf("%-8s %6s %8s  %s\n", "name", "width", "numbers", "found");
  const digits drawn;
  // [train]
  for (const std::string_view name : variant_names(candidates)) {
    if (chosen.empty() || name == chosen) {
      with_variant(candidates, name, [&](auto variant) {
        train<typename decltype(variant)::type>(name, drawn, wanted);
      });
    }
  }
  // [/train]
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return example::run("sweep", [&] { return follow(argc, argv); });
}
