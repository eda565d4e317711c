// SPDX-License-Identifier: MIT
// Tests of vocabulary/layers/bidirectional.hpp: what it is made of.
#include <array>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/model/functional.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "model/same_graph.hpp"
#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

struct side_by_side
    : model<input<12, 4>, sequential<Bidirectional<LSTM<6, return_sequences<true>>>>> {};

struct last_states : model<input<12, 4>, sequential<Bidirectional<GRU<6>>, Dense<2>>> {};

struct summed : model<input<12, 4>, sequential<Bidirectional<SimpleRNN<6>, merge_mode<"sum">>>> {};

struct multiplied
    : model<input<12, 4>, sequential<Bidirectional<GRU<6>, merge_mode<"mul">>, Dense<2>>> {};

struct called {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor steps = build.input({12, 4});
    return build.layer<Bidirectional<LSTM<6, return_sequences<true>>>>("both", steps);
  }
};

struct named_both
    : model<input<12, 4>,
            sequential<named<"both", Bidirectional<GRU<6>, merge_mode<"sum">>>,
                       named<"block", residual<sequential<Dense<6>, relu, Dense<6>>>>, Dense<2>>> {
};

/// Keras's order: the states of the first way, then those of the way back.
struct given_states {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor steps = build.input({12, 4});
    const symbolic_tensor state = build.input({6});
    const symbolic_tensor cell = build.input({6});
    const symbolic_tensor back_state = build.input({6});
    const symbolic_tensor back_cell = build.input({6});
    return build.layer<Bidirectional<LSTM<6>>>("both", steps, state, cell, back_state, back_cell);
  }
};

/// One state more than ways, and one for each where an LSTM has a cell as well.
template <bool Odd>
struct wrong_states {
  static constexpr symbolic_tensor build(functional_builder& build) {
    const symbolic_tensor steps = build.input({12, 4});
    const symbolic_tensor state = build.input({6});
    if (Odd) {
      return build.layer<Bidirectional<LSTM<6>>>("both", steps, state, state, state);
    }
    return build.layer<Bidirectional<LSTM<6>>>("both", steps, state, state);
  }
};

/// Behind the output the states of the first way, then those of the way back.
struct handed_over {
  static constexpr std::array<symbolic_tensor, 5> build(functional_builder& build) {
    const symbolic_tensor steps = build.input({12, 4});
    return build.layers<Bidirectional<LSTM<6, return_state<true>>>, 5>("both", steps);
  }
};

struct averaged_and_handed_over {
  static constexpr std::array<symbolic_tensor, 3> build(functional_builder& build) {
    const symbolic_tensor steps = build.input({12, 4});
    return build.layers<Bidirectional<GRU<6, return_state<true>>, merge_mode<"ave">>, 3>("", steps);
  }
};

/// One output too few.
struct half_handed_over {
  static constexpr std::array<symbolic_tensor, 3> build(functional_builder& build) {
    const symbolic_tensor steps = build.input({12, 4});
    return build.layers<Bidirectional<LSTM<6, return_state<true>>>, 3>("", steps);
  }
};

/// Of which a sequence can take one.
struct in_a_sequence : model<input<12, 4>, sequential<Bidirectional<LSTM<6, return_state<true>>>>> {
};

struct averaged
    : model<input<12, 4>,
            sequential<Bidirectional<LSTM<6, return_sequences<true>>, merge_mode<"ave">>, Dense<3>,
                       softmax>> {};

constexpr checks test_outputs() {
  checks done;
  done.that(graph_of<side_by_side>.at(graph_of<side_by_side>.output(0)).extents == shape{12, 12});
  done.that(graph_of<last_states>.at(graph_of<last_states>.layers[2].output).extents == shape{12});
  done.that(graph_of<summed>.at(graph_of<summed>.output(0)).extents == shape{6});
  done.that(graph_of<multiplied>.at(graph_of<multiplied>.layers[2].output).extents == shape{6});
  done.that(graph_of<called>.at(graph_of<called>.output(0)).extents == shape{12, 12});
  done.that(graph_of<called>.layers[2].name == "both");
  done.that(graph_of<averaged>.at(graph_of<averaged>.layers[2].output).extents == shape{12, 6});
  done.that(graph_of<averaged>.at(graph_of<averaged>.output(0)).extents == shape{12, 3});
  return done;
}

constexpr checks test_handed_over() {
  checks done;
  const graph_view& view = graph_of<handed_over>;
  done.that(view.outputs.size() == 5);
  done.that(view.at(view.output(0)).extents == shape{12});
  for (std::int32_t i = 1; i < 5; ++i) {
    done.that(view.at(view.output(i)).extents == shape{6});
    const node& made = view.node_at(view.at(view.output(i)).producer);
    done.that(made.options.as<recurrent_options>().order ==
              (i < 3 ? sequence_order::forwards : sequence_order::mirrored));
    done.that(view.output_of(made, i < 3 ? i : i - 2) == view.output(i));
  }
  done.that(graph_of<averaged_and_handed_over>.outputs.size() == 3);
  done.that(fault_of<half_handed_over>::value.got.view() == "5");
  done.that(fault_of<in_a_sequence>::value.got.view() == "3 outputs");
  return done;
}

