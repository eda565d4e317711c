// SPDX-License-Identifier: MIT
// Tests of report/functional_stage_assignment.hpp: the table of a functional model's stages.
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/report/functional_stage_assignment.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

struct two_towers {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({8});
    const symbolic_tensor right = build.layer<Dense<8, relu>>("right", x);
    auto left = build.shared<Dense<8>>("left");
    const symbolic_tensor twice = left(left(x));
    return build.layer<Dense<3>>("logits", build.layer<Add>("", right, twice));
  }
};

struct in_two : restaged<two_towers> {
  static constexpr void assign(std::span<layer_stage> layers) {
    for (layer_stage& each : layers) {
      each.stage = each.name == "left" ? 0 : 1;
    }
  }
};

/// Lines of another length.
int other_lengths(const std::string& text, std::size_t length) {
  int found = 0;
  std::size_t begin = text.find('\n') + 1;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    found += end - begin == length ? 0 : 1;
    begin = end + 1;
  }
  return found;
}

}  // namespace

TEST_CASE("the stages of a functional model are printed call by call") {
  CHECK(functional_stage_assignment_text(graph_of<in_two>, "in_two", 60) ==
        "Model: \"in_two\"\n"
        "____________________________________________________________\n"
        "Layer (type) (node indexInput Layers            Pipeline Sta\n"
        "============================================================\n"
        "right (Dense) (0)       input                   1           \n"
        "____________________________________________________________\n"
        "left (Dense) (0)        input                   0           \n"
        "____________________________________________________________\n"
        "left (Dense) (1)        left                    0           \n"
        "____________________________________________________________\n"
        "add_3 (Add) (0)         right                   1           \n"
        "                        left                                \n"
        "____________________________________________________________\n"
        "logits (Dense) (0)      add_3                   1           \n"
        "============================================================\n");
}

TEST_CASE("the stages of a functional model take as many columns as asked for") {
  const std::string usual = functional_stage_assignment_text(graph_of<in_two>, "in_two");
  CHECK(usual.find("\nLayer (type) (node index)          Input Layers                        "
                   "Pipeline Stage    \n") != std::string::npos);
  int checked = 0;
  for (std::size_t length = 20; length <= 100; ++length) {
    const std::string text = functional_stage_assignment_text(graph_of<in_two>, "in_two", length);
    CHECK(other_lengths(text, length) == 0);
    ++checked;
  }
  CHECK(checked == 81);
  std::printf("checked %d widths\n", checked);
}
