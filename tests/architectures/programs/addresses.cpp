// SPDX-License-Identifier: MIT
// Models whose rules compare addresses while the compiler evaluates, and sessions and predictors of
// them. With -fsanitize=undefined g++ refuses each comparison that is not made by `same_address` or
// `is_null`: that this compiles is the test.
#include <cstdint>
#include <span>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/training/callbacks.hpp>

namespace {

using namespace ipu_dsl;

struct asked_of_weights
    : model<input<8>, sequential<Dense<5, kernel_constraint<max_norm<0.6F>>,
                                       kernel_regularizer<l2<0.01F>>, bias_regularizer<l1<0.1F>>>,
                                 Dense<3, activity_regularizer<l1<0.1F>>>>> {};

struct named_like_paths
    : model<input<8>, sequential<named<"encoder/wide", Dense<8, relu>>,
                                 named<"encoder/wide_2", Dense<8, relu>>, Dense<3>>> {};

struct at_steps
    : model<input<4, 8, 8, 3>,
            sequential<TimeDistributed<Conv2D<4, 3, strides<2>>>,
                       TimeDistributed<SeparableConv2D<4, 3, depthwise_regularizer<l2<0.1F>>>>,
                       TimeDistributed<Flatten>, Bidirectional<GRU<4>>, Dense<3>>> {};

struct normalised
    : model<input<6, 8>, sequential<LayerNormalization<>, PReLU<>, Masking<0.0F>,
                                    LSTM<4, init<he_normal>>, Dropout<0.2F>, Dense<3>, softmax>> {};

template <typename Model>
struct training : compile<Model, loss<sparse_categorical_crossentropy>, metrics<accuracy>,
                          optimizer<adam, clipnorm<1.0F>>> {};

static_assert(check<training<asked_of_weights>>());
static_assert(check<training<named_like_paths>>());
static_assert(check<training<at_steps>>());
static_assert(check<training<normalised>>());

template <typename Model>
bool learns(std::span<const float> features, std::span<const std::int32_t> labels,
            std::span<float> answers) {
  session<training<Model>> run;
  run.fit(features, labels, {.epochs = 1});
  weights_of<Model> weights;
  weights.copy_from(run.weights());
  return predictor<Model>(weights).predict(features, answers);
}

// What has an address is compiled.
[[maybe_unused]] constexpr auto* of_penalties = &learns<asked_of_weights>;
[[maybe_unused]] constexpr auto* of_sequences = &learns<normalised>;

/// Asks of its callbacks which hooks they have.
struct hears_batches {
  void on_predict_batch_begin() const {}
};

static_assert(callback<asynchronous<hears_batches>>);

}  // namespace
