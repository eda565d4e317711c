// SPDX-License-Identifier: MIT
// The products by the kernels of this library: the one place of the table that calls them.
#include <cstddef>
#include <cstdint>
#include <utility>

#include <ipu_dsl/kernels/dense_forward.hpp>
#include <ipu_dsl/kernels/dense_input_gradient.hpp>
#include <ipu_dsl/kernels/dense_weight_gradient.hpp>

#include "peers/product.hpp"
#include "table/network_shape.hpp"

namespace ours {
namespace {

using namespace ipu_dsl;
using measure::buffer;
using peers::product;
using peers::product_contestant;
using peers::product_kind;

/// Rows [rows, columns] with the distance `stride` from row to row; what is between is zero.
buffer with_stride(const buffer& rows, int columns, int stride) {
  const auto count = static_cast<std::int64_t>(rows.size()) / columns;
  buffer made = measure::zeros(count * stride);
  for (std::int64_t row = 0; row < count; ++row) {
    for (int column = 0; column < columns; ++column) {
      made[static_cast<std::size_t>(row * stride + column)] =
          rows[static_cast<std::size_t>(row * columns + column)];
    }
  }
  return made;
}

std::vector<float> without_stride(const buffer& rows, int count, int columns, int stride) {
  std::vector<float> made;
  for (int row = 0; row < count; ++row) {
    for (int column = 0; column < columns; ++column) {
      made.push_back(rows[static_cast<std::size_t>(row * stride + column)]);
    }
  }
  return made;
}

buffer transposed(const buffer& rows, int columns) {
  const auto count = rows.size() / static_cast<std::size_t>(columns);
  buffer made(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = i / static_cast<std::size_t>(columns);
    const std::size_t column = i % static_cast<std::size_t>(columns);
    made[column * count + row] = rows[i];
  }
  return made;
}

buffer packed(const buffer& rows, int inputs, int outputs) {
  buffer made = measure::zeros(layout::panel_elements(inputs, outputs));
  layout::pack_panels({inputs, outputs}, rows, made);
  return made;
}

template <int Batch, int Inputs, int Outputs>
class forward final : public product_contestant {
  static constexpr int stride = layout::row_stride(Outputs);

 public:
  explicit forward(const product& question)
      : x_(with_stride(question.x, Inputs, layout::row_stride(Inputs))),
        w_(packed(question.w, Inputs, Outputs)),
        bias_(with_stride(question.bias, Outputs, layout::bias_elements(Outputs))),
        y_(measure::zeros(std::int64_t{Batch} * stride)) {}

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      kernels::dense_forward<Batch, Inputs, Outputs, activation_kind::relu>(
          x_.data(), w_.data(), bias_.data(), y_.data(), 0.0F);
      measure::clobber_memory();
    }
  }

  std::vector<float> result() override {
    run(1);
    return without_stride(y_, Batch, Outputs, stride);
  }

  bool finishes_forward() const override { return true; }

 private:
  buffer x_;
  buffer w_;
  buffer bias_;
  buffer y_;
};

template <int Batch, int Inputs, int Outputs>
class input_gradient final : public product_contestant {
  static constexpr int stride = layout::batch_stride(Batch);

 public:
  explicit input_gradient(const product& question)
      : w_(packed(question.w, Inputs, Outputs)),
        d_(with_stride(transposed(question.d, Outputs), Batch, stride)),
        dx_(measure::zeros(std::int64_t{Inputs} * stride)) {}

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      kernels::dense_input_gradient<Batch, Inputs, Outputs>(w_.data(), d_.data(), dx_.data());
      measure::clobber_memory();
    }
  }

  std::vector<float> result() override {
    run(1);
    const std::vector<float> columns = without_stride(dx_, Inputs, Batch, stride);
    const buffer rows = transposed(buffer(columns.begin(), columns.end()), Batch);
    return {rows.begin(), rows.end()};
  }

 private:
  buffer w_;
  buffer d_;
  buffer dx_;
};

template <int Batch, int Inputs, int Outputs>
class weight_gradient final : public product_contestant {
  static constexpr kernels::gradient_step<> continued{.continues = true};

 public:
  explicit weight_gradient(const product& question)
      : x_(with_stride(question.x, Inputs, layout::row_stride(Inputs))),
        d_(with_stride(question.d, Outputs, layout::row_stride(Outputs))),
        start_(packed(question.start, Inputs, Outputs)),
        dw_(start_) {}

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      kernels::dense_weight_gradient<Batch, Inputs, Outputs>(x_.data(), d_.data(),
                                                             {.sum = dw_.data()}, {}, continued);
      measure::clobber_memory();
    }
  }

  std::vector<float> result() override {
    dw_ = start_;
    run(1);
    std::vector<float> rows(std::size_t{Inputs} * Outputs);
    layout::unpack_panels({Inputs, Outputs}, dw_, rows);
    return rows;
  }

 private:
  buffer x_;
  buffer d_;
  buffer start_;
  buffer dw_;
};

template <int Batch, int Inputs, int Outputs>
std::unique_ptr<product_contestant> make_of(const product& question) {
  switch (question.kind) {
    case product_kind::forward:
      return std::make_unique<forward<Batch, Inputs, Outputs>>(question);
    case product_kind::input_gradient:
      return std::make_unique<input_gradient<Batch, Inputs, Outputs>>(question);
    case product_kind::weight_gradient:
      return std::make_unique<weight_gradient<Batch, Inputs, Outputs>>(question);
  }
  return nullptr;
}

/// Of the layers of the network, the one that is asked for.
template <int Batch>
std::unique_ptr<product_contestant> make_for(const product& question) {
  using table::layer_shapes;
  std::unique_ptr<product_contestant> made;
  [&]<std::size_t... Layers>(std::index_sequence<Layers...>) {
    const auto consider = [&]<std::size_t Layer>(std::integral_constant<std::size_t, Layer>) {
      constexpr table::layer_shape layer = layer_shapes[Layer];
      if (layer.inputs == question.inputs && layer.outputs == question.outputs) {
        made = make_of<Batch, layer.inputs, layer.outputs>(question);
      }
    };
    (consider(std::integral_constant<std::size_t, Layers>()), ...);
  }(std::make_index_sequence<layer_shapes.size()>());
  return made;
}

std::unique_ptr<product_contestant> make(const product& question) {
  switch (question.batch) {
    case 1:
      return make_for<1>(question);
    case 32:
      return make_for<32>(question);
    case 128:
      return make_for<128>(question);
    default:
      return nullptr;
  }
}

const peers::product_entry enters(peers::ours, make);

}  // namespace
}  // namespace ours
