// SPDX-License-Identifier: MIT
// The right-hand side of every row of docs/porting.md, compiled and run. Behind `// row:` stands
// what a row begins with; tests/checks/docs.py finds the row's code in the lines up to the next.
// It includes what the document names and nothing else of the library.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/catalogue/best_of.hpp>
#include <ipu_dsl/catalogue/catalogue.hpp>
#include <ipu_dsl/data/csv.hpp>
#include <ipu_dsl/data/npy_columns.hpp>
#include <ipu_dsl/data/prefetched.hpp>
#include <ipu_dsl/exchange/keras.hpp>
#include <ipu_dsl/exchange/pytorch.hpp>
#include <ipu_dsl/exchange/rtneural.hpp>
#include <ipu_dsl/exchange/weights_by_name.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/interface.hpp>
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/model/restaged.hpp>
#include <ipu_dsl/queues/infeed_queue.hpp>
#include <ipu_dsl/report/chrome_trace.hpp>
#include <ipu_dsl/report/drawn_model.hpp>
#include <ipu_dsl/report/functional_stage_assignment.hpp>
#include <ipu_dsl/report/summary.hpp>
#include <ipu_dsl/report/timeline.hpp>
#include <ipu_dsl/report/timeline_svg.hpp>
#include <ipu_dsl/schedule/study.hpp>
#include <ipu_dsl/study/text/csv_writer.hpp>
#include <ipu_dsl/study/text/written_schedule.hpp>
#include <ipu_dsl/training/adapt.hpp>
#include <ipu_dsl/training/callbacks.hpp>
#include <ipu_dsl/training/checkpoint.hpp>
#include <ipu_dsl/training/dataset_benchmark.hpp>
#include <ipu_dsl/training/loops.hpp>
#include <ipu_dsl/training/null_feed.hpp>
#include <ipu_dsl/training/outfeed.hpp>
#include <ipu_dsl/training/training_outfeed.hpp>
#if defined(WITH_GZIP)
#include <ipu_dsl/formats/gzip.hpp>
#endif
#if defined(WITH_XTENSOR)
#include <ipu_dsl/data/xtensor.hpp>
#include <ipu_dsl/training/xtensor.hpp>
#endif
#if defined(WITH_HANA)
#include <ipu_dsl/hana.hpp>
#endif

namespace {

// row: linear, relu, leaky_relu, elu, gelu, swish, sigmoid, tanh, softplus, softmax
using namespace ipu_dsl;

struct activated
    : model<input<6>, sequential<Dense<6, linear>, Dense<6, relu>, Dense<6, leaky_relu>,
                                 Dense<6, elu>, Dense<6, gelu>, Dense<6, swish>, Dense<6, sigmoid>,
                                 Dense<6, hyperbolic_tangent>, Dense<6, softplus>, softmax>> {};

static_assert(check<activated>());

// row: selu, hard_sigmoid, softsign, exponential, tfa.activations.mish
struct activated_otherwise
    : model<input<6>, sequential<Dense<6, selu>, Dense<6, hard_sigmoid>, Dense<6, softsign>,
                                 Dense<6, exponential>, Dense<6, mish>>> {};

static_assert(check<activated_otherwise>());

// row: ReLU(6.), tf.nn.relu6
struct bounded : model<input<6>, sequential<Dense<6, relu6>, Dense<6>, relu6>> {};

static_assert(check<bounded>());

// row: Softmax(), Dense(10, activation='softmax') of images and sequences, tf.nn.log_softmax
struct classes_of_positions
    : model<input<4, 6>, sequential<Dense<10, softmax>, Dense<10>, Softmax, Dense<10>, softmax,
                                    Dense<10>, log_softmax>> {};

static_assert(check<classes_of_positions>());

// row: Activation('relu'), LeakyReLU(0.1)
struct separate : model<input<6>, sequential<Dense<6>, relu, Dense<6>, Activation<relu>, Dense<6>,
                                             Activation<leaky_relu, alpha<0.1F>>>> {};

static_assert(check<separate>());

// row: keras.Sequential([...])
struct mlp : model<input<28, 28>, sequential<Flatten, Dense<16, relu>, Dense<10>>> {};

static_assert(check<mlp>());

#if defined(WITH_HANA)
static_assert(
    model_of<mlp::input_type>(layers_of<mlp>) ==
    boost::hana::type_c<model<input<28, 28>, sequential<Flatten, Dense<16, relu>, Dense<10>>>>);

/// Runs one of them, with a rate that has a name.
std::vector<float> learned_kernel(int chosen, weights_of<mlp>& known, sgd_settings& settings) {
  using namespace ipu_dsl::literals;
  with_variant(boost::hana::tuple_t<mlp, activated>, chosen, [](auto) {});
  for_each_member(settings, [](std::string_view, auto& rate) { rate = 0.1F; });
  return weights(known)["dense_1"_s]["kernel"_s].get();
}
#endif

// row: Dense(256, activation='relu', use_bias=False, kernel_initializer='he_uniform')
static_assert(check<model<input<6>, Dense<256, relu, use_bias<false>, init<he_uniform>>>>());
static_assert(check<model<input<6>, Dense<256, init<he_uniform>, relu, use_bias<false>>>>());

// row: bias_initializer='ones'
static_assert(check<model<input<6>, Dense<6, bias_init<ones>>>>());

// row: recurrent_initializer='orthogonal', embeddings_initializer='uniform'
using embedded = sequential<Embedding<50, 8, init<random_uniform>>,
                            SimpleRNN<6, init<glorot_uniform>, recurrent_init<orthogonal>>>;
static_assert(check<model<input<dtype::int32, 16>, embedded>>());

template <typename... Initializers>
using started = sequential<Dense<6, init<Initializers>>...>;

// row: zeros, ones, random_uniform, random_normal, truncated_normal
static_assert(
    check<
        model<input<6>, started<zeros, ones, random_uniform, random_normal, truncated_normal>>>());

// row: glorot_uniform, glorot_normal, he_uniform, he_normal
static_assert(
    check<model<input<6>, started<glorot_uniform, glorot_normal, he_uniform, he_normal>>>());

// row: lecun_uniform, lecun_normal, orthogonal, identity
static_assert(check<model<input<6>, started<lecun_uniform, lecun_normal, orthogonal, identity>>>());

// row: Constant(0.5)
static_assert(check<model<input<6>, Dense<6, init<constant<0.5F>>>>>());

// row: RandomUniform(-1, 1), TruncatedNormal(0.5, 0.1), Orthogonal(gain=2)
using with_numbers =
    sequential<Dense<6, init<random_uniform, minval<-1>, maxval<1>>>,
               Dense<6, init<truncated_normal, mean_value<0.5F>, init_stddev<0.1F>>>,
               Dense<6, init<orthogonal, init_gain<2>>>>;
static_assert(check<model<input<6>, with_numbers>>());

// row: VarianceScaling(2, 'fan_out', 'uniform')
static_assert(check<model<input<6>, Dense<6, init<variance_scaling<2, "fan_out", "uniform">>>>>());

// row: HeNormal(seed=7)
static_assert(check<model<input<6>, Dense<6, init<he_normal, init_seed<7>>>>>());

// row: an initializer of one's own
struct ramp {
  static float start(const initial_value& at) {
    const double noise = at.uniform() < 0.5F ? 0 : at.normal();
    return static_cast<float>(noise) +
           static_cast<float>(at.index) / static_cast<float>(at.extents[0]);
  }
};

static_assert(check<model<input<6>, Dense<6, init<ramp>>>>());

// row: Flatten(), Reshape((7, -1))
static_assert(check<model<input<28, 28>, sequential<Reshape<7, -1>, Flatten>>>());

// row: PReLU(shared_axes=[1, 2])
static_assert(
    check<model<input<4, 6, 2>, sequential<PReLU<shared_axes<1, 2>>, PReLU<init<zeros>>>>>());

// row: GaussianNoise(0.1), GaussianDropout(0.2), AlphaDropout(0.2), SpatialDropout2D(0.2)
static_assert(check<model<input<4, 6, 2>,
                          sequential<SpatialDropout2D<0.2F>, GaussianNoise<0.1F>, Flatten,
                                     Dense<6, selu>, GaussianDropout<0.2F>, AlphaDropout<0.2F>,
                                     RepeatVector<2>, SpatialDropout1D<0.2F>>>>());

// row: Permute((2, 1)), RepeatVector(3)
static_assert(check<model<input<6>, sequential<RepeatVector<3>, Permute<2, 1>>>>());

// row: Multiply()([image, gates]), of (8, 9, 16) and (16) or (1, 1, 16)
struct squeeze_and_excitation {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor image =
        build.layer<Conv2D<16, 3, same_padding>>("", build.input({8, 9, 3}));
    symbolic_tensor gates = build.layer<GlobalAveragePooling2D>("", image);
    gates = build.layer<Dense<16, sigmoid>>("", gates);
    gates = build.layer<RepeatVector<72>>("", gates);
    gates = build.layer<Reshape<8, 9, 16>>("", gates);
    return build.layer<Multiply>("", image, gates);
  }
};

static_assert(check<squeeze_and_excitation>());

// row: ZeroPadding2D(((1, 0), (2, 2))), Cropping1D((1, 0)), UpSampling2D((2, 3))
static_assert(
    check<model<input<4, 6, 2>, sequential<ZeroPadding2D<1, 0, 2, 2>, UpSampling2D<2, 3>,
                                           Cropping2D<1>, Reshape<28, 16>, ZeroPadding1D<2>,
                                           Cropping1D<1, 0>, UpSampling1D<2>>>>());

// row: UpSampling2D((2, 3), interpolation='bilinear')
static_assert(check<model<input<4, 6, 2>, UpSampling2D<2, 3, bilinear>>>());

// row: Concatenate(axis=1)([a, b])
struct one_behind_the_other {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor a = build.input("a", {4, 6});
    const symbolic_tensor b = build.input("b", {3, 6});
    return build.layer<ConcatenateOn<1>>("", a, b);
  }
};

static_assert(check<one_behind_the_other>());

// row: Dropout(0.2)
static_assert(check<model<input<6>, sequential<Dense<6>, Dropout<0.2F>>>>());

// row: BatchNormalization(momentum=0.9, epsilon=1e-5, center=False)
using batch_normalized =
    BatchNormalization<running_momentum<0.9F>, epsilon<1e-5F>, use_center<false>>;
static_assert(check<model<input<6>, sequential<Dense<6>, batch_normalized>>>());

