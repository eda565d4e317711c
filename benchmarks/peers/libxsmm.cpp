// SPDX-License-Identifier: MIT
// libxsmm: code made at run time for one shape. It has no transposed operands, so it takes part in
// the forward product alone.
#include <libxsmm.h>

#include "peers/product.hpp"

namespace peers {
namespace {

/// In columns, as libxsmm has it: y^T = W^T x^T.
libxsmm_smmfunction kernel_of(const product& question) {
  const float one = 1;
  const float zero = 0;
  const int flags = LIBXSMM_GEMM_FLAG_NONE;
  const int prefetch = LIBXSMM_PREFETCH_NONE;
  return libxsmm_smmdispatch(question.outputs, question.batch, question.inputs, nullptr, nullptr,
                             nullptr, &one, &zero, &flags, &prefetch);
}

class forward_product final : public product_contestant {
 public:
  explicit forward_product(const product& question)
      : question_(question),
        kernel_(kernel_of(question)),
        y_(measure::zeros(std::int64_t{question.batch} * question.outputs)) {}

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      kernel_(question_.w.data(), question_.x.data(), y_.data());
    }
  }

  std::vector<float> result() override {
    run(1);
    return {y_.begin(), y_.end()};
  }

 private:
  const product& question_;
  libxsmm_smmfunction kernel_;
  measure::buffer y_;
};

std::unique_ptr<product_contestant> make(const product& question) {
  if (question.kind != product_kind::forward || kernel_of(question) == nullptr) {
    return nullptr;
  }
  return std::make_unique<forward_product>(question);
}

const product_entry enters("libxsmm", make);

}  // namespace
}  // namespace peers
