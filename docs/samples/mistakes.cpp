// SPDX-License-Identifier: MIT
// The sentences of mistakes, as values: what `check` would make a compile error of. The output is
// docs/samples/mistakes.txt.
#include <cstdio>
#include <string>

#include <ipu_dsl/data/dataset.hpp>
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/training/session_interface.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

using namespace ipu_dsl;

// [own_names]
namespace shop {

struct node {
  int number;
};

enum class label { book, record };

label label_of(const node& sold) {
  return sold.number % 2 == 0 ? label::book : label::record;
}

struct sorter : model<input<4>, sequential<Dense<8, relu>, Dense<2>>> {};

static_assert(check<sorter>());

}  // namespace shop
// [/own_names]

// [alias]
namespace dsl = ipu_dsl;

struct counted
    : dsl::model<dsl::input<4>, dsl::sequential<dsl::Dense<8, dsl::relu>, dsl::Dense<2>>> {};

// [/alias]

static_assert(dsl::check<counted>());

namespace {

struct without_flatten {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor input_layer = build.input({28, 28, 1});
    const symbolic_tensor x = build.layer<Dense<256, relu>>("dense256", input_layer);
    return build.layer<Dense<10>>("logits", x);
  }
};

struct backwards {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor image = build.input({784});
    build.stage(1);
    const symbolic_tensor later = build.layer<Dense<64, relu>>("later", image);
    build.stage(0);
    return build.layer<Dense<10>>("earlier", later);
  }
};

struct gap {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor image = build.input({784});
    const symbolic_tensor x = build.layer<Dense<64, relu>>("", image);
    build.stage(2);
    return build.layer<Dense<10>>("", x);
  }
};

template <int... Stages>
struct assigned : model<input<28, 28>,
                        sequential<Flatten, Dense<256, relu>, Dense<128, relu>, Dense<64, relu>,
                                   Dense<32, relu>, Dense<10>>,
                        stage_assignment<Stages...>> {};

template <typename... Options>
using compiled = compile<assigned<0, 0, 1, 1, 1, 1>, loss<sparse_categorical_crossentropy>,
                         micro_batch<32>, Options...>;

struct from_probabilities_of_linear
    : compile<assigned<0, 0, 1, 1, 1, 1>, gradient_accumulation<4>,
              loss<sparse_categorical_crossentropy, from_probabilities>> {};

/// A layer of one's own that can only go forward, where layers before it learn.
constexpr family scale_family{
    .name = "Scale",
    .shapes =
        [](node_draft& draft) {
          draft.output(draft.input(0));
          return problem{};
        },
    .forward =
        [](emitter& emit) { emit.call().writes(emit.output_value(0)).reads(emit.input_value(0)); }};

struct Scale {
  static constexpr element description{.kind = element_kind::layer, .rule = &scale_family};
};

struct scaled : model<input<28, 28>, sequential<Flatten, Dense<64, relu>, Scale, Dense<10>>> {};

struct two_inputs {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor image = build.input({784});
    const symbolic_tensor x = build.layer<Dense<64, relu>>("hidden", image);
    return build.layer<Dense<10>>("logits", x, image);
  }
};

struct forgotten {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor image = build.input({784});
    const symbolic_tensor x = build.layer<Dense<64, relu>>("hidden", image);
    build.layer<Dense<32, relu>>("forgotten", x);
    return build.layer<Dense<10>>("logits", x);
  }
};

void print(const char* tag, const problem& found) {
  std::printf("[%s]\n%s\n[/%s]\n\n", tag, std::string(found.message().view()).c_str(), tag);
}

}  // namespace

int main() {
  using digits = labelled_dataset<shape{28, 28}, 10, float>;
  using trained = compile<without_flatten, loss<sparse_categorical_crossentropy>>;
  print("without_flatten", data_fault_of<trained, digits>::value);
  print("backwards", fault_of<backwards>::value);
  print("gap", fault_of<gap>::value);
  print("two_inputs", fault_of<two_inputs>::value);
  print("forgotten", fault_of<forgotten>::value);
  print("forward_only",
        compile_fault_of<compile<scaled, loss<sparse_categorical_crossentropy>>>::value);
  print("list_length", fault_of<assigned<0, 0, 1, 1, 1>>::value);
  print("list_jump", fault_of<assigned<0, 0, 2, 2, 2, 2>>::value);
  print("list_start", fault_of<assigned<1, 1, 1, 1, 1, 1>>::value);
  print("from_probabilities", compile_fault_of<from_probabilities_of_linear::compiled>::value);
  print("accumulation_missing", compile_fault_of<compiled<>>::value);
  print("accumulation_grouped", compile_fault_of<compiled<gradient_accumulation<6>>>::value);
  print("accumulation_interleaved",
        compile_fault_of<compiled<gradient_accumulation<7>, interleaved>>::value);
  print("unknown_option", compile_fault_of<compiled<gradient_accumulation<4>, relu>>::value);
  print("set_twice",
        compile_fault_of<compiled<gradient_accumulation<4>, grouped, interleaved>>::value);
  return 0;
}
