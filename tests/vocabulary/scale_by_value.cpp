// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/scale_by_value.hpp, and of what is said of values of the run.
#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/plan/run_values.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/join.hpp>
#include <ipu_dsl/vocabulary/layers/scale_by_value.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

struct sharpened {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({4, 3});
    const symbolic_tensor softness = build.value("softness", 2.0F);
    const symbolic_tensor sharpness = build.value("sharpness");
    return build.layer<ScaleByValue>("", build.layer<ScaleByValue>("", x, sharpness), softness);
  }
};

static_assert(graph_of<sharpened>.count(tensor_role::run_value) == 2);
static_assert(graph_of<sharpened>.at(graph_of<sharpened>.output(0)).extents == shape{4, 3});
static_assert(find_run_value(graph_of<sharpened>, "softness") == 0);
static_assert(find_run_value(graph_of<sharpened>, "sharpness") == 1);
static_assert(find_run_value(graph_of<sharpened>, "gain") == -1);

using compiled = compile<sharpened, micro_batch<2>>;
static_assert(!run_value_fault_of<compiled, "softness">::value.found());
static_assert(run_value_fault_of<compiled, "gain">::value.message().view() ==
              "set: expected a value of the model: softness, sharpness, got gain. Hint: "
              "build.value(\"temperature\", 1.0F) makes one");

struct without_value {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({4});
    return build.layer<ScaleByValue>("", x, x);
  }
};

static_assert(
    fault_of<without_value>::value.message().view() ==
    "layer 0 ScaleByValue in stage 0: expected a value of the run as input 1, got a tensor (4). "
    "Hint: write build.value(\"temperature\", 1.0F)");

struct value_first {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.input({4});
    return build.layer<Add>("", x, build.value("gain", 1.0F));
  }
};

static_assert(
    fault_of<value_first>::value.message().view() ==
    "layer 0 Add in stage 0: expected a tensor of samples as input 1, got the value gain. Hint: "
    "a layer reads one if it says so: build.layer<ScaleByValue>(name, x, value)");

struct unnamed {
  static constexpr symbolic_tensor build(functional_builder& build) {
    return build.layer<ScaleByValue>("", build.input({4}), build.value(""));
  }
};

static_assert(fault_of<unnamed>::value.message().view() ==
              "value : expected a name by which it is given, got none. Hint: write "
              "build.value(\"temperature\")");

struct same_name {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor x = build.layer<ScaleByValue>("", build.input({4}), build.value("gain"));
    return build.layer<ScaleByValue>("", x, build.value("gain"));
  }
};

static_assert(fault_of<same_name>::value.message().view() ==
              "value gain: expected a name of its own, got that of another value");

// A value is asked for by its name, an input by its place.
struct value_called_as_input {
  static constexpr symbolic_tensor build(functional_builder& build) {
    return build.layer<ScaleByValue>("", build.input("gain", {4}), build.value("gain"));
  }
};

static_assert(check<value_called_as_input>());

struct unread {
  static constexpr symbolic_tensor build(functional_builder& build) {
    build.value("gain");
    return build.layer<Dense<2>>("", build.input({4}));
  }
};

static_assert(fault_of<unread>::value.message().view() ==
              "value gain: expected a value that a layer reads, got one that nobody reads. Hint: "
              "call a layer on it or take it out");

struct handed_out {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor gain = build.value("gain");
    build.layer<ScaleByValue>("", build.input({4}), gain);
    return gain;
  }
};

static_assert(fault_of<handed_out>::value.message().view() ==
              "output: expected a tensor of samples, got the value gain");

struct too_many {
  static constexpr symbolic_tensor build(functional_builder& build) {
    symbolic_tensor x = build.input({4});
    for (const char* const name : {"a", "b", "c", "d", "e", "f", "g", "h", "i"}) {
      x = build.layer<ScaleByValue>("", x, build.value(name));
    }
    return x;
  }
};

static_assert(fault_of<too_many>::value.message().view() ==
              "value i: expected at most 8 values, got one more");

TEST_CASE("ScaleByValue reads a value of the run") {
  CHECK(is_valid<sharpened>());
  CHECK(find_run_value(graph_of<sharpened>, "sharpness") == 1);
  CHECK(!is_valid<without_value>());
  CHECK(!is_valid<too_many>());
}

}  // namespace