// row: Normalization(), adapt(data)
struct scaled_net : model<input<6>, sequential<named<"scale", Normalization<>>, Dense<1>>> {};

static_assert(check<scaled_net>());

struct scaled_training
    : compile<scaled_net, micro_batch<4>, loss<mean_squared_error>, optimizer<adam>> {};

[[maybe_unused]] void take_statistics(session<scaled_training>& run,
                                      const std::vector<float>& data) {
  adapt(run.weights(), "scale", data);
}

// row: LayerNormalization(epsilon=1e-5, center=False), RMSNormalization()
static_assert(check<model<input<5, 6>, LayerNormalization<epsilon<1e-5F>, use_center<false>>>>());
static_assert(check<model<input<5, 6>, RMSNormalization<>>>());
static_assert(check<model<input<6>, LayerNormalization<gamma_init<zeros>, beta_init<ones>>>>());

// row: GroupNormalization(groups=8)
static_assert(check<model<input<4, 4, 16>, GroupNormalization<8>>>());

// row: MultiHeadAttention(4, key_dim=32)(x, x, use_causal_mask=True)
static_assert(check<model<input<16, 128>, MultiHeadAttention<4, 32, use_causal_mask<true>>>>());

// row: MultiHeadAttention(4, 32, value_dim=16)(query, value, key)
struct attends_to_others {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor query = build.input({5, 8});
    const symbolic_tensor value = build.input({7, 6});
    const symbolic_tensor key = build.input({7, 3});
    return build.layer<MultiHeadAttention<4, 32, value_dim<16>>>("", query, value, key);
  }
};

static_assert(check<attends_to_others>());

// row: MultiHeadAttention(4, 32)(query, value, attention_mask=mask)
struct told_what_to_attend_to {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor query = build.input({8, 24});
    const symbolic_tensor value = build.input({12, 24});
    const symbolic_tensor bytes = build.input({8, 12}, dtype::uint8);
    const symbolic_tensor mask = build.layer<Rescaling<1.0F>>("", bytes);
    return build.layer<MultiHeadAttention<4, 32, use_attention_mask<true>>>("", query, value, mask);
  }
};

static_assert(check<told_what_to_attend_to>());

// row: KerasHub's x + PositionEmbedding(64)(x)
static_assert(check<model<input<64, 8>, PositionEmbedding<>>>());

// row: a model called as a layer: encoder(x), keras.Sequential([encoder, Dense(10)])
struct encoder : model<input<8>, sequential<Dense<6, relu>, Dense<4>>> {};

struct with_encoder {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({8});
    auto shared = build.shared<encoder>("encoder");
    return build.layer<Concatenate>("", shared(x), shared(x));
  }
};

struct with_own_encoder {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({8});
    return build.layer<encoder>("encoder", x);
  }
};

static_assert(check<with_encoder>());
static_assert(check<with_own_encoder>());
static_assert(check<model<input<8>, sequential<encoder, Dense<10>>>>());
static_assert(check<model<input<8>, sequential<frozen<encoder>, Dense<10>>>>());

// row: layer.trainable = False
struct tuned : model<input<6, 6, 3>,
                     pipeline<frozen<stage<frozen<Conv2D<64, 3>>, BatchNormalization<>, relu>>,
                              stage<frozen<sequential<Flatten, Dense<8>>>, Dense<10>>>> {};

static_assert(check<tuned>());

struct tuned_functional {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({8});
    return build.layer<frozen<Dense<10>>>("", x);
  }
};

static_assert(check<tuned_functional>());

// row: x + f(x)
struct skipped : model<input<6>, sequential<Dense<6>, residual<Dense<6, relu>, Dense<6>>>> {};

static_assert(check<skipped>());

// row: branches side by side
using branch = sequential<Dense<8, relu>, Dense<4>>;
static_assert(check<model<input<6>, sequential<concat<branch, branch>, Dense<2>>>>());

struct called_residual {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({8});
    return build.layer<residual<Dense<8>, relu>>("", x);
  }
};

static_assert(check<called_residual>());

// row: name='logits'
struct named_mlp : model<input<6>, sequential<Dense<8, relu>, named<"logits", Dense<10>>>> {};

static_assert(check<named_mlp>());

struct named_both
    : model<input<5, 6>, sequential<named<"both", Bidirectional<GRU<8>>>, Dense<10>>> {};

static_assert(check<named_both>());

struct functional {
  // row: keras.Model(inputs, outputs)
  static constexpr symbolic_tensor build(functional_builder& build) {
    // row: keras.Input(shape=(28, 28))
    symbolic_tensor x = build.input({28, 28});
    x = build.layer<Flatten>("", x);
    // row: x = Dense(256, activation='relu', name='d')(x)
    x = build.layer<Dense<256, relu>>("d", x);
    // row: with ipu.keras.PipelineStage(1):
    build.stage(1);
    // row: Add()([a, b]), Concatenate()([a, b])
    const symbolic_tensor a = build.layer<Dense<8>>("", x);
    const symbolic_tensor b = build.layer<Dense<8>>("", x);
    const symbolic_tensor sum = build.layer<Add>("", a, b);
    x = build.layer<Concatenate>("", a, b);
    x = build.layer<Concatenate>("", x, sum);
    // row: Subtract()([a, b]), Multiply()([a, b, c]), Average, Maximum, Minimum
    const symbolic_tensor c = build.layer<Subtract>("", a, b);
    symbolic_tensor merged = build.layer<Multiply>("", a, b, c);
    merged = build.layer<Average>("", a, b, merged);
    merged = build.layer<Maximum>("", merged, c);
    merged = build.layer<Minimum>("", merged, a);
    x = build.layer<Concatenate>("", x, merged);
    // row: Dot(axes=(2, 1))([rows, columns]), Dot(axes=1, normalize=True)([a, b])
    const symbolic_tensor rows = build.layer<Reshape<2, 4>>("", a);
    const symbolic_tensor columns = build.layer<Reshape<4, 2>>("", b);
    const symbolic_tensor products = build.layer<Dot<2, 1>>("", rows, columns);
    const symbolic_tensor cosine = build.layer<Dot<1, 1, l2_normalize<true>>>("", a, b);
    x = build.layer<Concatenate>("", x, build.layer<Flatten>("", products), cosine);
    // row: encoder = Dense(8); encoder(a), encoder(b)
    auto encoder = build.shared<Dense<8>>("encoder");
    const symbolic_tensor left = encoder(a);
    const symbolic_tensor right = encoder(b);
    x = build.layer<Concatenate>("", x, left, right);
    // row: keras.Model(inputs, outputs)
    return x;
  }
};

static_assert(check<functional>());

// row: encoder = Dense(8); encoder(a), encoder(b)
struct shared_at_steps {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor a = build.input("a", {6, 4});
    const symbolic_tensor b = build.input("b", {6, 4});
    auto step_encoder = build.shared<TimeDistributed<Dense<8>>>("step_encoder");
    auto reader = build.shared<Bidirectional<GRU<5>>>("reader");
    return build.layer<Concatenate>("", reader(step_encoder(a)), reader(step_encoder(b)));
  }
};

static_assert(check<shared_at_steps>());

// row: Conv2D(32, 3, strides=2, padding='same', activation='relu')
static_assert(
    check<model<input<28, 28, 1>, sequential<Conv2D<32, 3, strides<2>, same_padding, relu>,
                                             Conv2D<8, kernel_size{3, 5}>>>>());
// row: Conv1D(16, 3, padding='causal', dilation_rate=2)
static_assert(
    check<model<input<100, 2>, sequential<Conv1D<16, 3, causal_padding, dilation_rate<2>>>>>());
// row: LocallyConnected1D(16, 3, strides=2, activation='relu')
static_assert(check<model<input<100, 2>, LocallyConnected1D<16, 3, strides<2>, relu>>>());
// row: Conv2D(8, 3, dilation_rate=(2, 1))
static_assert(check<model<input<28, 28, 1>, Conv2D<8, 3, dilation_rate<2, 1>>>>());
// row: Conv2D(64, 3, groups=32)
static_assert(check<model<input<28, 28, 32>, Conv2D<64, 3, groups<32>>>>());
// row: DepthwiseConv2D(3, depth_multiplier=2), SeparableConv2D(16, 3)
static_assert(
    check<model<input<28, 28, 3>,
                sequential<DepthwiseConv2D<3, depth_multiplier<2>>, SeparableConv2D<16, 3>>>>());
static_assert(
    check<model<input<28, 28, 3>,
                SeparableConv2D<16, 3, depthwise_init<he_normal>, pointwise_init<he_normal>,
                                depthwise_regularizer<l2<0.01F>>, pointwise_regularizer<l2<0.01F>>,
                                pointwise_constraint<unit_norm>>>>());
// row: Conv2DTranspose(8, 3, strides=2, output_padding=1), Conv1DTranspose(4, 3)
static_assert(
    check<model<input<7, 7, 3>, sequential<Conv2DTranspose<8, 3, strides<2>, output_padding<1>>,
                                           Reshape<256, 8>, Conv1DTranspose<4, 3>>>>());
// row: Conv3D(8, (1, 3, 3), strides=(1, 2, 2))
static_assert(
    check<model<input<4, 9, 9, 1>, Conv3D<8, kernel_volume{1, 3, 3}, strides<1, 2, 2>>>>());
// row: MaxPooling2D(), AveragePooling1D(3, strides=2, padding='same'), GlobalAveragePooling2D()
static_assert(check<model<input<28, 28, 1>,
                          sequential<MaxPooling2D<>, AveragePooling2D<pool_size{2, 7}>,
                                     Reshape<14, 1>, AveragePooling1D<3, strides<2>, same_padding>,
                                     Reshape<7, 1, 1>, GlobalAveragePooling2D>>>());
// row: kernel_regularizer=l2(0.01), bias_regularizer=l1_l2(0.01, 0.02)
static_assert(check<model<input<8>, Dense<64, relu, kernel_regularizer<l2<0.01F>>,
                                          bias_regularizer<l1_l2<0.01F, 0.02F>>>>>());
static_assert(check<model<input<12, 4>, SimpleRNN<16, recurrent_regularizer<l1<0.01F>>>>>());
static_assert(
    check<
        model<input<dtype::int32, 6>,
              sequential<Embedding<9, 4, embeddings_regularizer<l2<>>>,
                         BatchNormalization<gamma_regularizer<l2<>>, beta_regularizer<l1<>>>>>>());
