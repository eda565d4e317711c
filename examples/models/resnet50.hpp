// SPDX-License-Identifier: MIT
// ResNet-50 (He, Zhang, Ren, Sun 2015) as Keras 2.4 has it, with its names: what is said of its
// layers elsewhere, such as where it is cut, is said of these.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

namespace models {

// [names]
/// Names of the layers of a block: "conv4_block2_add".
template <std::int32_t Stack, std::int32_t Block>
struct resnet50_names {
  static constexpr ipu_dsl::label made(std::string_view part) {
    return ipu_dsl::label("conv") << Stack << "_block" << Block << "_" << part;
  }

  /// Of the shortcut and of the three convolutions, by number. Bounds are written out because clang
  /// 19 does not know them otherwise where a template's constants are read by the compiler.
  static constexpr ipu_dsl::label convolutions[4] = {made("0_conv"), made("1_conv"), made("2_conv"),
                                                     made("3_conv")};
  static constexpr ipu_dsl::label normalisations[4] = {made("0_bn"), made("1_bn"), made("2_bn"),
                                                       made("3_bn")};
  /// Behind the first two convolutions of the block itself.
  static constexpr ipu_dsl::label activations[2] = {made("1_relu"), made("2_relu")};
  static constexpr ipu_dsl::label add = made("add");
  static constexpr ipu_dsl::label out = made("out");
};

// [/names]

/// Keras's function `resnet.block1`: convolutions of 1, 3 and 1 with `Filters`, as many and four
/// times as many filters, added to the image that they read, which has a shortcut in the first
/// block of a stack.
template <std::int32_t Stack, std::int32_t Block, std::int32_t Filters, std::int32_t Stride>
struct resnet50_block {
  using names = resnet50_names<Stack, Block>;

  template <std::int32_t Number, std::int32_t Units, std::int32_t Kernel, std::int32_t Step>
  static constexpr ipu_dsl::symbolic_tensor normalised(ipu_dsl::functional_builder& build,
                                                       ipu_dsl::symbolic_tensor x) {
    using namespace ipu_dsl;
    x = build.layer<Conv2D<Units, Kernel, strides<Step>, same_padding>>(
        names::convolutions[Number].view(), x);
    return build.layer<BatchNormalization<epsilon<1.001e-5F>>>(names::normalisations[Number].view(),
                                                               x);
  }

  static constexpr ipu_dsl::symbolic_tensor added(ipu_dsl::functional_builder& build,
                                                  ipu_dsl::symbolic_tensor image) {
    using namespace ipu_dsl;
    symbolic_tensor shortcut = image;
    if constexpr (Block == 1) {
      shortcut = normalised<0, 4 * Filters, 1, Stride>(build, image);
    }
    symbolic_tensor x = normalised<1, Filters, 1, Stride>(build, image);
    x = build.layer<relu>(names::activations[0].view(), x);
    x = normalised<2, Filters, 3, 1>(build, x);
    x = build.layer<relu>(names::activations[1].view(), x);
    x = normalised<3, 4 * Filters, 1, 1>(build, x);
    x = build.layer<Add>(names::add.view(), shortcut, x);
    return build.layer<relu>(names::out.view(), x);
  }
};

/// Blocks behind each other, the first of them with a stride.
template <std::int32_t Stack, std::int32_t Filters, std::int32_t Blocks, std::int32_t Stride>
constexpr ipu_dsl::symbolic_tensor resnet50_stack(ipu_dsl::functional_builder& build,
                                                  ipu_dsl::symbolic_tensor x) {
  if constexpr (Blocks > 1) {
    x = resnet50_stack<Stack, Filters, Blocks - 1, Stride>(build, x);
  }
  return resnet50_block < Stack, Blocks, Filters, Blocks == 1 ? Stride : 1 > ::added(build, x);
}

// [model]
/// 224 x 224 pixels of three colours to the probabilities of a thousand classes.
struct resnet50 {
  static constexpr ipu_dsl::symbolic_tensor build(ipu_dsl::functional_builder& build) {
    using namespace ipu_dsl;
    symbolic_tensor x = build.input("input_1", {224, 224, 3});
    x = build.layer<ZeroPadding2D<3>>("conv1_pad", x);
    x = build.layer<Conv2D<64, 7, strides<2>>>("conv1_conv", x);
    x = build.layer<BatchNormalization<epsilon<1.001e-5F>>>("conv1_bn", x);
    x = build.layer<relu>("conv1_relu", x);
    x = build.layer<ZeroPadding2D<1>>("pool1_pad", x);
    x = build.layer<MaxPooling2D<3, strides<2>>>("pool1_pool", x);
    x = resnet50_stack<2, 64, 3, 1>(build, x);
    x = resnet50_stack<3, 128, 4, 2>(build, x);
    x = resnet50_stack<4, 256, 6, 2>(build, x);
    x = resnet50_stack<5, 512, 3, 2>(build, x);
    x = build.layer<GlobalAveragePooling2D>("avg_pool", x);
    return build.layer<Dense<1000, softmax>>("predictions", x);
  }
};

// [/model]

}  // namespace models