/// What has a name hands it on to the layers within, so that their weights are found wherever it
/// stands.
constexpr checks test_names() {
  checks done;
  done.that(automatic_name(title_of(graph_of<called>.layers[0]).own).view() == "both_0");
  done.that(automatic_name(title_of(graph_of<called>.layers[1]).own).view() == "both_1");
  done.that(graph_of<named_both>.layers[0].name.empty());
  done.that(automatic_name(title_of(graph_of<named_both>.layers[0]).own).view() == "both_0");
  done.that(automatic_name(title_of(graph_of<named_both>.layers[3]).own).view() == "block_0");
  done.that(graph_of<named_both>.layers[6].name == "block");
  done.that(automatic_name(title_of(graph_of<named_both>.layers[7]).own).view() == "dense_2");
  done.that(Bidirectional<named<"f", LSTM<4>>>::description.fault->got.view() == "one named f");
  return done;
}

/// Weights of two layers; the second one reads from the end.
constexpr checks test_parts() {
  const graph_view& view = graph_of<side_by_side>;
  checks done;
  done.that(view.layers.size() == 3);
  list<const node*> both;
  for (const node& each : view.nodes) {
    if (is_recurrent(each.rule->name)) {
      both.push_back(&each);
    }
  }
  done.that(both.size() == 2);
  done.that(both[0]->parameters == 3 && both[1]->parameters == 3);
  done.that(view.parameter_of(*both[0], 0) != view.parameter_of(*both[1], 0));
  done.that(both[0]->options.as<recurrent_options>().order == sequence_order::forwards);
  done.that(both[1]->options.as<recurrent_options>().order == sequence_order::mirrored);
  return done;
}

/// Which inputs of the model each of both reads.
constexpr checks test_given_states() {
  const graph_view& view = graph_of<given_states>;
  checks done;
  std::int32_t read = 0;
  std::int32_t found = 0;
  for (const node& each : view.nodes) {
    if (is_recurrent(each.rule->name)) {
      done.that(each.inputs == 3);
      for (std::int32_t i = 1; i < each.inputs; ++i) {
        ++read;
        done.that(view.input_of(each, i) == view.find(tensor_role::input, read));
      }
      ++found;
    }
  }
  done.that(found == 2 && read == 4);
  for (const problem& wrong :
       {fault_of<wrong_states<true>>::value, fault_of<wrong_states<false>>::value}) {
    done.that(wrong.expected.view() == "4 initial states behind the sequence, or none");
  }
  done.that(fault_of<wrong_states<true>>::value.got.view() == "3");
  done.that(fault_of<wrong_states<false>>::value.got.view() == "2");
  return done;
}

/// As a list has them, by name and number; "mul" is what Multiply is.
constexpr checks test_joins() {
  const graph_view& view = graph_of<multiplied>;
  const node& join = view.node_at(view.layers[2].first_node);
  checks done;
  done.that(join.rule == &merge_family && join.inputs == 2);
  done.that(join.options.as<merge_options>().kind == merge_kind::multiply);
  done.that(testing::same_computation(graph_of<called>, graph_of<side_by_side>));
  return done;
}

constexpr std::string_view fault_of(const element& piece) {
  return piece.fault == nullptr ? "" : piece.fault->expected.view();
}

constexpr checks test_refusals() {
  checks done;
  done.that(fault_of(Bidirectional<Dense<4>>::description) ==
            "a recurrent layer in Bidirectional<...>");
  done.that(fault_of(Bidirectional<LSTM<4, go_backwards<true>>>::description) ==
            "a layer that reads forwards in Bidirectional<...>");
  done.that(fault_of(Bidirectional<LSTM<4>, merge_mode<"product">>::description) ==
            "\"concat\", \"sum\", \"mul\" or \"ave\" in merge_mode<...>");
  done.that(fault_of(Bidirectional<LSTM<4>, relu>::description) == "an option that it takes");
  done.that(fault_of(GRU<4, stateful<true>>::description) == "false in stateful<...>");
  done.that(fault_of(GRU<4, stateful<false>>::description).empty());
  done.that(fault_of(LSTM<4, stateful<1>>::description) == "true or false in stateful<...>");
  return done;
}

static_assert(test_outputs());
static_assert(test_handed_over());
static_assert(test_names());
static_assert(test_parts());
static_assert(test_given_states());
static_assert(test_joins());
static_assert(test_refusals());

TEST_CASE("Bidirectional is two layers and what joins them") {
  CHECK(test_outputs());
  CHECK(test_parts());
  CHECK(test_handed_over());
  CHECK(test_names());
  CHECK(test_joins());
  CHECK(test_given_states());
}

TEST_CASE("Bidirectional refuses what it cannot do") {
  CHECK(test_refusals());
}

}  // namespace