// row: activity_regularizer=l2(0.01)
static_assert(check<model<input<8>, Dense<64, relu, activity_regularizer<l2<0.01F>>>>>());
static_assert(
    check<model<input<dtype::int32, 6>, Embedding<9, 4, activity_regularizer<l2<0.01F>>>>>());
// row: ActivityRegularization(l1=0.01, l2=0.02)
static_assert(
    check<model<input<8>,
                sequential<Dense<64, relu>, ActivityRegularization<l1_l2<0.01F, 0.02F>>>>>());
// row: kernel_constraint=max_norm(2), bias_constraint=non_neg(), unit_norm()
static_assert(
    check<model<input<8>,
                Dense<64, relu, kernel_constraint<max_norm<2.0F>>, bias_constraint<non_neg>>>>());
static_assert(check<model<input<12, 4>, SimpleRNN<16, recurrent_constraint<unit_norm>>>>());
static_assert(check<model<input<8, 8, 3>, Conv2D<4, 3, kernel_constraint<max_norm<2.0F>>>>>());
static_assert(
    check<model<input<8>, Dense<4, kernel_constraint<min_max_norm<0.5F, 2.0F, 0.1F>>>>>());
static_assert(
    check<model<
        input<dtype::int32, 6>,
        sequential<Embedding<9, 4, embeddings_constraint<unit_norm>>,
                   BatchNormalization<gamma_constraint<non_neg>, beta_constraint<max_norm<>>>>>>());
// row: SimpleRNN(16, return_sequences=True)
static_assert(check<model<input<12, 4>, SimpleRNN<16, return_sequences<true>>>>());
static_assert(check<model<input<12, 4>, SimpleRNN<16, go_backwards<true>>>>());
// row: LSTM(16, recurrent_activation='sigmoid', unit_forget_bias=True, go_backwards=True)
static_assert(check<model<input<12, 4>, LSTM<16, recurrent_activation<sigmoid>,
                                             unit_forget_bias<true>, go_backwards<true>>>>());
// row: GRU(16, reset_after=False)
static_assert(check<model<input<12, 4>, GRU<16, reset_after<false>>>>());
static_assert(check<model<input<12, 4>, GRU<16>>>());

// row: y, h, c = LSTM(16, return_state=True)(x)
struct last_memory {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({12, 4});
    const auto [y, h, c] = build.layers<LSTM<16, return_state<true>>, 3>("", x);
    return build.layer<Concatenate>("", y, h, c);
  }
};

static_assert(check<last_memory>());

// row: LSTM(16)(x, initial_state=[h, c])
struct from_given_states {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({12, 4});
    const symbolic_tensor h = build.input({16});
    const symbolic_tensor c = build.input({16});
    const symbolic_tensor made = build.layer<LSTM<16>>("", x, h, c);
    return build.layer<Add>("", made, build.layer<GRU<16>>("", x, h));
  }
};

static_assert(check<from_given_states>());

// row: Bidirectional(LSTM(16))(x, initial_state=[h, c, back_h, back_c])
struct both_ways_from_given_states {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({12, 4});
    const symbolic_tensor h = build.input({16});
    const symbolic_tensor c = build.input({16});
    const symbolic_tensor back_h = build.input({16});
    const symbolic_tensor back_c = build.input({16});
    const symbolic_tensor both = build.layer<Bidirectional<LSTM<16>>>("", x, h, c, back_h, back_c);
    const symbolic_tensor gates = build.layer<Bidirectional<GRU<16>>>("", x, h, back_h);
    return build.layer<Add>("", both, gates);
  }
};

static_assert(check<both_ways_from_given_states>());

// row: Bidirectional(LSTM(16, return_state=True))(x)
struct states_of_both_ways {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({12, 4});
    const auto [both, h, c, back_h, back_c] =
        build.layers<Bidirectional<LSTM<16, return_state<true>>>, 5>("", x);
    return build.layer<Concatenate>("", both, h, c, back_h, back_c);
  }
};

static_assert(check<states_of_both_ways>());

// row: Bidirectional(LSTM(16), merge_mode='sum'), TimeDistributed(Dense(10))
static_assert(check<model<input<12, 4>, Bidirectional<LSTM<16>, merge_mode<"sum">>>>());
static_assert(check<model<input<12, 4>, sequential<Bidirectional<LSTM<16, return_sequences<true>>>,
                                                   TimeDistributed<Dense<10>>, Dense<10>>>>());

// row: TimeDistributed(Conv2D(8, 3)), TimeDistributed(encoder)
struct frame_encoder : model<input<6, 6, 8>, sequential<MaxPooling2D<2>, Flatten, Dense<7>>> {};

static_assert(
    check<model<input<5, 8, 8, 3>, sequential<TimeDistributed<Conv2D<8, 3>>,
                                              TimeDistributed<frame_encoder>, LSTM<4>>>>());

// row: TimeDistributed(match)([a, b]), TimeDistributed(two_headed)(x)
struct match {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor question = build.input({8});
    const symbolic_tensor answer = build.input({8});
    return build.layer<Dot<1>>("", question, build.layer<Dense<8>>("", answer));
  }
};

struct two_headed {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor x = build.input({8});
    return {build.layer<Dense<4>>("kind", x), build.layer<Dense<1>>("price", x)};
  }
};

struct at_every_step {
  static constexpr std::array<symbolic_tensor, 3> build(functional_builder& build) {
    const symbolic_tensor a = build.input({12, 8});
    const symbolic_tensor b = build.input({12, 8});
    const symbolic_tensor x = build.layer<Add>("", a, b);
    const auto [kinds, prices] = build.layers<TimeDistributed<two_headed>, 2>("heads", x);
    return {build.layer<TimeDistributed<match>>("match", a, b), kinds, prices};
  }
};

static_assert(check<at_every_step>());

// row: GRU(16, stateful=True), predict of a step, reset_states()
struct tagger : model<input<12, 4>, sequential<GRU<16, return_sequences<true>>, Dense<3>>> {};

static_assert(!is_valid<model<input<12, 4>, GRU<16, stateful<true>>>>());

[[maybe_unused]] void take_trained(weights_of<one_step<tagger>>& weights,
                                   const weights_of<tagger>& trained) {
  weights.copy_from(trained);
}

[[maybe_unused]] float tag_step(predictor<one_step<tagger>>& stream,
                                std::span<const float, 4> sample, bool begins) {
  if (begins) {
    stream.reset();
  }
  return stream.push(sample)[0];
}

// row: a step of each input of a functional model with Add, Concatenate and other merges
struct two_ways {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({12, 4});
    const symbolic_tensor y = build.input({12, 2});
    const symbolic_tensor heard_so_far = build.layer<GRU<8, return_sequences<true>>>("", x);
    const symbolic_tensor seen_so_far = build.layer<Conv1D<8, 3, causal_padding>>("", y);
    return build.layer<GRU<3>>("", build.layer<Add>("", heard_so_far, seen_so_far));
  }
};

[[maybe_unused]] float step_of_both(predictor<one_step<two_ways>>& stream,
                                    const std::vector<float>& heard,
                                    const std::vector<float>& seen) {
  return stream.push(heard, seen)[0];
}

// row: Conv1D(8, 3, padding='causal', dilation_rate=4), a sample at a time
struct network
    : model<input<64, 1>,
            sequential<Conv1D<8, 3, causal_padding, dilation_rate<4>, relu>, Conv1D<1, 1>>> {};

[[maybe_unused]] float filter_sample(predictor<one_step<network>>& stream,
                                     std::span<const float, 1> sample) {
  return stream.push(sample)[0];
}

// row: Input(shape=(16,), dtype='int32'), Embedding(1000, 8)
static_assert(check<model<input<dtype::int32, 16>, Embedding<1000, 8>>>());

// row: Embedding(1000, 8, mask_zero=True), Masking(mask_value=0.0)
static_assert(check<model<input<dtype::int32, 16>,
                          sequential<Embedding<1000, 8, mask_zero<true>>, LSTM<16>, Dense<2>>>>());
static_assert(check<model<input<12, 4>, sequential<Masking<0.0F>, GRU<16>, Dense<2>>>>());
static_assert(check<model<input<12, 4>, sequential<Masking<0.0F>, MultiHeadAttention<2, 8>>>>());
static_assert(check<model<input<12, 4>, sequential<concat<Masking<0.0F>, Masking<-1.0F>>,
                                                   GlobalAveragePooling1D, Dense<2>>>>());

// row: Input(shape=(28, 28), dtype='uint8'), Rescaling(1.0 / 255, offset=0.0)
struct of_bytes
    : model<input<dtype::uint8, 28, 28>, sequential<Rescaling<1.0F / 255, 0>, Flatten, Dense<10>>> {
};

struct built_of_bytes {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor image = build.input({28, 28}, dtype::uint8);
    return build.layer<Rescaling<1.0F / 255>>("grey", image);
  }
};

struct training_of_bytes : compile<of_bytes, loss<sparse_categorical_crossentropy>> {};

[[maybe_unused]] void evaluate_bytes(const std::string& directory,
                                     session<training_of_bytes>& run) {
  const mnist::digit_images digits = mnist::load(directory).train;
  const auto images = as_bytes(digits);
  run.evaluate(images);
}

[[maybe_unused]] void evaluate_columns(const std::vector<std::uint8_t>& bytes,
                                       const std::vector<std::int32_t>& labels,
                                       session<training_of_bytes>& run) {
  const auto data = zipped(byte_column<shape{28, 28}>(bytes), label_column<10>(labels));
  run.evaluate(data);
}

static_assert(check<of_bytes>() && check<built_of_bytes>());

// row: x / 255.0
static_assert(check<model<input<dtype::uint8, 28, 28>, Rescaling<1.0F / 255>>>());

// row: keras.Input(shape=(28, 28))
static_assert(check<model<input<28, 28>, Flatten>>());
static_assert(check<model<input_of<digit_dataset>, Flatten>>());

// row: set_pipeline_stage_assignment([0, 0, 1, 1])
struct assigned
    : model<input<28, 28>, sequential<Flatten, Dense<16, relu>, Dense<8, relu>, Dense<10>>,
            stage_assignment<0, 0, 1, 1>> {};

struct staged : model<input<28, 28>,
                      pipeline<stage<Flatten, Dense<16, relu>>, stage<Dense<8, relu>, Dense<10>>>> {
};

static_assert(check<assigned>() && check<staged>());

