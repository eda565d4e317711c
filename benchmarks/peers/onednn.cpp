// SPDX-License-Identifier: MIT
// oneDNN in two ways: its sgemm, and its matmul primitive with weights in the layout it prefers.
#include <dnnl.hpp>

#include "peers/row_product.hpp"

namespace peers {
namespace {

void multiply(const product& question, float* y) {
  const dnnl_dim_t batch = question.batch;
  const dnnl_dim_t inputs = question.inputs;
  const dnnl_dim_t outputs = question.outputs;
  switch (question.kind) {
    case product_kind::forward:
      dnnl_sgemm('N', 'N', batch, outputs, inputs, 1, question.x.data(), inputs, question.w.data(),
                 outputs, 0, y, outputs);
      break;
    case product_kind::input_gradient:
      dnnl_sgemm('N', 'T', batch, inputs, outputs, 1, question.d.data(), outputs, question.w.data(),
                 outputs, 0, y, inputs);
      break;
    case product_kind::weight_gradient:
      dnnl_sgemm('T', 'N', inputs, outputs, batch, 1, question.x.data(), inputs, question.d.data(),
                 outputs, 1, y, outputs);
      break;
  }
}

using tag = dnnl::memory::format_tag;

dnnl::memory::desc matrix(dnnl_dim_t rows, dnnl_dim_t columns, tag layout) {
  return {{rows, columns}, dnnl::memory::data_type::f32, layout};
}

/// oneDNN takes memory without const even where it only reads.
float* writable(const measure::buffer& read) {
  return const_cast<float*>(read.data());
}

/// Left, right and written matrix of a product, as they lie.
struct matrices {
  dnnl::memory left;
  dnnl::memory right;
  dnnl::memory written;
};

matrices matrices_of(const product& question, const dnnl::engine& engine, measure::buffer& y) {
  const int batch = question.batch;
  const int inputs = question.inputs;
  const int outputs = question.outputs;
  if (question.kind == product_kind::forward) {
    y = measure::zeros(std::int64_t{batch} * outputs);
    return {{matrix(batch, inputs, tag::ab), engine, writable(question.x)},
            {matrix(inputs, outputs, tag::ab), engine, writable(question.w)},
            {matrix(batch, outputs, tag::ab), engine, y.data()}};
  }
  if (question.kind == product_kind::input_gradient) {
    y = measure::zeros(std::int64_t{batch} * inputs);
    return {{matrix(batch, outputs, tag::ab), engine, writable(question.d)},
            {matrix(outputs, inputs, tag::ba), engine, writable(question.w)},
            {matrix(batch, inputs, tag::ab), engine, y.data()}};
  }
  y = question.start;
  return {{matrix(inputs, batch, tag::ba), engine, writable(question.x)},
          {matrix(batch, outputs, tag::ab), engine, writable(question.d)},
          {matrix(inputs, outputs, tag::ab), engine, y.data()}};
}

class matmul_product final : public product_contestant {
 public:
  explicit matmul_product(const product& question)
      : question_(question), data_(matrices_of(question, engine_, y_)), primitive_(describe()) {
    arguments_ = {
        {DNNL_ARG_SRC, data_.left}, {DNNL_ARG_WEIGHTS, data_.right}, {DNNL_ARG_DST, data_.written}};
  }

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      primitive_.execute(stream_, arguments_);
      stream_.wait();
    }
  }

  std::vector<float> result() override {
    if (question_.kind == product_kind::weight_gradient) {
      std::copy(question_.start.begin(), question_.start.end(), y_.begin());
    }
    run(1);
    return {y_.begin(), y_.end()};
  }

 private:
  /// Weights do not change from call to call, so their layout is free; the operands of a weight
  /// gradient do.
  dnnl::matmul::primitive_desc describe() {
    dnnl::primitive_attr attributes;
    dnnl::memory::desc right = data_.right.get_desc();
    if (question_.kind == product_kind::weight_gradient) {
      dnnl::post_ops accumulate;
      accumulate.append_sum(1);
      attributes.set_post_ops(accumulate);
    } else {
      right = matrix(right.dims()[0], right.dims()[1], tag::any);
    }
    const dnnl::matmul::desc wanted(data_.left.get_desc(), right, data_.written.get_desc());
    const dnnl::matmul::primitive_desc chosen(wanted, attributes, engine_);
    if (chosen.weights_desc() != data_.right.get_desc()) {
      dnnl::memory packed(chosen.weights_desc(), engine_);
      dnnl::reorder(data_.right, packed).execute(stream_, data_.right, packed);
      stream_.wait();
      data_.right = packed;
    }
    return chosen;
  }

  const product& question_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  measure::buffer y_;
  matrices data_;
  dnnl::matmul primitive_;
  std::unordered_map<int, dnnl::memory> arguments_;
};

std::unique_ptr<product_contestant> make_matmul(const product& question) {
  return std::make_unique<matmul_product>(question);
}

const product_entry sgemm_enters("oneDNN", row_product<multiply>::make);
const product_entry matmul_enters("oneDNN", make_matmul);

}  // namespace
}  // namespace peers
