// SPDX-License-Identifier: MIT
// A network composed by hand: products by oneDNN's sgemm, plain loops for everything else. It is
// compiled with -O3 -ffast-math, so that the loops, exp included, become vector code.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <dnnl.hpp>

#include "peers/network.hpp"

namespace peers {
namespace {

using measure::buffer;
using table::layer_count;
using table::layer_shapes;

/// A layer, its optimizer's state and what is kept between forward and backward.
struct layer {
  int inputs = 0;
  int outputs = 0;
  layer_weights weights;
  layer_weights velocity;
  layer_weights gradient;
  buffer y;   ///< [batch, outputs]
  buffer dy;  ///< [batch, outputs]
};

using layers = std::array<layer, layer_count>;

layers layers_of(const network_question& question) {
  layers made;
  for (std::size_t i = 0; i < layer_count; ++i) {
    layer& each = made[i];
    each.inputs = layer_shapes[i].inputs;
    each.outputs = layer_shapes[i].outputs;
    each.weights = question.start[i];
    const layer_weights nothing{measure::zeros(std::int64_t{each.inputs} * each.outputs),
                                measure::zeros(each.outputs)};
    each.velocity = nothing;
    each.gradient = nothing;
    each.y = measure::zeros(std::int64_t{question.micro_batch} * each.outputs);
    each.dy = each.y;
  }
  return made;
}

void add_bias(layer& of, int batch, bool relu) {
  const float* __restrict bias = of.weights.bias.data();
  const int outputs = of.outputs;
  for (int b = 0; b < batch; ++b) {
    float* __restrict y = of.y.data() + b * outputs;
    if (relu) {
      for (int n = 0; n < outputs; ++n) {
        y[n] = std::max(y[n] + bias[n], 0.0F);
      }
    } else {
      for (int n = 0; n < outputs; ++n) {
        y[n] += bias[n];
      }
    }
  }
}

void forward(layers& all, const float* x, int batch) {
  for (std::size_t i = 0; i < layer_count; ++i) {
    layer& each = all[i];
    dnnl_sgemm('N', 'N', batch, each.outputs, each.inputs, 1, x, each.inputs,
               each.weights.kernel.data(), each.outputs, 0, each.y.data(), each.outputs);
    add_bias(each, batch, i + 1 < layer_count);
    x = each.y.data();
  }
}

/// The gradient of the mean cross-entropy of softmax.
void loss_gradient(layer& last, const std::int32_t* labels, int batch, float scale) {
  const int classes = last.outputs;
  for (int b = 0; b < batch; ++b) {
    const float* __restrict y = last.y.data() + b * classes;
    float* __restrict dy = last.dy.data() + b * classes;
    float largest = y[0];
    for (int n = 1; n < classes; ++n) {
      largest = std::max(largest, y[n]);
    }
    float sum = 0;
    for (int n = 0; n < classes; ++n) {
      dy[n] = std::exp(y[n] - largest);
      sum += dy[n];
    }
    const float factor = scale / sum;
    for (int n = 0; n < classes; ++n) {
      dy[n] *= factor;
    }
    dy[labels[b]] -= scale;
  }
}

void mask(float* __restrict dy, const float* __restrict y, std::size_t elements) {
  for (std::size_t i = 0; i < elements; ++i) {
    dy[i] = y[i] > 0 ? dy[i] : 0.0F;
  }
}

/// Adds to the gradients, or begins them anew.
void backward(layers& all, const float* features, int batch, bool continues) {
  const float beta = continues ? 1 : 0;
  for (std::size_t i = layer_count; i-- > 0;) {
    layer& each = all[i];
    const float* x = i == 0 ? features : all[i - 1].y.data();
    if (i > 0) {
      layer& before = all[i - 1];
      dnnl_sgemm('N', 'T', batch, each.inputs, each.outputs, 1, each.dy.data(), each.outputs,
                 each.weights.kernel.data(), each.outputs, 0, before.dy.data(), each.inputs);
      mask(before.dy.data(), before.y.data(), before.y.size());
    }
    dnnl_sgemm('T', 'N', each.inputs, each.outputs, batch, 1, x, each.inputs, each.dy.data(),
               each.outputs, beta, each.gradient.kernel.data(), each.outputs);
    float* __restrict bias = each.gradient.bias.data();
    std::fill_n(bias, continues ? 0 : each.outputs, 0.0F);
    for (int b = 0; b < batch; ++b) {
      const float* __restrict row = each.dy.data() + b * each.outputs;
      for (int n = 0; n < each.outputs; ++n) {
        bias[n] += row[n];
      }
    }
  }
}

void update(buffer& weights, buffer& velocities, const buffer& gradients, float rate,
            float momentum) {
  float* __restrict w = weights.data();
  float* __restrict v = velocities.data();
  const float* __restrict g = gradients.data();
  const std::size_t elements = weights.size();
  for (std::size_t i = 0; i < elements; ++i) {
    v[i] = momentum * v[i] - rate * g[i];
    w[i] += v[i];
  }
}

class composed_step final : public step_contestant {
 public:
  explicit composed_step(const network_question& question)
      : question_(question), layers_(layers_of(question)) {}

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      step();
    }
  }