// row: assignment.pipeline_stage = stage_id, another behind a named layer
struct resnet50
    : model<input<6, 6, 2>, sequential<Conv2D<2, 3, same_padding>,
                                       named<"conv4_block2_add", residual<Conv2D<2, 1>, relu>>,
                                       Flatten, Dense<10>>> {};

struct in_two : split_at<resnet50, "conv4_block2_add"> {};

static_assert(check<in_two>());

// row: get_pipeline_stage_assignment(), changed by name and set again
struct two_towers {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({8});
    const symbolic_tensor right = build.layer<Dense<8, relu>>("right", x);
    const symbolic_tensor left = build.layer<Dense<8, relu>>("left", x);
    return build.layer<Dense<3>>("right_end", build.layer<Add>("right_sum", right, left));
  }
};

struct towers_in_two : restaged<two_towers> {
  static constexpr void assign(std::span<layer_stage> layers) {
    for (layer_stage& each : layers) {
      each.stage = each.name.starts_with("right") ? 1 : 0;
    }
  }
};

static_assert(check<towers_in_two>());
static_assert(layer_stages_of<towers_in_two>[1].name == "left");
static_assert(layer_stages_of<towers_in_two>[1].stage == 0);

// row: reset_pipeline_stage_assignment()
struct towers_in_one : split_at<towers_in_two> {};

static_assert(graph_of<towers_in_one>.stages == 1);

// row: get_pipeline_stage_assignment()
static_assert(stage_assignment_of<assigned>[2] == 1);

struct skipping
    : model<input<6>, pipeline<stage<residual<Dense<6, relu>, Dense<6>>>, stage<Dense<3>>>> {};

static_assert(stage_assignment_of<skipping> == std::array{0, 1});

struct cut : model<input<6>, auto_pipeline<sequential<Dense<6, relu>, residual<Dense<6>, relu>,
                                                      Dense<6, relu>, Dense<3>>,
                                           2>> {};

struct cut_training : compile<cut, micro_batch<4>, gradient_accumulation<4>,
                              loss<sparse_categorical_crossentropy>> {};

constexpr std::array<int, 4> chosen_stages() {
  std::array<int, 4> stages{};
  for (const layer_record& layer : planned_graph_of<cut_training::compiled>.view().layers) {
    stages[static_cast<std::size_t>(layer.number)] = layer.stage;
  }
  return stages;
}

static_assert(chosen_stages()[0] == 0 && chosen_stages()[3] == 1);

// row: SequentialPipelineModel([[...], [...]]) (older)
static_assert(check<model<input<6>, pipeline<stage<Dense<6>, relu>, stage<Dense<3>>>>>());

// row: ipu.ops.pipelining_ops.pipeline(...) of stage functions
struct stage_functions : model<input<6>, pipeline<stage<Dense<6, relu>>, stage<Dense<3>>>> {};

static_assert(check<compile<stage_functions, gradient_accumulation<4>,
                            loss<sparse_categorical_crossentropy>>>());

/// A pipeline of four stages with the options under test, as a condition.
struct four_stages
    : model<input<6>,
            pipeline<stage<Dense<6>>, stage<Dense<6>>, stage<Dense<6>>, stage<Dense<3>>>> {};

template <typename... Options>
constexpr bool trains() {
  return check<
      compile<four_stages, micro_batch<4>, loss<sparse_categorical_crossentropy>, Options...>>();
}

// row: set_pipelining_options(gradient_accumulation_steps_per_replica=4)
static_assert(
    check<compile<staged, gradient_accumulation<4>, loss<sparse_categorical_crossentropy>>>());

// row: more IPUs than a model has shards: replicas
static_assert(trains<gradient_accumulation<8>, replicas<2>>());

// row: set_pipelining_options(pipeline_schedule=PipelineSchedule.Grouped)
static_assert(trains<gradient_accumulation<8>, grouped>());

// row: PipelineSchedule.Interleaved, PipelineSchedule.Sequential
static_assert(trains<gradient_accumulation<8>, interleaved>());
static_assert(trains<gradient_accumulation<8>, sequential_schedule>());

// row: GradientAccumulationReductionMethod.SUM, MEAN
static_assert(trains<gradient_accumulation<8>, sum_gradients>());
static_assert(trains<gradient_accumulation<8>, mean_gradients>());

template <int R>
constexpr bool trains_with_replicas() {
  return trains<gradient_accumulation<8>, mean_gradients, replicas<R>>();
}

static_assert(trains_with_replicas<2>());

// row: n_microbatches=8
static_assert(trains<gradient_accumulation<8>, gpipe>());

// row: ScheduleGPipe, Schedule1F1B
static_assert(trains<gradient_accumulation<4>, gpipe>());
static_assert(trains<gradient_accumulation<4>, one_f_one_b>());

// row: ScheduleInterleaved1F1B, ScheduleLoopedBFS
template <int P>
constexpr bool runs_looped() {
  return trains<gradient_accumulation<4>, interleaved_one_f_one_b, devices<P>>() &&
         trains<gradient_accumulation<4>, looped_bfs, devices<P>>();
}

static_assert(runs_looped<2>());

// row: ScheduleInterleavedZeroBubble
template <int P>
constexpr bool runs_zero_bubble() {
  return trains<gradient_accumulation<4>, interleaved_zero_bubble, devices<P>>();
}

static_assert(runs_zero_bubble<2>());

// row: ScheduleZBVZeroBubble, ScheduleDualPipeV
static_assert(trains<gradient_accumulation<4>, zb_v>());
static_assert(trains<gradient_accumulation<4>, dualpipe_v>());
static_assert(compile<four_stages, zb_v>::settings.devices == 2);

// row: _load_csv(file)
struct in_text : written_schedule<in_text> {
  static constexpr std::string_view name = "in-text";
  static constexpr std::string_view csv = "0F0,0F1,0B0,0B1\n,1F0,1B0,1F1,1B1\n";
};

static_assert(check<compile<stage_functions, gradient_accumulation<2>, in_text,
                            loss<sparse_categorical_crossentropy>>>());

bool read_at_run_time(std::string_view text) {
  return !parse_csv(text).fault.found();
}

// row: _dump_csv(file), format="compute_only"
std::string compute_only_text() {
  const program rows = one_f_one_b::make(2, 2, 4);
  return to_csv(rows.view(), csv_form::compute_only);
}

// row: _validate_schedule, _simulate_comms_compute
static_assert(check_schedule<one_f_one_b, 4, 4, 8>());
using fastest = best_of<one_f_one_b, zb_h1>;
static_assert(study<fastest, 4, 4, 8>::facts.makespan == 27);

// row: model.compile(loss=..., optimizer=...)
struct training : compile<mlp, loss<sparse_categorical_crossentropy>, metrics<accuracy>,
                          optimizer<sgd<momentum>>, micro_batch<32>, gradient_accumulation<4>> {};

// row: .batch(32, drop_remainder=True)
static_assert(check<compile<mlp, micro_batch<32>>>());

// row: _dump_chrometrace
std::string traced() {
  return chrome_trace(draw_model<cut_training>());
}

// row: SparseCategoricalCrossentropy(from_logits=True)
static_assert(check<compile<mlp, loss<sparse_categorical_crossentropy>>>());

// row: SparseCategoricalCrossentropy(from_logits=True) of outputs (steps, classes)
struct position_tagger : model<input<8, 6>, sequential<Dense<16, relu>, Dense<3>>> {};

struct tagged : compile<position_tagger, loss<sparse_categorical_crossentropy, position_weights>,
                        metrics<metric<accuracy, position_weights>>> {};

static_assert(check<tagged>());

[[maybe_unused]] void learn_tags(session<tagged>& run, const std::vector<float>& words,
                                 const std::vector<std::int32_t>& tags,
                                 const std::vector<float>& mask) {
  run.fit(zipped(feature_column<shape{8, 6}>(words), label_column<3, shape{8}>(tags),
                 weight_column<shape{8}>(mask)));
}

// row: SparseCategoricalCrossentropy() on a model with softmax
struct softmax_mlp : model<input<6>, sequential<Dense<3, softmax>>> {};

static_assert(
    check<compile<softmax_mlp, loss<sparse_categorical_crossentropy, from_probabilities>>>());

// row: SparseCategoricalCrossentropy() on a model without softmax
static_assert(
    check<compile<mlp, loss<sparse_categorical_crossentropy, from_clipped_probabilities>>>());

// row: micro-batches between two drains of a pipeline in evaluate and predict
static_assert(check<compile<mlp, inference_micro_batches<16>>>());

// row: keras.Model([a, b], [c, d]), loss={'c': ..., 'd': ...}, loss_weights
struct two_by_two {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor a = build.input("a", {4});
    const symbolic_tensor b = build.input("b", {2});
    const symbolic_tensor both = build.layer<Concatenate>("both", a, b);
    return {build.layer<Dense<3>>("c", both), build.layer<Dense<1>>("d", both)};
  }
};

static_assert(check<compile<two_by_two,
                            loss<for_output<"c", sparse_categorical_crossentropy>,
                                 for_output<"d", mean_squared_error, loss_weight<0.5>>>,
                            metrics<for_output<"c", accuracy>>>>());

// row: MeanSquaredError(), BinaryAccuracy()
static_assert(check<compile<mlp, loss<mean_squared_error>,
                            metrics<metric<binary_accuracy, threshold<0.5F>>>>>());

struct asked_yes_or_no : model<input<4>, sequential<Dense<1>, sigmoid>> {};

static_assert(
    check<compile<asked_yes_or_no, loss<mean_squared_error>, metrics<binary_accuracy>>>());
static_assert(check<compile<mlp, loss<binary_crossentropy>,
                            metrics<metric<binary_accuracy, threshold<0.0F>>>>>());
// row: MeanAbsoluteError(), MeanAbsolutePercentageError(), MeanSquaredLogarithmicError()
static_assert(check<compile<mlp, loss<mean_absolute_error>>>());
static_assert(check<compile<mlp, loss<mean_absolute_percentage_error>>>());
static_assert(check<compile<mlp, loss<mean_squared_logarithmic_error>>>());
// row: Huber(delta=0.5), LogCosh(), Poisson()
static_assert(check<compile<mlp, loss<huber, delta<0.5F>>>>());
static_assert(check<compile<mlp, loss<log_cosh>>>());
static_assert(check<compile<mlp, loss<poisson>>>());
// row: Hinge(), SquaredHinge(), CategoricalHinge()
static_assert(check<compile<mlp, loss<hinge>>>());
static_assert(check<compile<mlp, loss<squared_hinge>>>());
static_assert(check<compile<mlp, loss<categorical_hinge>>>());
// row: BinaryCrossentropy(from_logits=True, label_smoothing=0.1)
static_assert(check<compile<mlp, loss<binary_crossentropy, label_smoothing<0.1F>>>>());

