// SPDX-License-Identifier: MIT
// Convolutions by the primitives of oneDNN, everything in the layouts that it prefers.
#include <dnnl.hpp>
#include <unordered_map>

#include "peers/convolution.hpp"

namespace peers {
namespace {

using dnnl::memory;

memory::desc described(const memory::dims& extents, const memory::dims& strides) {
  return {extents, memory::data_type::f32, strides};
}

/// A description that leaves the layout to oneDNN.
memory::desc any_of(const memory::desc& rows) {
  return {rows.dims(), memory::data_type::f32, memory::format_tag::any};
}

/// [samples, rows, columns, features].
memory::desc images(std::int64_t samples, std::int64_t rows, std::int64_t columns,
                    std::int64_t features) {
  return described({samples, features, rows, columns},
                   {rows * columns * features, 1, columns * features, features});
}

memory::desc kernel_of(const convolution_shape& shape) {
  const std::int64_t channels = shape.depth();
  const std::int64_t filters = shape.filters;
  const std::int64_t tap = channels * filters;
  if (shape.groups == 1) {
    return described({filters, channels, shape.kernel_rows, shape.kernel_columns},
                     {1, filters, shape.kernel_columns * tap, tap});
  }
  const std::int64_t of_group = filters / shape.groups;
  return described({shape.groups, of_group, channels, shape.kernel_rows, shape.kernel_columns},
                   {of_group, 1, filters, shape.kernel_columns * tap, tap});
}

/// Positions behind the image that the last output meets.
std::int64_t padding_behind(std::int32_t inputs, std::int32_t outputs, std::int32_t taps,
                            std::int32_t padding, std::int32_t stride, std::int32_t dilation) {
  return (outputs - 1) * stride + (taps - 1) * dilation + 1 - inputs - padding;
}

struct places {
  memory::dims strides;
  memory::dims dilations;
  memory::dims before;
  memory::dims behind;

  explicit places(const convolution_shape& of)
      : strides{of.rows == 1 ? 1 : of.stride, of.stride},
        dilations{0, of.dilation - 1},
        before{of.padding_rows, of.padding_columns},
        behind{padding_behind(of.rows, of.output_rows, of.kernel_rows, of.padding_rows,
                              of.rows == 1 ? 1 : of.stride, 1),
               padding_behind(of.columns, of.output_columns, of.kernel_columns, of.padding_columns,
                              of.stride, of.dilation)} {}
};

class convolution final : public convolution_contestant {
 public:
  explicit convolution(const convolution_question& question)
      : question_(question),
        image_(images(question.batch, question.shape.rows, question.shape.columns,
                      question.shape.channels)),
        output_(images(question.batch, question.shape.output_rows, question.shape.output_columns,
                       question.shape.filters)),
        kernel_(kernel_of(question.shape)),
        bias_({question.shape.filters}, memory::data_type::f32, memory::format_tag::a) {
    if (question.direction == convolution_direction::forward) {
      prepare_forward();
    } else if (question.direction == convolution_direction::input_gradient) {
      prepare_input_gradient();
    } else {
      prepare_weight_gradient();
    }
  }

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      primitive_.execute(stream_, arguments_);
      stream_.wait();
    }
  }

  std::vector<float> result() override {
    run(1);
    const auto elements = static_cast<std::size_t>(written_.get_size() / sizeof(float));
    std::vector<float> rows(elements);
    memory plain(written_, engine_, rows.data());
    memory& laid = arguments_.at(written_argument_);
    dnnl::reorder(laid, plain).execute(stream_, laid, plain);
    stream_.wait();
    return rows;
  }

 private:
  dnnl::convolution_forward::primitive_desc forward_of(dnnl::prop_kind kind) {
    const places at(question_.shape);
    const dnnl::convolution_forward::desc wanted(
        kind, dnnl::algorithm::convolution_direct, any_of(image_), any_of(kernel_), bias_,
        any_of(output_), at.strides, at.dilations, at.before, at.behind);
    return {wanted, engine_};
  }

  void prepare_forward() {
    const auto chosen = forward_of(dnnl::prop_kind::forward_inference);
    primitive_ = dnnl::convolution_forward(chosen);
    arguments_ = {{DNNL_ARG_SRC, laid(question_.x, image_, chosen.src_desc())},
                  {DNNL_ARG_WEIGHTS, laid(question_.w, kernel_, chosen.weights_desc())},
                  {DNNL_ARG_BIAS, laid(question_.bias, bias_, bias_)}};
    writes(DNNL_ARG_DST, output_, chosen.dst_desc());
  }

  void prepare_input_gradient() {
    const places at(question_.shape);
    const dnnl::convolution_backward_data::desc wanted(
        dnnl::algorithm::convolution_direct, any_of(image_), any_of(kernel_), any_of(output_),
        at.strides, at.dilations, at.before, at.behind);
    const dnnl::convolution_backward_data::primitive_desc chosen(
        wanted, engine_, forward_of(dnnl::prop_kind::forward_training));
    primitive_ = dnnl::convolution_backward_data(chosen);
    arguments_ = {{DNNL_ARG_DIFF_DST, laid(question_.d, output_, chosen.diff_dst_desc())},
                  {DNNL_ARG_WEIGHTS, laid(question_.w, kernel_, chosen.weights_desc())}};
    writes(DNNL_ARG_DIFF_SRC, image_, chosen.diff_src_desc());
  }

  void prepare_weight_gradient() {
    const places at(question_.shape);
    const dnnl::convolution_backward_weights::desc wanted(
        dnnl::algorithm::convolution_direct, any_of(image_), any_of(kernel_), bias_,
        any_of(output_), at.strides, at.dilations, at.before, at.behind);
    const dnnl::convolution_backward_weights::primitive_desc chosen(
        wanted, engine_, forward_of(dnnl::prop_kind::forward_training));
    primitive_ = dnnl::convolution_backward_weights(chosen);
    arguments_ = {{DNNL_ARG_SRC, laid(question_.x, image_, chosen.src_desc())},
                  {DNNL_ARG_DIFF_DST, laid(question_.d, output_, chosen.diff_dst_desc())},
                  {DNNL_ARG_DIFF_BIAS, memory(bias_, engine_)}};
    writes(DNNL_ARG_DIFF_WEIGHTS, kernel_, chosen.diff_weights_desc());
  }

  /// What is read, laid out as it was chosen.
  memory laid(const measure::buffer& rows, const memory::desc& given, const memory::desc& chosen) {
    // oneDNN takes memory without const even where it only reads.
    memory plain(given, engine_, const_cast<float*>(rows.data()));
    memory made(chosen, engine_);
    dnnl::reorder(plain, made).execute(stream_, plain, made);
    stream_.wait();
    return made;
  }

  void writes(int argument, const memory::desc& rows, const memory::desc& chosen) {
    written_argument_ = argument;
    written_ = rows;
    arguments_.emplace(argument, memory(chosen, engine_));
  }

  const convolution_question& question_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  memory::desc image_;
  memory::desc output_;
  memory::desc kernel_;
  memory::desc bias_;
  memory::desc written_;
  int written_argument_ = 0;
  dnnl::primitive primitive_;
  std::unordered_map<int, memory> arguments_;
};

std::unique_ptr<convolution_contestant> make(const convolution_question& question) {
  return std::make_unique<convolution>(question);
}

const convolution_entry enters("oneDNN", make);

}  // namespace
}  // namespace peers