  network_weights weights() override {
    network_weights now;
    for (std::size_t i = 0; i < layer_count; ++i) {
      now[i] = layers_[i].weights;
    }
    return now;
  }

 private:
  void step() {
    const int batch = question_.micro_batch;
    const float scale = 1.0F / static_cast<float>(question_.samples());
    for (int i = 0; i < question_.micro_batches; ++i) {
      const float* x = question_.features.data() + std::ptrdiff_t{i} * batch * layers_[0].inputs;
      forward(layers_, x, batch);
      loss_gradient(layers_.back(), question_.labels.data() + i * batch, batch, scale);
      backward(layers_, x, batch, i > 0);
    }
    for (layer& each : layers_) {
      update(each.weights.kernel, each.velocity.kernel, each.gradient.kernel, question_.rate,
             question_.momentum);
      update(each.weights.bias, each.velocity.bias, each.gradient.bias, question_.rate,
             question_.momentum);
    }
  }

  const network_question& question_;
  layers layers_;
};

class composed_predictor final : public predictor_contestant {
 public:
  explicit composed_predictor(const network_question& question)
      : question_(question), layers_(layers_of(question)) {}

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      forward(layers_, question_.features.data(), question_.micro_batch);
    }
  }

  std::vector<float> outputs() override {
    return {layers_.back().y.begin(), layers_.back().y.end()};
  }

 private:
  const network_question& question_;
  layers layers_;
};

using tag = dnnl::memory::format_tag;

dnnl::memory::desc matrix(dnnl_dim_t rows, dnnl_dim_t columns, tag layout) {
  return {{rows, columns}, dnnl::memory::data_type::f32, layout};
}

float* writable(const buffer& read) {
  return const_cast<float*>(read.data());
}

/// Matmul primitives with bias and relu inside and weights in the layout they prefer.
class primitive_predictor final : public predictor_contestant {
 public:
  explicit primitive_predictor(const network_question& question)
      : question_(question), layers_(layers_of(question)) {
    const float* x = question.features.data();
    for (std::size_t i = 0; i < layer_count; ++i) {
      add(layers_[i], const_cast<float*>(x), i + 1 < layer_count);
      x = layers_[i].y.data();
    }
  }

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      for (std::size_t i = 0; i < primitives_.size(); ++i) {
        primitives_[i].execute(stream_, arguments_[i]);
      }
      stream_.wait();
    }
  }

  std::vector<float> outputs() override {
    return {layers_.back().y.begin(), layers_.back().y.end()};
  }

 private:
  void add(layer& of, float* x, bool relu) {
    const int batch = question_.micro_batch;
    dnnl::primitive_attr attributes;
    if (relu) {
      dnnl::post_ops after;
      after.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
      attributes.set_post_ops(after);
    }
    const dnnl::memory::desc read = matrix(batch, of.inputs, tag::ab);
    const dnnl::memory::desc bias = matrix(1, of.outputs, tag::ab);
    const dnnl::memory::desc written = matrix(batch, of.outputs, tag::ab);
    const dnnl::matmul::primitive_desc chosen(
        {read, matrix(of.inputs, of.outputs, tag::any), bias, written}, attributes, engine_);
    dnnl::memory rows(matrix(of.inputs, of.outputs, tag::ab), engine_, writable(of.weights.kernel));
    dnnl::memory packed(chosen.weights_desc(), engine_);
    dnnl::reorder(rows, packed).execute(stream_, rows, packed);
    stream_.wait();
    primitives_.emplace_back(chosen);
    arguments_.push_back({{DNNL_ARG_SRC, {read, engine_, x}},
                          {DNNL_ARG_WEIGHTS, packed},
                          {DNNL_ARG_BIAS, {bias, engine_, writable(of.weights.bias)}},
                          {DNNL_ARG_DST, {written, engine_, of.y.data()}}});
  }

  const network_question& question_;
  layers layers_;
  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::vector<dnnl::matmul> primitives_;
  std::vector<std::unordered_map<int, dnnl::memory>> arguments_;
};

std::unique_ptr<step_contestant> make_step(const network_question& question) {
  return std::make_unique<composed_step>(question);
}

std::unique_ptr<predictor_contestant> make_composed(const network_question& question) {
  return std::make_unique<composed_predictor>(question);
}

std::unique_ptr<predictor_contestant> make_primitive(const network_question& question) {
  return std::make_unique<primitive_predictor>(question);
}

const step_entry step_enters("oneDNN", make_step);
const predictor_entry composed_enters("oneDNN", make_composed);
const predictor_entry primitive_enters("oneDNN", make_primitive);

}  // namespace
}  // namespace peers