// row: BinaryCrossentropy() on a model with sigmoid
struct answer : model<input<4>, sequential<Dense<1>, sigmoid>> {};

struct fused_answer : model<input<4>, sequential<Dense<1, sigmoid>>> {};

static_assert(check<compile<answer, loss<binary_crossentropy>>>());
static_assert(check<compile<fused_answer, loss<binary_crossentropy>>>());
// row: BinaryCrossentropy() on a model without sigmoid
static_assert(check<compile<mlp, loss<binary_crossentropy, from_clipped_probabilities>>>());
// row: CategoricalCrossentropy(from_logits=True, label_smoothing=0.1)
static_assert(check<compile<mlp, loss<categorical_crossentropy, label_smoothing<0.1F>>>>());
// row: KLDivergence(), CosineSimilarity()
static_assert(check<compile<mlp, loss<kl_divergence>>>());
static_assert(check<compile<mlp, loss<cosine_similarity>>>());
// row: metrics=['mae', 'cosine_similarity', Huber(0.5)]: losses as metrics
static_assert(
    check<compile<mlp, loss<mean_squared_error>,
                  metrics<mean_absolute_error, cosine_similarity, metric<huber, delta<0.5F>>>>>());
// row: AUC(), Precision(thresholds=0.7), Recall()
static_assert(check<compile<answer, loss<binary_crossentropy>,
                            metrics<auc, metric<precision, threshold<0.7F>>, recall>>>());
static_assert(check<compile<answer, loss<binary_crossentropy>, metrics<f1_score>>>());
// row: AUC(curve='PR'); Precision(thresholds=0.3, name='lenient') beside another
static_assert(check<compile<answer, loss<binary_crossentropy>,
                            metrics<metric<auc, curve<"PR">>,
                                    metric<precision, threshold<0.3F>, metric_name<"lenient">>,
                                    metric<precision, threshold<0.7F>>>>>());

// row: tf.math.confusion_matrix; Precision(class_id=i), Recall(class_id=i) of every class
struct confused
    : compile<
          mlp, loss<sparse_categorical_crossentropy>,
          metrics<confusion_matrix, per_class<precision>, per_class<recall>, per_class<f1_score>>> {
};

[[maybe_unused]] std::span<const double> matrix_of(const evaluation& found) {
  static_cast<void>(found.metrics.numbers("precision_per_class"));
  return found.metrics.numbers("confusion_matrix");
}

static_assert(check<confused>());

// row: CategoricalAccuracy(), TopKCategoricalAccuracy(k=3), SparseTopKCategoricalAccuracy(k=3)
static_assert(check<compile<mlp, loss<categorical_crossentropy>,
                            metrics<categorical_accuracy, top_k_categorical_accuracy<3>>>>());
static_assert(check<compile<mlp, loss<sparse_categorical_crossentropy>,
                            metrics<sparse_top_k_categorical_accuracy<3>>>>());
// row: RootMeanSquaredError(), Mean() of the output
static_assert(check<compile<mlp, loss<mean_squared_error>,
                            metrics<root_mean_squared_error, mean_of_output>>>());

// row: sample_weight=w of fit and train_on_batch
struct weighted_training : compile<mlp, loss<mean_squared_error, sample_weights>> {};

struct weighted_classes : compile<mlp, loss<sparse_categorical_crossentropy, sample_weights>> {};

[[maybe_unused]] double weigh(session<weighted_classes>& run, const std::vector<float>& features,
                              const std::vector<std::int32_t>& labels,
                              const std::vector<float>& importance) {
  run.fit(zipped(feature_column<shape{28, 28}>(features), label_column<10>(labels),
                 weight_column(importance)));
  return run.train_step(features, labels, importance);
}

static_assert(check<weighted_training>());

struct weighted_two_by_two
    : compile<two_by_two, loss<for_output<"c", mean_squared_error, sample_weights>,
                               for_output<"d", mean_squared_error, sample_weights>>> {};

[[maybe_unused]] double weigh_both(session<weighted_two_by_two>& run, const std::vector<float>& a,
                                   const std::vector<float>& b, const std::vector<float>& y,
                                   const std::vector<float>& z, const std::vector<float>& v,
                                   const std::vector<float>& w) {
  return run.train_step(input_arrays{a, b}, target_arrays{y, z}, weight_arrays{v, w});
}

// row: sample_weight of shape (samples, steps), a mask
struct steps_to_numbers : model<input<6, 4>, sequential<Dense<2>>> {};

static_assert(check<compile<steps_to_numbers, loss<mean_squared_error, position_weights>>>());

[[maybe_unused]] auto mask(const std::vector<float>& importance) {
  return weight_column<shape{6}>(importance);
}

// row: reduction=Reduction.SUM, SUM_OVER_BATCH_SIZE of a loss
static_assert(check<compile<mlp, loss<mean_squared_error, reduction<"sum">>>>());
static_assert(check<compile<mlp, loss<mean_squared_error, reduction<"sum_over_batch_size">>>>());
static_assert(reduction<"none">::unknown.found());

// row: class_weight={0: 1.0, 1: 4.0} of fit
struct two_classes : model<input<4>, sequential<Dense<2>>> {};

struct weighted_two : compile<two_classes, loss<sparse_categorical_crossentropy, sample_weights>> {
};

[[maybe_unused]] void weigh_classes(session<weighted_two>& run,
                                    const labelled_dataset<shape{4}, 2, float>& data,
                                    const std::vector<float>& features,
                                    const label_column<2>& kinds) {
  const auto weighted = data | class_weighted({1.0F, 4.0F});
  run.fit(weighted | shuffled(100));
  run.fit(zipped(feature_column<shape{4}>(features), kinds, weights_by_class(kinds, {1.0F, 4.0F})));
}

// row: weighted_metrics=['accuracy']
static_assert(check<compile<mlp, loss<sparse_categorical_crossentropy>,
                            metrics<metric<accuracy, sample_weights>>>>());
// row: Adam(0.001, beta_1=0.9)
static_assert(optimizer<adam>::type::settings{}.beta_2 == 0.999F);
constexpr adam::settings decays = {.learning_rate = 0.001F, .beta_1 = 0.9F};
static_assert(!decays.fault().found());
// row: Adam(amsgrad=True), AdamW(weight_decay=0.004)
static_assert(optimizer<amsgrad>::type::settings{}.beta_2 == 0.999F);
constexpr optimizer<adamw>::type::settings shrinking = {.weight_decay = 0.004F};
// row: Adamax(0.001), Nadam(0.001), Lion(0.001)
static_assert(optimizer<adamax>::type::settings{}.beta_1 == 0.9F);
static_assert(optimizer<nadam>::type::settings{}.beta_1 == 0.9F);
static_assert(optimizer<lion>::type::settings{}.beta_2 == 0.99F);
// row: RMSprop(0.001, rho=0.9, momentum=0.9, centered=True)
static_assert(optimizer<rmsprop<>>::type::settings{}.rho == 0.9F);
static_assert(optimizer<rmsprop<momentum>>::type::settings{}.momentum == 0.9F);
constexpr optimizer<rmsprop<momentum, centered>>::type::settings about_mean = {.rho = 0.9F,
                                                                               .momentum = 0.9F};
// row: Adagrad(0.001, initial_accumulator_value=0.1), Adadelta(0.001, rho=0.95)
constexpr optimizer<adagrad>::type::settings sums = {.initial_accumulator_value = 0.1F};
constexpr optimizer<adadelta>::type::settings ratios = {.rho = 0.95F};
// row: Ftrl(0.001, l1_regularization_strength=0.01)
constexpr optimizer<ftrl>::type::settings sparse = {.l1_regularization_strength = 0.01F};
// end of rows
static_assert(!shrinking.fault().found() && !about_mean.fault().found() && !sums.fault().found() &&
              !ratios.fault().found() && !sparse.fault().found());
// row: Adam(clipvalue=0.5), later Keras's SGD(weight_decay=0.004)
static_assert(!optimizer<adam, clipvalue<0.5F>>::fault.found());
static_assert(!optimizer<sgd<momentum>, weight_decay<0.004F>>::fault.found());
// row: Adam(clipnorm=1.0)
static_assert(!optimizer<adam, clipnorm<1.0F>>::fault.found());

// row: Adam(use_ema=True, ema_momentum=0.99), finalize_variable_values
struct averaging
    : compile<mlp, loss<sparse_categorical_crossentropy>, optimizer<adam, moving_average<0.99F>>> {
};

[[maybe_unused]] void save_averages(session<averaging>& run) {
  const auto averaged = run.averaged_weights();
  run.save("averaged.npz");
}

// row: TensorFlow Addons' LAMB(0.001, weight_decay_rate=0.01)
constexpr optimizer<lamb>::type::settings by_norms = {.learning_rate = 0.001F,
                                                      .weight_decay = 0.01F};
static_assert(!by_norms.fault().found());
// row: ExponentialDecay(0.1, 1000, 0.96, staircase=True)
constexpr adam::settings in_steps = {.learning_rate =
                                         exponential_decay{.initial_learning_rate = 0.1F,
                                                           .decay_steps = 1000,
                                                           .decay_rate = 0.96F,
                                                           .staircase = true}};
// row: PiecewiseConstantDecay([1000, 2000], [0.1, 0.01, 0.001])
constexpr adam::settings in_pieces = {
    .learning_rate =
        piecewise_constant_decay{.boundaries = {1000, 2000}, .values = {0.1F, 0.01F, 0.001F}}};
// row: InverseTimeDecay(0.1, 1000, 0.5)
constexpr adam::settings inverse = {
    .learning_rate =
        inverse_time_decay{.initial_learning_rate = 0.1F, .decay_steps = 1000, .decay_rate = 0.5F}};
// row: PolynomialDecay(0.1, 1000, power=2.0, cycle=True)
constexpr adam::settings in_cycles = {
    .learning_rate = polynomial_decay{
        .initial_learning_rate = 0.1F, .decay_steps = 1000, .power = 2, .cycle = true}};
// row: CosineDecay(0.1, 1000, alpha=0.1), CosineDecayRestarts(0.1, 1000, t_mul=2.0)
constexpr adam::settings along_cosine = {
    .learning_rate =
        cosine_decay{.initial_learning_rate = 0.1F, .decay_steps = 1000, .alpha = 0.1F}};
