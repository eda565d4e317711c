// SPDX-License-Identifier: MIT
// The library as values of Boost.Hana: the code of docs/hana.md.
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <boost/hana.hpp>

#include <ipu_dsl/hana.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

// [names]
using namespace ipu_dsl;
using namespace ipu_dsl::literals;
namespace hana = boost::hana;

// [/names]

namespace {

// [model]
struct mlp : model<input<28, 28>, pipeline<stage<Flatten, Dense<64, relu>>,
                                           stage<Dense<32, relu>, named<"logits", Dense<10>>>>> {};

// [/model]

// [layers]
static_assert(layers_of<mlp> ==
              hana::tuple_t<Flatten, Dense<64, relu>, Dense<32, relu>, named<"logits", Dense<10>>>);
static_assert(hana::length(stages_of<mlp>) == hana::size_c<2>);
// [/layers]

// [back]
using flat = decltype(model_of<mlp::input_type>(layers_of<mlp>))::type;

static_assert(
    std::is_same_v<flat, model<input<28, 28>, sequential<Flatten, Dense<64, relu>, Dense<32, relu>,
                                                         named<"logits", Dense<10>>>>>);
static_assert(stage_assignment_of<mlp>[2] == 1 && stage_assignment_of<flat>[2] == 0);
// [/back]

// [tuned]
constexpr auto frozen_below =
    hana::append(hana::transform(hana::drop_back(layers_of<mlp>), hana::template_<frozen>),
                 hana::back(layers_of<mlp>));

struct tuned : decltype(model_of<mlp::input_type>(frozen_below))::type {};

static_assert(check<tuned>());
// [/tuned]

// [widths]
constexpr auto widths = hana::tuple_c<int, 8, 16, 32>;
constexpr auto models = hana::transform(widths, [](auto width) {
  return model_of<mlp::input_type>(hana::tuple_t<Flatten, Dense<width(), relu>, Dense<10>>);
});

// [/widths]

struct training : compile<mlp, micro_batch<8>, gradient_accumulation<4>,
                          loss<sparse_categorical_crossentropy>, optimizer<sgd<momentum>>> {};

// [variants]
template <typename Schedule>
struct trained_by : compile<mlp, micro_batch<8>, gradient_accumulation<4>, Schedule,
                            loss<sparse_categorical_crossentropy>> {};

constexpr auto variants =
    hana::make_tuple(hana::make_pair("grouped"_s, hana::type_c<trained_by<grouped>>),
                     hana::make_pair("interleaved"_s, hana::type_c<trained_by<interleaved>>));

double speedup_of(std::string_view schedule) {
  return with_variant(variants, schedule,
                      [](auto chosen) { return decltype(chosen)::type::timeline.speedup_bound(); });
}

// [/variants]

}  // namespace

int main() {
  std::puts("[sweep]");
  // [sweep]
  hana::for_each(models, [](auto swept) {
    using swept_model = typename decltype(swept)::type;
    std::printf("%zu layers, %zu numbers\n", graph_of<swept_model>.layers.size(),
                weights_of<swept_model>::values);
  });
  // [/sweep]
  std::puts("[/sweep]");

  session<training> run;
  std::puts("[kernel]");
  // [kernel]
  const auto bias = weights(run)["logits"_s]["bias"_s];
  static_assert(bias.extents == shape{10} && bias.size == 10);
  std::array<float, bias.size> values;
  bias.get(values);
  values[3] = 0.25F;
  bias.set(values);
  const std::vector<float> copied = bias.get();
  std::printf("%s[3] is %.2f\n", bias.name().c_str(), static_cast<double>(copied[3]));
  // [/kernel]
  std::puts("[/kernel]");

  std::puts("[walk]");
  // [walk]
  hana::for_each(weights(run), [](const auto& layer) {
    hana::for_each(hana::second(layer), [&](const auto& weight) {
      std::printf("%s/%s %zu\n", hana::first(layer).c_str(), hana::first(weight).c_str(),
                  hana::second(weight).size);
    });
  });
  // [/walk]
  std::puts("[/walk]");

  // [map]
  const auto map = hana::to_map(weights(run));
  static_assert(decltype(hana::contains(hana::keys(map), "logits"_s))::value);
  std::printf("%zu layers have weights\n", hana::length(map).value);
  // [/map]

  // [predictors]
  weights_of<mlp> shared;
  shared.copy_from(run.weights());
  const bool equal = weights(shared)["logits"_s]["bias"_s].get() == bias.get();
  std::printf("the predictors' bias is %s\n", equal ? "the same" : "another");
  // [/predictors]

  std::printf("%s: at most %.2f times as fast\n", "grouped", speedup_of("grouped"));
  std::puts("[refused]");
  // [refused]
  try {
    speedup_of("gpipe");
  } catch (const error& found) {
    std::printf("%s\n", found.what());
  }
  // [/refused]
  std::puts("[/refused]");

  std::puts("[members]");
  // [members]
  fit_options wanted{.epochs = 4};
  for_each_member(wanted, [](std::string_view name, auto& member) {
    if constexpr (std::is_same_v<decltype(member), std::int32_t&>) {
      std::printf("%s %d\n", std::string(name).c_str(), member);
    }
  });
  // [/members]
  std::puts("[/members]");
}
