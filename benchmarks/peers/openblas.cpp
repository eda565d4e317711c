// SPDX-License-Identifier: MIT
// OpenBLAS on one thread: sgemm, and the products of matrix and vector for a single sample.
#include <cblas.h>

#include "peers/row_product.hpp"

namespace peers {
namespace {

void multiply_sample(const product& question, float* y) {
  const int inputs = question.inputs;
  const int outputs = question.outputs;
  switch (question.kind) {
    case product_kind::forward:
      cblas_sgemv(CblasRowMajor, CblasTrans, inputs, outputs, 1, question.w.data(), outputs,
                  question.x.data(), 1, 0, y, 1);
      break;
    case product_kind::input_gradient:
      cblas_sgemv(CblasRowMajor, CblasNoTrans, inputs, outputs, 1, question.w.data(), outputs,
                  question.d.data(), 1, 0, y, 1);
      break;
    case product_kind::weight_gradient:
      cblas_sger(CblasRowMajor, inputs, outputs, 1, question.x.data(), 1, question.d.data(), 1, y,
                 outputs);
      break;
  }
}

void multiply_batch(const product& question, float* y) {
  const int batch = question.batch;
  const int inputs = question.inputs;
  const int outputs = question.outputs;
  switch (question.kind) {
    case product_kind::forward:
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, batch, outputs, inputs, 1,
                  question.x.data(), inputs, question.w.data(), outputs, 0, y, outputs);
      break;
    case product_kind::input_gradient:
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, batch, inputs, outputs, 1,
                  question.d.data(), outputs, question.w.data(), outputs, 0, y, inputs);
      break;
    case product_kind::weight_gradient:
      cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, inputs, outputs, batch, 1,
                  question.x.data(), inputs, question.d.data(), outputs, 1, y, outputs);
      break;
  }
}

std::unique_ptr<product_contestant> make(const product& question) {
  openblas_set_num_threads(1);
  return question.batch == 1 ? row_product<multiply_sample>::make(question)
                             : row_product<multiply_batch>::make(question);
}

const product_entry enters("OpenBLAS", make);

/// The other libraries of Debian multiply by these kernels too.
const remarked says([] {
  return std::string("OpenBLAS has kernels for ") + openblas_get_corename();
});

}  // namespace
}  // namespace peers