constexpr adam::settings along_cosines = {
    .learning_rate = cosine_decay_restarts{
        .initial_learning_rate = 0.1F, .first_decay_steps = 1000, .t_mul = 2}};
// row: CosineDecay(..., warmup_steps=100)
constexpr adam::settings warmed_up = {
    .learning_rate =
        warm_up{.warmup_steps = 100,
                .schedule = cosine_decay{.initial_learning_rate = 0.1F, .decay_steps = 1000}}};
// row: a LearningRateSchedule of one's own
constexpr adam::settings of_ones_own = {.learning_rate = [](std::uint64_t iteration) {
  return 0.1 / static_cast<double>(1 + iteration);
}};
// end of rows
static_assert(!in_steps.fault().found() && !in_pieces.fault().found() && !inverse.fault().found());
static_assert(!in_cycles.fault().found() && !along_cosine.fault().found());
static_assert(!along_cosines.fault().found() && !warmed_up.fault().found());
static_assert(of_ones_own.learning_rate.at(1) == 0.05 && warmed_up.learning_rate.at(0) == 0);
// row: SGD(0.01, momentum=0.9), nesterov=True
static_assert(optimizer<sgd<momentum>>::type::rule != sgd<>::rule);
static_assert(optimizer<sgd<momentum, nesterov>>::type::rule == sgd<nesterov>::rule);
constexpr sgd<momentum>::settings rates = {.learning_rate = 0.01F, .momentum = 0.9F};

// row: a source of one's own
struct zeros_only {
  static constexpr source_form forms[] = {{dtype::float32, 784}, {dtype::int32, 1, 10}};

  std::int32_t next(const feed_rows& rows) {
    feeds::clear_unused(rows, 0);
    return rows.micro_batch;
  }

  void restart() {}

  std::span<const source_form> sources() const { return forms; }

  std::optional<std::int64_t> length() const { return std::nullopt; }
};

static_assert(feed<zeros_only>);

void print_models() {
  // row: model.summary()
  const std::string summary = summary_text(graph_of<mlp>, "mlp");
  // row: print_pipeline_stage_assignment_summary()
  const std::string stages = stage_assignment_text(graph_of<mlp>, "mlp");
  std::printf("%s%s", summary.c_str(), stages.c_str());
  std::printf("%s", functional_stage_assignment_text(graph_of<two_towers>, "two_towers").c_str());
  constexpr graph_view chosen = planned_graph_of<cut_training::compiled>.view();
  std::printf("%s", stage_assignment_text(chosen, "cut").c_str());
}

