// SPDX-License-Identifier: MIT
// Tests of model/layer_name.hpp and graph/name_letters.hpp.
#include <cstdio>
#include <set>
#include <string>
#include <string_view>

#include <ipu_dsl/model/layer_name.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

namespace {

using namespace ipu_dsl;
using tests::checks;

struct net : model<input<4>, sequential<Dense<4>, residual<Dense<4>, residual<Dense<4>>, Dense<4>>,
                                        concat<Dense<1>, Dense<2>>, named<"logits", Dense<3>>>> {};

constexpr std::string_view good_names[] = {"logits", "dense_1",         ".hidden", "a-b>c",
                                           "v1.0",   "encoder/dense_0", "größe",   "..."};

constexpr std::string_view lost_names[] = {"../../evil", "/root", "a//b", "a/./b", "a/", ".", ".."};

struct letter_case {
  std::string_view name;
  std::string_view got;
};

constexpr letter_case unfit_names[] = {{"a b", "a space in a b"},
                                       {"a\nb", "a control character"},
                                       {"a:b", "':' in a:b"},
                                       {"a\\b", "'\\' in a\\b"},
                                       {"\"a\"", "'\"' in \"a\""}};

constexpr checks test_letters() {
  checks done;
  for (const std::string_view name : good_names) {
    done.that(!check_letters(name).found());
  }
  for (const std::string_view name : lost_names) {
    const problem found = check_letters(name);
    done.that(found.expected.view() == "a name without empty parts, . and .. between its slashes");
    done.that(found.got.view() == name);
  }
  for (const letter_case& each : unfit_names) {
    const problem found = check_letters(each.name);
    done.that(found.expected.view() == "letters, digits and _ . - > / in a name");
    done.that(found.got.view() == each.got);
  }
  return done;
}

static_assert(test_letters());

template <fixed_string Name>
struct named_net : model<input<4>, sequential<named<Name, Dense<3>>>> {};

template <fixed_string Name>
struct outer_net : model<input<4>, sequential<Dense<4>, named<Name, named_net<"inner">>>> {};

template <fixed_string First, fixed_string Second>
struct twice_named : model<input<4>, sequential<named<First, named<Second, Dense<3>>>>> {};

template <typename M>
constexpr sentence said = fault_of<M>::value.message();

static_assert(is_valid<named_net<"encoder/logits">>() && is_valid<outer_net<"encoder">>());
static_assert(said<named_net<"../evil">>.view() ==
              "layer 0 Dense<3> in stage 0: expected a name without empty parts, . and .. between "
              "its slashes, got ../evil");
static_assert(said<outer_net<"a b">>.view() ==
              "layer 1 in stage 0: expected letters, digits and _ . - > / in a name, got a space "
              "in a b");
static_assert(
    said<named_net<"">>.view() ==
    "layer 0 named<...> in stage 0: expected a name in quotes, got a number or an empty name. "
    "Hint: write named<\"logits\", Dense<10>>, or take named<...> out: the layer is called after "
    "its kind");
static_assert(said<twice_named<"a", "b">>.view() ==
              "layer 0 named<...> in stage 0: expected one name, got a for what is named b. Hint: "
              "leave one of them out");

TEST_CASE("names have the letters of files") {
  CHECK(test_letters());
}

TEST_CASE("layers are called by kind and place unless they have a name") {
  const graph_view& view = graph_of<net>;
  CHECK(layer_name(view.layers[0]) == "dense_0");
  CHECK(layer_name(view.layers[1]) == "dense_1_0");
  CHECK(layer_name(view.layers.back()) == "logits");
  std::set<std::string> names;
  for (const layer_record& layer : view.layers) {
    names.insert(layer_name(layer));
  }
  std::printf("checked %zu layer names\n", names.size());
  CHECK(names.size() == view.layers.size());
  CHECK(names.size() == 10);
}

}  // namespace
