// SPDX-License-Identifier: MIT
// Layers that move more than they compute, by the primitives of oneDNN: channels last, and where a
// layer sees images also in blocks of channels.
#include <dnnl.hpp>
#include <unordered_map>

#include "peers/memory_bound.hpp"

namespace peers {
namespace {

using dnnl::memory;
using tag = memory::format_tag;

constexpr float epsilon = 1e-3F;
const auto scaled_and_shifted =
    dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift;

memory::desc described(const memory::dims& extents, tag layout) {
  return {extents, memory::data_type::f32, layout};
}

class primitive_layer final : public memory_bound_contestant {
 public:
  primitive_layer(const memory_bound_question& question, tag layout)
      : question_(question), layout_(layout) {
    switch (question.kind) {
      case memory_bound_kind::layer_normalization:
      case memory_bound_kind::layer_normalization_gradient:
        prepare_layer_normalization();
        break;
      case memory_bound_kind::batch_normalization:
      case memory_bound_kind::batch_normalization_gradient:
        prepare_batch_normalization();
        break;
      case memory_bound_kind::max_pooling:
        prepare_pooling();
        break;
      case memory_bound_kind::gelu:
      case memory_bound_kind::gelu_gradient:
        prepare_gelu();
        break;
      case memory_bound_kind::softmax:
        prepare_softmax();
        break;
    }
  }

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      primitive_.execute(stream_, arguments_);
      stream_.wait();
    }
  }

  std::vector<float> result() override {
    const memory::desc written = written_.get_desc();
    const memory::desc rows =
        described(written.dims(), written.dims().size() == 4 ? tag::nhwc : tag::ab);
    std::vector<float> made(rows.get_size() / sizeof(float));
    memory plain(rows, engine_, made.data());
    dnnl::reorder(written_, plain).execute(stream_, written_, plain);
    stream_.wait();
    return made;
  }

  std::span<const float> written() const override {
    return {static_cast<const float*>(written_.get_data_handle()),
            written_.get_desc().get_size() / sizeof(float)};
  }

 private:
  memory::desc rows() const { return described({question_.samples, question_.channels}, tag::ab); }

  memory::desc images(std::int64_t smaller = 1) const {
    return described({question_.samples, question_.channels, question_.rows / smaller,
                      question_.columns / smaller},
                     layout_);
  }

  memory::desc channels() const { return described({question_.channels}, tag::a); }

  /// Numbers of the question, laid out as `wanted`.
  memory given(const measure::buffer& numbers, const memory::desc& wanted) {
    const tag plain_layout = wanted.dims().size() == 4   ? tag::nhwc
                             : wanted.dims().size() == 2 ? tag::ab
                                                         : tag::a;
    // oneDNN takes memory without const even where it only reads.
    memory plain(described(wanted.dims(), plain_layout), engine_,
                 const_cast<float*>(numbers.data()));
    if (plain.get_desc() == wanted) {
      return plain;
    }
    memory made(wanted, engine_);
    dnnl::reorder(plain, made).execute(stream_, plain, made);
    stream_.wait();
    return made;
  }

  void writes(int argument, const memory::desc& wanted) {
    written_ = memory(wanted, engine_);
    arguments_.emplace(argument, written_);
  }