void print_data_of_data() {
  const std::vector<std::uint8_t> bytes(2 * 784, 255);
  const std::vector<std::int32_t> labels = {0, 1};
  const std::vector<float> features(2 * 20, 255.0F);
  const std::vector<float> targets(2 * 2, 0.5F);
  const auto numbers = labelled_dataset<shape{20}, 3, float>(features, labels);
  // row: .map(f), of the same shape
  const auto louder = numbers | mapped([](std::span<float> x) {
                        for (float& each : x) {
                          each *= 2;
                        }
                      });
  // row: .map(f), of another shape
  const auto totals =
      numbers | mapped<feature_column<shape{1}>, label_column<3>>(
                    [](std::span<const float> x, std::span<const std::int32_t> label,
                       std::span<float> sum, std::span<std::int32_t> same) {
                      sum[0] = x[0] + x[19];
                      same[0] = label[0];
                    });
  // row: .filter(p)
  const auto ones =
      numbers | filtered([](std::span<const float>, std::span<const std::int32_t> label) {
        return label[0] == 1;
      });
  std::printf("%d of %d samples\n", static_cast<int>(ones.size()), static_cast<int>(totals.size()));
  // row: Dataset.zip((a, b))
  const auto a = feature_column<shape{20}>(features);
  const auto b = target_column<shape{2}>(targets);
  const auto both = zipped(a, b);
  // row: a.concatenate(b)
  const auto all = concatenated(numbers, louder);
  // row: .window(24, shift=1), timeseries_dataset_from_array(x, y, 24)
  const auto series = generated<feature_column<shape{3}>, target_column<shape{1}>>(
      100, [](std::uint32_t i, std::span<float> step, std::span<float> target) {
        step[0] = static_cast<float>(i);
        target[0] = static_cast<float>(i);
      });
  const auto windows = series | windowed<24>({.target_offset = 0});
  const auto sequences = series | windowed<24, window_targets::each_step>();
  std::printf("%d and %d windows\n", static_cast<int>(windows.size()),
              static_cast<int>(sequences.size()));
  // row: .batch(4) before another .map
  const auto fours = series | batched<4>();
  // row: .cache()
  const auto kept = louder | cached();
  std::printf("%d, %d, %d and %d samples\n", static_cast<int>(both.size()),
              static_cast<int>(all.size()), static_cast<int>(fours.size()),
              static_cast<int>(kept.size()));
  // row: .batch(32).map(f)
  auto scaled =
      mapped_batches(make_feed(numbers, 1), [](const feed_rows& rows, std::int32_t count) {
        for (std::int32_t row = 0; row < count; ++row) {
          rows.sources[0].floats(row)[0] /= 255;
        }
      });
  // row: Dataset.from_generator(f, ...)
  auto counted = from_generator<feature_column<shape{20}>, label_column<3>>(
      [i = 0](std::span<float> x, std::span<std::int32_t> label) mutable {
        x[0] = static_cast<float>(i);
        label[0] = i % 3;
        ++i;
        return true;
      },
      1'000);
  std::printf("%d and %d samples\n", static_cast<int>(scaled.length().value_or(-1)),
              static_cast<int>(counted.length().value_or(-1)));
  // row: .shuffle(1000, reshuffle_each_iteration=False)
  const auto once = numbers | shuffled(1'000) | fixed_order(7);
  // row: pd.read_csv(path), make_csv_dataset(path, 32, label_name='kind')
  const std::string text = "size,rooms,kind\n50,2,flat\n120,4,house\n";
  const std::string path = "houses.csv";
  write_file_atomically(path, std::vector<std::uint8_t>(text.begin(), text.end()));
  const csv_table table = read_csv(path);
  const auto houses = zipped(table.features({"size", "rooms"}), table.labels<2>("kind"));
  std::remove("houses.csv");
  // row: np.load(path)['images'], image_dataset_from_directory
  const std::vector<npz_entry> file = {{"images", make_npy<std::uint8_t>(bytes, {2, 28, 28})}};
  const auto pictures = column_of<byte_column<shape{28, 28}>>(file, "images");
  std::printf("%d, %d and %d samples\n", static_cast<int>(once.size()),
              static_cast<int>(houses.size()), static_cast<int>(pictures.size()));
  // row: Dataset.from_tensor_slices((x, y))
  const auto referred = over_arrays<feature_column<shape{20}>, label_column<3>>(features, labels);
  const auto copied = feature_column<shape{20}>(numbers_from<float>(features));
  const std::vector<std::int32_t> words(2 * 16, 999);
  const auto texts = index_column<shape{16}, 1'000>(words);
  std::printf("%d, %d and %d samples\n", static_cast<int>(referred.size()),
              static_cast<int>(copied.size()), static_cast<int>(texts.size()));
}

void print_data() {
  // row: Dataset.from_tensor_slices((x, y))
  const std::vector<std::uint8_t> bytes(2 * 784, 255);
  const std::vector<std::int32_t> labels(2, 1);
  const auto images = labelled_dataset<shape{28, 28}, 10>(bytes, labels);
  const std::vector<float> features(2 * 20, 255.0F);
  const auto numbers = labelled_dataset<shape{20}, 3, float>(features, labels);
  const std::vector<float> targets(2 * 2, 0.5F);
  const auto wanted = paired_dataset<shape{20}, shape{2}>(features, targets);
  std::printf("data sets of %d and %d samples\n", static_cast<int>(numbers.size()),
              static_cast<int>(wanted.size()));
#if defined(WITH_XTENSOR)
  const xt::xtensor<std::uint8_t, 3> x = xt::zeros<std::uint8_t>({2, 28, 28});
  const xt::xtensor<std::int32_t, 1> y = xt::zeros<std::int32_t>({2});
  if (as_dataset<shape{28, 28}, 10>(x, y).size() != 2) {
    std::printf("another number of samples\n");
  }
#endif
#if defined(WITH_HANA)
  weights_of<mlp> known;
  sgd_settings settings;
  if (learned_kernel(0, known, settings).size() != 784 * 16) {
    std::printf("another number of weights\n");
  }
#endif
  // row: x / 255.0
  std::vector<float> seen(784);
  images.gather(0, seen.data());
  std::printf("a byte of 255 is read as %.1f, ", static_cast<double>(seen[0]));
  numbers.gather(0, seen.data());
  std::printf("a float of 255 as %.1f\n", static_cast<double>(seen[0]));
  // row: .shuffle(10000), .repeat(), .repeat(3), .take(n), .skip(n)
  const auto& data = images;
  const std::int64_t n = 1;
  auto endless = make_feed(data | shuffled(10'000) | repeated(), 1);
  auto three = make_feed(data | skip(n) | take(n) | repeated(3), 1);
  std::printf("an end: %s, %d samples\n", endless.length() ? "yes" : "no",
              static_cast<int>(three.length().value_or(-1)));
  // row: keras.datasets.mnist.load_data()
  try {
    const std::string directory = "nowhere";
    const mnist::data found = mnist::load(directory);
    std::printf("%d and %d digits\n", static_cast<int>(found.train.size()),
                static_cast<int>(found.test.size()));
#if defined(WITH_GZIP)
    mnist::load(directory, read_file_or_gzip);
#endif
  } catch (const error& refused) {
    std::printf("%s\n", refused.what());
  }
}

// row: a * b + c
template <typename Math, typename Vector>
Vector multiplied_and_added(const Vector& a, const Vector& b, const Vector& c) {
  return Math::multiply_add(a, b, c);
}

// row: a / b, tf.sqrt(a)
template <typename Math, typename Vector>
Vector root_of_quotient(const Vector& a, const Vector& b) {
  return Math::square_root(a) - Math::divide(a, b);
}

// row: tf.where(a < b, x, y)
template <typename Math, typename Vector>
Vector chosen(const Vector& a, const Vector& b, const Vector& x, const Vector& y) {
  return Math::choose(a < b, x, y);
}

// row: tf.maximum(a, b), tf.minimum(a, b)
template <typename Math, typename Vector>
Vector range_of(const Vector& a, const Vector& b) {
  return Math::maximum(a, b) - Math::minimum(a, b);
}

// row: tf.abs(x), tf.sign(x)
template <typename Math, typename Vector>
Vector zero_of(const Vector& x) {
  return Math::magnitude(x) * Math::sign(x) - x;
}

// row: tf.exp(x), tf.math.log(x)
template <typename Math, typename Vector>
Vector same_again(const Vector& x) {
  return Math::exponential(x) - Math::logarithm(x);
}

// row: tf.math.log1p(x)
template <typename Math, typename Vector>
Vector just_above_one(const Vector& x) {
  return Math::logarithm_of_one_plus(x);
}

// row: tf.sigmoid(x), tf.tanh(x)
template <typename Math, typename Vector>
Vector between_bounds(const Vector& x) {
  return Math::logistic(x) - Math::hyperbolic_tangent(x);
}

// end of rows
[[maybe_unused]] float computed(float a, float b) {
  using Math = kernels::arithmetic;
  return multiplied_and_added<Math>(a, b, a) + root_of_quotient<Math>(a, b) +
         chosen<Math>(a, b, a, b) + range_of<Math>(a, b) + zero_of<Math>(a) + same_again<Math>(a) +
         just_above_one<Math>(a) + between_bounds<Math>(a);
}

struct shaper : model<input<8, 1>, Dense<1, hyperbolic_tangent>> {};

void load_from_elsewhere(parameters& weights) {
  struct {
    parameters& from;

    parameters& weights() const { return from; }
  } run{weights};

  const std::vector<float> first(784 * 16);
  const std::vector<float> bias(16);
  const std::vector<float> last(16 * 10);
  const std::vector<float> scores(10);
  // row: model.weights of a Keras model elsewhere, as NPZ or safetensors
  write_npz("keras.npz",
            std::vector<npz_entry>{{"dense/kernel:0", make_npy<float>(first, {784, 16})},
                                   {"dense/bias:0", make_npy<float>(bias, {16})},
                                   {"logits/kernel:0", make_npy<float>(last, {16, 10})},
                                   {"logits/bias:0", make_npy<float>(scores, {10})}});
  load_keras<mlp>(run.weights(), "keras.npz",
                  {.names = {{"dense", "dense_1"}, {"logits", "dense_2"}}});
  std::remove("keras.npz");
  // row: PyTorch's load_state_dict, from NPZ or safetensors
  write_safetensors("model.safetensors",
                    std::vector<safetensors_entry>{{"fc1.weight", {16, 784}, first},
                                                   {"fc1.bias", {16}, bias},
                                                   {"fc2.weight", {10, 16}, last},
                                                   {"fc2.bias", {10}, scores}});
  load_pytorch<mlp>(run.weights(), "model.safetensors",
                    {.names = {{"fc1", "dense_1"}, {"fc2", "dense_2"}}});
  std::remove("model.safetensors");
  // row: RTNeural's json_parser::parseJson<float>(stream)
  const std::string_view written = R"({"in_shape": [null, null, 1], "layers": [
      {"type": "dense", "activation": "tanh", "weights": [[[0.5]], [0]]}]})";
  write_file_atomically("model.json", std::vector<std::uint8_t>(written.begin(), written.end()));
  weights_of<shaper> loaded;
  load_rtneural<shaper>(loaded, "model.json");
  std::remove("model.json");
  // end of rows
}

void print_training() {
  // row: keras.datasets.mnist.load_data()
  const auto digits = synthetic_digits(640, 1);
  const auto data = digits | repeated();
  // row: tf.random.set_seed(7)
  session<training> run{rates, {.seed = 7}};
  auto order = make_feed(data, 7);
  run.fit(order, {.steps_per_epoch = 20});
  // row: K.set_value(optimizer.learning_rate, 0.001)
  run.set_optimizer({.learning_rate = 0.001F, .momentum = 0.9F});

  // row: model.fit(data, epochs=4, steps_per_epoch=500)
  run.fit(data, {.epochs = 4, .steps_per_epoch = 500});
  // row: steps_per_execution=100
  run.fit(data, {.steps_per_epoch = 200, .steps_per_execution = 100});
  // row: a callback's on_epoch_end, on_train_batch_end
  int calls = 0;

  struct {
    int* calls;

    void on_epoch_end(const epoch_record&) const { ++*calls; }

    void on_train_batch_end(const execution_record&) const { ++*calls; }
  } counts{&calls};

  run.fit(data, {.steps_per_epoch = 8, .steps_per_execution = 4}, counts);
  std::printf("%d calls\n", calls);
  // row: LambdaCallback(on_epoch_end=f)
  const auto on_epoch = [&](const epoch_record&) { ++calls; };
  run.fit(data, {.steps_per_epoch = 8}, on_epoch);
  // row: self.model.stop_training = True
  run.fit(data, {.epochs = 9, .steps_per_epoch = 8}, [](const epoch_record& epoch) {
    return epoch.loss < 2.5 ? stop_request::yes : stop_request::no;
  });
  run.fit(data, {.epochs = 9, .steps_per_epoch = 8},
          [](const epoch_record&, training_run& of) { of.request_stop(); });
  const auto unseen = synthetic_digits(100, 2);
  const auto rate_of_epoch = [](std::int32_t epoch, float rate) {
    return epoch == 0 ? rate : rate / 2;
  };
  // row: EarlyStopping(monitor='val_loss', patience=3)
  run.fit(data, {.epochs = 2, .steps_per_epoch = 8}, validation_data(unseen),
          early_stopping({.monitor = "val_loss", .patience = 3}),
          // row: ModelCheckpoint(path, save_best_only=True)
          model_checkpoint({.filepath = "w.{epoch:02d}.npz", .save_best_only = true}),
          // row: ReduceLROnPlateau(factor=0.2, patience=5), LearningRateScheduler(f)
          reduce_lr_on_plateau({.factor = 0.2F, .patience = 5}),
          learning_rate_scheduler(rate_of_epoch),
          // row: CSVLogger('log.csv'), TerminateOnNaN()
          csv_logger({.filename = "log.csv"}), terminate_on_nan(),
          json_lines({.filename = "log.jsonl"}),
          // row: BackupAndRestore('backup', save_freq=100)
          backup_and_restore({.filename = "backup.npz", .save_freq = 100}));
  // row: verbose=1 of fit, ProgbarLogger()
  run.fit(data, {.epochs = 1, .steps_per_epoch = 8}, progress_bar());
  run.fit(data, {.epochs = 1, .steps_per_epoch = 8}, progress_bar({.verbose = verbosity::line}));
  // row: model.set_asynchronous_callbacks(True)
  run.fit(data, {.epochs = 1, .steps_per_epoch = 8}, asynchronous(on_epoch));
  // end of rows
  for (const char* written : {"w.01.npz", "w.02.npz", "log.csv", "log.jsonl"}) {
    std::remove(written);
  }
  // row: validation_data=(x, y), validation_freq=2
  const history& validated =
      run.fit(data, {.epochs = 2, .steps_per_epoch = 8, .validation_frequency = 2},
              validation_data(unseen));
  // row: history.history['val_accuracy']
  std::printf("accuracy of the validation at most 1: %s\n",
              validated.epochs()[1]["val_accuracy"] <= 1 ? "yes" : "no");
  std::printf("validated on %d digits\n",
              static_cast<int>(validated.epochs()[1].validation.samples));
  // row: validation_split=0.2
  run.fit(digits | shuffled(512), {.validation_split = 0.2});
  // row: initial_epoch=1
  run.fit(data, {.epochs = 2, .steps_per_epoch = 8, .initial_epoch = 1});
  // row: gradient_accumulation_count of PipelineModel
  run.fit(data, {.steps_per_epoch = 2, .step = step_unit::update});
  // row: history.history['loss']
  const history& passed = run.fit(data, {.epochs = 2, .steps_per_epoch = 8});
  std::printf("%zu epochs, the last is %d; %zu losses; below 2 at last: %s\n",
              passed.epochs().size(), passed.epochs().back().epoch, passed.losses().size(),
              passed.epochs().back().loss < 2.0 ? "yes" : "no");
  // row: model.train_on_batch(x, y)
  std::vector<float> features(4 * 32 * 784);
  std::vector<std::int32_t> labels(4 * 32);
  for (std::uint32_t i = 0; i < 4 * 32; ++i) {
    digits.gather(i, features.data() + 784 * i);
    labels[i] = digits.label(i);
  }
  run.train_step(features, labels);
  run.train_step(features, labels, non_finite::refused);
#if defined(WITH_XTENSOR)
  const xt::xtensor<std::uint8_t, 3> x = xt::ones<std::uint8_t>({128, 28, 28});
  const xt::xtensor<std::int64_t, 1> y = xt::zeros<std::int64_t>({128});
  run.train_step(x / 255.0F, y);
#endif
  // row: model.fit(x, y, epochs=2, validation_data=(u, v)), model.evaluate(u, v)
  run.fit(features, labels, {.epochs = 2}, validation_data(features, labels));
  const evaluation looked_at = run.evaluate(features, labels);
  if (looked_at.samples != 128) {
    std::printf("another number of samples\n");
  }
  // row: model.predict(x)
  std::vector<float> output(4 * 32 * 10);
  run.predict(features, output);
#if defined(WITH_XTENSOR)
  const xt::xtensor<float, 2> scores = predicted(run, x / 255.0F);
  if (scores.shape()[0] != 128) {
    std::printf("another number of predictions\n");
  }
#endif
  // row: model.predict(dataset)
  std::vector<float> output_of_digits(static_cast<std::size_t>(digits.size()) * 10);
  run.predict(digits, output_of_digits);
  // row: model.save_weights(path), model.load_weights(path)
  run.save("weights.npz");
  run.load("weights.npz");
#if defined(WITH_GZIP)
  load_weights(run.weights(), "weights.npz", inflate_entry);
#endif
  std::remove("weights.npz");
  // row: model.load_weights(path, by_name=True, skip_mismatch=True)
  save_safetensors(run.weights(), "base.safetensors");
  const load_report partly = load_by_name(run.weights(), "base.safetensors", {.partly = true});
  std::printf("%s", partly.text().c_str());
  std::remove("base.safetensors");
  load_from_elsewhere(run.weights());
  // row: a checkpoint with the optimizer's slots
  run.save_training("state.npz");
  run.load_training("state.npz");
  auto feed = make_feed(data, 1);
  run.save_training("state.npz", feed);
  run.load_training("state.npz", feed);
  std::remove("state.npz");
}

// row: tf.GradientTape, tape.gradient, optimizer.apply_gradients
struct small_mlp : model<input<4>, sequential<named<"logits", Dense<3>>>> {};

struct by_hand : compile<small_mlp, micro_batch<4>, gradients_in_hand, outfeed_outputs,
                         loss<sparse_categorical_crossentropy>> {};

// end of rows
void hand_out(session<by_hand>& run, const std::vector<float>& features,
              const std::vector<std::int32_t>& labels) {
  // row: outfeed_queue of a pipeline that trains; accumulate_outfeed=True, accumulate_outfeed_dtype
  static_assert(
      check<compile<small_mlp, outfeed_outputs, loss<sparse_categorical_crossentropy>>>());
  {
    training_outfeed every(run, {.depth = 8});
    run.train_step(features, labels);
  }
  training_outfeed updates(run, {.depth = 2}, outfeed_sum::float64);
  run.train_step(features, labels);
  // end of rows
  std::printf("%zu numbers\n", updates.dequeue()["logits"].size());
}

// row: tf.GradientTape, tape.gradient, optimizer.apply_gradients
void train_by_hand(const std::vector<float>& features, const std::vector<std::int32_t>& labels) {
  session<by_hand> run;
  run.compute_gradients(features, labels);
  const parameters& made = run.gradients();
  run.apply_gradients();
  std::printf("%zu gradients\n", made.size());
  hand_out(run, features, labels);
}

// row: ipu.loops.repeat(10, body, [a, b]), tf.while_loop
struct sum_and_difference {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor a = build.input("a", {4});
    const symbolic_tensor b = build.input("b", {4});
    return {build.layer<Add>("d1", a, b), build.layer<Subtract>("d2", a, b)};
  }
};

