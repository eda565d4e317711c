// SPDX-License-Identifier: MIT
// Follows a convolution from its type to its kernels. The output is docs/samples/convolution.txt.
#include <cstdio>
#include <string>
#include <string_view>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

namespace {

// [convolution_model]
struct lenet
    : model<input<28, 28>, sequential<Reshape<28, 28, 1>, Conv2D<6, 5, same_padding, relu>,
                                      Conv2D<20, 3, strides<2>, relu>, Flatten, Dense<10>>> {};

// [/convolution_model]

struct training : compile<lenet, micro_batch<8>, loss<sparse_categorical_crossentropy>,
                          optimizer<sgd<momentum>>> {};

constexpr graph_view model_graph = planned_graph_of<training::compiled>.view();
constexpr program_plan_view plan = frozen_plan_of<training::compiled, program_kind::train>.view();

void print_tensors() {
  constexpr const char* names[] = {"rows", "columns", "panels", "panel bias", "plain", "positions"};
  std::printf("[tensors]\n");
  for (std::size_t i = 0; i < model_graph.tensors.size(); ++i) {
    const tensor& atom = model_graph.tensors[i];
    const std::string_view from =
        atom.producer >= 0 ? model_graph.node_at(atom.producer).rule->name : atom.name;
    std::printf("tensor %2zu  %-13s  lies in %-10s  %s\n", i,
                std::string(describe(atom.extents).view()).c_str(),
                names[static_cast<std::size_t>(atom.lies)],
                std::string(from.empty() ? "from the feed" : from).c_str());
  }
  std::printf("[/tensors]\n\n");
}

/// In the order in which a micro-batch meets them.
void print_calls() {
  constexpr const char* names[] = {"forward", "input gradient", "weight gradient", "update"};
  std::printf("[calls]\n");
  for (std::size_t i = 0; i < plan.calls.size(); ++i) {
    const call& row = plan.calls[i];
    const auto kernel = static_cast<std::size_t>(plan.code_of_call[i]);
    std::printf("%-15s  %s {", names[static_cast<std::size_t>(row.phase)],
                std::string(plan.codes[kernel].family).c_str());
    // Zeros at the end of a key are what a family's fields are by default.
    std::size_t end = row.key.size();
    while (end > 0 && row.key[end - 1] == 0) {
      --end;
    }
    for (std::size_t word = 0; word < end; ++word) {
      std::printf(word == 0 ? "%d" : " %d", row.key[word]);
    }
    std::printf("}\n");
  }
  std::printf("[/calls]\n");
}

}  // namespace

int main() {
  print_tensors();
  print_calls();
  return 0;
}