  /// Takes a forward pass with its moments, and goes on to the backward one.
  template <typename Forward, typename Backward>
  void prepare_normalization(const memory::desc& data, const memory::desc& moments, bool backward) {
    const typename Forward::primitive_desc forward(
        {dnnl::prop_kind::forward_training, data, epsilon, scaled_and_shifted}, engine_);
    const memory mean(moments, engine_);
    const memory variance(moments, engine_);
    primitive_ = Forward(forward);
    arguments_ = {{DNNL_ARG_SRC, given(question_.x, data)},
                  {DNNL_ARG_SCALE, given(question_.gamma, channels())},
                  {DNNL_ARG_SHIFT, given(question_.beta, channels())},
                  {DNNL_ARG_MEAN, mean},
                  {DNNL_ARG_VARIANCE, variance}};
    writes(DNNL_ARG_DST, data);
    if (!backward) {
      return;
    }
    run(1);
    const typename Backward::primitive_desc chosen(
        {dnnl::prop_kind::backward, data, data, epsilon, scaled_and_shifted}, engine_, forward);
    primitive_ = Backward(chosen);
    arguments_.erase(DNNL_ARG_DST);
    arguments_.emplace(DNNL_ARG_DIFF_DST, given(question_.d, data));
    arguments_.emplace(DNNL_ARG_DIFF_SCALE, memory(channels(), engine_));
    arguments_.emplace(DNNL_ARG_DIFF_SHIFT, memory(channels(), engine_));
    writes(DNNL_ARG_DIFF_SRC, data);
  }

  void prepare_layer_normalization() {
    prepare_normalization<dnnl::layer_normalization_forward, dnnl::layer_normalization_backward>(
        rows(), described({question_.samples}, tag::a),
        question_.kind == memory_bound_kind::layer_normalization_gradient);
  }

  void prepare_batch_normalization() {
    prepare_normalization<dnnl::batch_normalization_forward, dnnl::batch_normalization_backward>(
        images(), channels(), question_.kind == memory_bound_kind::batch_normalization_gradient);
  }

  void prepare_pooling() {
    const memory::dims two{2, 2};
    const memory::dims none{0, 0};
    const dnnl::pooling_forward::primitive_desc chosen(
        {dnnl::prop_kind::forward_inference, dnnl::algorithm::pooling_max, images(), images(2), two,
         two, none, none},
        engine_);
    primitive_ = dnnl::pooling_forward(chosen);
    arguments_ = {{DNNL_ARG_SRC, given(question_.x, images())}};
    writes(DNNL_ARG_DST, images(2));
  }

  void prepare_gelu() {
    const dnnl::eltwise_forward::primitive_desc forward(
        {dnnl::prop_kind::forward_training, dnnl::algorithm::eltwise_gelu_erf, rows(), 0, 0},
        engine_);
    arguments_ = {{DNNL_ARG_SRC, given(question_.x, rows())}};
    if (question_.kind == memory_bound_kind::gelu) {
      primitive_ = dnnl::eltwise_forward(forward);
      writes(DNNL_ARG_DST, rows());
      return;
    }
    const dnnl::eltwise_backward::primitive_desc backward(
        {dnnl::algorithm::eltwise_gelu_erf, rows(), rows(), 0, 0}, engine_, forward);
    primitive_ = dnnl::eltwise_backward(backward);
    arguments_.emplace(DNNL_ARG_DIFF_DST, given(question_.d, rows()));
    writes(DNNL_ARG_DIFF_SRC, rows());
  }

  void prepare_softmax() {
    const dnnl::softmax_forward::primitive_desc chosen(
        {dnnl::prop_kind::forward_inference, rows(), 1}, engine_);
    primitive_ = dnnl::softmax_forward(chosen);
    arguments_ = {{DNNL_ARG_SRC, given(question_.x, rows())}};
    writes(DNNL_ARG_DST, rows());
  }

  const memory_bound_question& question_;
  tag layout_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  dnnl::primitive primitive_;
  std::unordered_map<int, memory> arguments_;
  memory written_;
};

std::unique_ptr<memory_bound_contestant> make(const memory_bound_question& question) {
  return std::make_unique<primitive_layer>(question, tag::nhwc);
}

template <tag Layout>
std::unique_ptr<memory_bound_contestant> make_in_blocks(const memory_bound_question& question) {
  return question.rows > 1 ? std::make_unique<primitive_layer>(question, Layout) : nullptr;
}

const memory_bound_entry enters("oneDNN", make);
const memory_bound_entry blocks_of_8_enter("oneDNN", make_in_blocks<tag::nChw8c>);
const memory_bound_entry blocks_of_16_enter("oneDNN", make_in_blocks<tag::nChw16c>);

}  // namespace
}  // namespace peers