struct body : compile<sum_and_difference, micro_batch<1>> {};

void carry(session<body>& run) {
  std::array<float, 4> a{1, 1, 1, 1};
  std::array<float, 4> b{1, 1, 1, 1};
  repeat<10>(run, carried_values<2>{a, b});
  const auto holds = [](const carried_values<2>& now) { return now[0][0] < 100; };
  const std::int64_t more = repeat_while(run, carried_values<2>{a, b}, holds);
  std::printf("carried %g, %d more\n", static_cast<double>(a[0]), static_cast<int>(more));
}

// end of rows

void print_queues(const digit_dataset& digits) {
  session<training> run{rates};
  auto source = make_feed(digits | repeated(), 7);
  // row: .prefetch(2)
  run.fit(prefetched(source), {.steps_per_epoch = 8});
  run.fit(prefetched(digits | shuffled(640) | repeated(), 7, {.depth = 2}), {.steps_per_epoch = 8});
  // row: ipu_infeed_queue.IPUInfeedQueue(dataset, prefetch_depth=3)
  infeed_queue infeed(source, {.micro_batch = 32, .depth = 3});
  run.fit(infeed, {.steps_per_epoch = 8});
  // row: ipu_outfeed_queue.IPUOutfeedQueue() of a training loop, outfeed_loss=True
  loss_outfeed losses(run, {.depth = 500});
  run.fit(infeed, {.steps_per_epoch = 8});
  const std::size_t lost = losses.dequeue()["loss"].size();
  // row: IPUOutfeedQueue(outfeed_mode=LAST, buffer_depth=3)
  const outfeed_options last{.mode = outfeed_mode::last};
  const outfeed_options deep{.depth = 3};
  // row: --use_synthetic_data, --null_data_feed
  null_feed made_up = null_feed_of<training>();
  run.fit(made_up, {.steps_per_epoch = 8});
  // end of rows
  std::printf("%zu losses, %d and %d\n", lost, static_cast<int>(last.mode),
              static_cast<int>(deep.depth));
}

void print_benchmarks() {
  const std::vector<float> features(16 * 4);
  const std::vector<std::int32_t> labels(16);
  const labelled_dataset<shape{4}, 3, float> samples(features, labels);
  const auto data = samples | repeated();
  // row: ipu.dataset_benchmark.dataset_benchmark(dataset, 10, 512)
  const std::string json =
      dataset_benchmark(data, {.micro_batch = 4}, {.number_of_epochs = 10, .elements_per_epoch = 2})
          .json();
  auto source = make_feed(data, 1);
  infeed_queue infeed(source, {.micro_batch = 4});
  // row: ipu.dataset_benchmark.infeed_benchmark(infeed, 1, 2)
  const benchmark_result found =
      infeed_benchmark(infeed, {.elements_per_epoch = 2, .print_stats = false});
  // end of rows
  std::printf("%zu epoch, JSON: %s\n", found.epochs.size(), json.empty() ? "no" : "yes");
  train_by_hand({features.begin(), features.begin() + 16}, {labels.begin(), labels.begin() + 4});
}

void print_loops() {
  session<body> run;
  carry(run);
  null_feed made_up = null_feed_of<body>(7);
  infeed_queue infeed(made_up, {.micro_batch = 1});
  // row: for x in outfeed_queue on a second thread
  output_outfeed<body> results({.depth = 20, .reader = outfeed_reader::meanwhile});
  int seen = 0;
  const auto read = [&] {
    for (const outfeed_element each : results) {
      seen += each["d1"].size() == 4 ? 1 : 0;
    }
  };
  // row: ipu.loops.repeat(10, body, [], infeed_queue)
  repeat<10>(run, infeed, results);
  // row: outfeed_queue.dequeue(), a dictionary
  const outfeed_values found = results.dequeue();
  const std::span<const float> d1 = found["d1"];
  const std::vector<std::int64_t> extents = found.extents("d1");
  // row: outfeed_mask=[True, False]
  output_outfeed<body> second({.depth = 10}, {true, false});
  // end of rows
  repeat<10>(run, infeed, results);
  results.close();
  read();
  std::printf("%zu sums, %zu axes, %d seen, %zu enqueued\n", d1.size(), extents.size(), seen,
              second.form().tensors().size());
}

void print_evaluation() {
  const auto data = synthetic_digits(640, 1);
  session<training> run;
  // row: model.evaluate(data)
  const evaluation found = run.evaluate(data);
  std::printf("loss above 1: %s, of %d samples\n", found.loss > 1 ? "yes" : "no",
              static_cast<int>(found.samples));
  // row: metrics=['accuracy']
  static_assert(check<compile<mlp, loss<sparse_categorical_crossentropy>, metrics<accuracy>>>());
  std::printf("accuracy at first below 0.5: %s\n", found.metrics["accuracy"] < 0.5 ? "yes" : "no");
  run.fit(data, {.steps_per_epoch = 4}, [](const epoch_record& epoch) {
    std::printf("accuracy of four steps at most 1: %s\n",
                epoch.metrics["accuracy"] <= 1 ? "yes" : "no");
  });
}

namespace plain {

// row: SGD(0.01)
struct training : compile<named_mlp, loss<sparse_categorical_crossentropy>, metrics<accuracy>,
                          optimizer<sgd<>>> {};

void print_weights() {
  session<training> run{{.learning_rate = 0.01F}};
  // row: layer.get_weights(), layer.set_weights(...)
  std::vector<float> values(8 * 10);
  run.weights().get("logits/kernel", values);
  run.weights().set("logits/kernel", values);
#if defined(WITH_XTENSOR)
  const auto kernel = as_xtensor<2>(run.weights(), "logits", "kernel");
  set_from(run.weights(), "logits", "kernel", 0.5F * kernel);
#endif
  // end of rows
  weights_of<named_mlp> weights;
  weights.copy_from(run.weights());
  predictor<named_mlp> alone(weights);
  std::array<float, 6> sample{};
  std::printf("%zu scores\n", alone.push(sample).size());
}

// row: pipelining_ops.pipeline(..., inputs=[temperature]): numbers of a run that its stages read
struct sharpened {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor temperature = build.value("temperature", 1.0F);
    const symbolic_tensor logits = build.layer<Dense<3>>("logits", build.input({4}));
    return build.layer<ScaleByValue>("", logits, temperature);
  }
};

void predict_sharpened() {
  const std::array<float, 4> x{1, 2, 3, 4};
  std::array<float, 3> y{};
  session<compile<sharpened, micro_batch<1>>> run;
  run.set<"temperature">(0.5F);
  run.predict(x, y);
  weights_of<sharpened> weights;
  weights.copy_from(run.weights());
  predictor<sharpened> given(weights);
  given.set<"temperature">(0.5F);
  std::printf("scaled alike: %s\n", given.push(x)[0] == y[0] ? "yes" : "no");
}

// end of rows

void predict_two_by_two() {
  const std::array<float, 4> a{1, 2, 3, 4};
  const std::array<float, 2> b{5, 6};
  std::array<float, 3> c{};
  std::array<float, 1> d{};
  weights_of<two_by_two> weights;
  // row: model.predict([a, b]), model([a, b], training=False)
  session<compile<two_by_two, micro_batch<1>>> run;
  run.predict(input_arrays{a, b}, output_arrays{c, d});
  predictor<two_by_two> given(weights);
  const bool right = given.predict(input_arrays{a, b}, output_arrays{c, d});
  const auto [same_c, same_d] = given.push(a, b);
  // end of rows
  std::printf("%s, %zu and %zu\n", right ? "predicted" : "refused", same_c.size(), same_d.size());
}

}  // namespace plain

}  // namespace

int main() {
  std::printf("[porting]\n");
  print_models();
  print_data();
  print_data_of_data();
  print_training();
  print_queues(synthetic_digits(640, 1));
  print_benchmarks();
  print_loops();
  print_evaluation();
  plain::print_weights();
  plain::predict_sharpened();
  plain::predict_two_by_two();
  std::printf("read %s, written %zu lines\n", read_at_run_time("0F0,0B0\n") ? "yes" : "no",
              static_cast<std::size_t>(std::ranges::count(compute_only_text(), '\n')));
  const program rows = one_f_one_b::make(2, 2, 4);
  using two = study<one_f_one_b, 2, 2, 4>;
  const std::string page = timeline_text(two::rows, two::timeline, two::facts, "1f1b");
  const std::string picture = timeline_svg(draw_model<cut_training>());
  std::printf("drawn %s\n[/porting]\n",
              !page.empty() && !picture.empty() && !traced().empty() ? "yes" : "no");
  return 0;
}
