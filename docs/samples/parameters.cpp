// SPDX-License-Identifier: MIT
// What the parameters and states of every layer are called: the table of docs/porting.md.
#include <cstdio>
#include <string>

#include <ipu_dsl/model/layer_name.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

using namespace ipu_dsl;

namespace {

/// What a parameter is called behind the layer's name. A layer of several layers tells them apart.
std::string name_of(const graph_view& made, const tensor& kept) {
  const layer_record& owner = made.layers[made.node_at(kept.owner).layer];
  const std::string part = layer_name(owner).substr(std::string("layer").size());
  return (part.empty() ? "" : "..." + part + "/") + std::string(kept.name);
}

/// Prints what a layer keeps behind an input: a line for each, "state" behind what is not learned.
template <typename Input, typename Layer>
void print() {
  using alone = model<Input, named<"layer", Layer>>;
  static_assert(check<alone>());
  constexpr const graph_view& made = graph_of<alone>;
  std::string kind(describe(element_of<Layer>).view());
  std::string given(describe(made.input().extents).view());
  for (const tensor& kept : made.tensors) {
    const bool is_state = kept.role == tensor_role::state;
    if (kept.role == tensor_role::parameter || is_state) {
      const std::string shape(describe(kept.extents).view());
      std::printf("%-28s %-13s %-21s %s%s\n", kind.c_str(), given.c_str(),
                  name_of(made, kept).c_str(), shape.c_str(), is_state ? "  state" : "");
      kind.clear();
      given.clear();
    }
  }
}

}  // namespace

int main() {
  std::printf("%-28s %-13s %-21s %s\n", "Layer", "Input", "Parameter", "Shape");
  print<input<5>, Dense<8>>();
  print<input<12, 4>, Dense<8>>();
  print<input<12, 4>, Conv1D<8, 3>>();
  print<input<9, 7, 4>, Conv2D<8, kernel_size{3, 5}>>();
  print<input<9, 7, 4>, Conv2D<8, 3, groups<2>>>();
  print<input<6, 9, 7, 4>, Conv3D<8, 3>>();
  print<input<12, 4>, LocallyConnected1D<8, 3>>();
  print<input<12, 4>, Conv1DTranspose<8, 3>>();
  print<input<9, 7, 4>, Conv2DTranspose<8, 3>>();
  print<input<9, 7, 4>, DepthwiseConv2D<3>>();
  print<input<9, 7, 4>, SeparableConv2D<8, 3>>();
  print<input<dtype::int32, 12>, Embedding<100, 8>>();
  print<input<12, 4>, PositionEmbedding<>>();
  print<input<12, 4>, SimpleRNN<8>>();
  print<input<12, 4>, LSTM<8>>();
  print<input<12, 4>, GRU<8>>();
  print<input<12, 4>, Bidirectional<LSTM<8>>>();
  print<input<12, 8>, MultiHeadAttention<2, 3>>();
  print<input<9, 7, 4>, BatchNormalization<>>();
  print<input<12, 4>, Normalization<>>();
  print<input<12, 4>, LayerNormalization<>>();
  print<input<12, 4>, RMSNormalization<>>();
  print<input<9, 7, 4>, GroupNormalization<2>>();
  print<input<12, 4>, PReLU<>>();
}
