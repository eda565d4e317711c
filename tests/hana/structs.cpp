// SPDX-License-Identifier: MIT
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/hana/at_key.hpp>
#include <boost/hana/length.hpp>

#include <ipu_dsl/hana/literals.hpp>
#include <ipu_dsl/hana/structs.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;
using namespace ipu_dsl::literals;
namespace hana = boost::hana;

/// Whatever a member of a Struct can be initialised with.
struct anything {
  template <typename Member>
    requires(!std::is_pointer_v<Member>)
  operator Member() const;
};

template <typename Struct, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { Struct{(static_cast<void>(I), anything())...}; };
}

template <typename Struct>
constexpr std::size_t adapted_members = decltype(hana::length(hana::accessors<Struct>()))::value;

/// Whether every member is adapted: an aggregate takes as many initialisers as it has members.
template <typename Struct>
constexpr bool is_whole = adapted_members<Struct> > 0 &&
                          takes<Struct>(std::make_index_sequence<adapted_members<Struct>>()) &&
                          !takes<Struct>(std::make_index_sequence<adapted_members<Struct> + 1>());

static_assert(is_whole<fit_options> && is_whole<session_options> && is_whole<pinning>);
static_assert(is_whole<training_progress>);
static_assert(is_whole<evaluation> && is_whole<epoch_record> && is_whole<execution_record>);

template <typename... Optimizers>
constexpr bool all_are_whole = (is_whole<typename Optimizers::settings> && ...);

static_assert(all_are_whole<sgd<>, sgd<momentum>, sgd<momentum, nesterov>, adadelta, adagrad, adam,
                            adamax, adamw, amsgrad, ftrl, lamb, lion, nadam>);
static_assert(
    all_are_whole<rmsprop<>, rmsprop<momentum>, rmsprop<centered>, rmsprop<momentum, centered>>);

// That an aggregate is counted right.
struct three_members {
  int first;
  evaluation second;
  learning_rate_schedule third;
};

static_assert(takes<three_members>(std::make_index_sequence<3>()) &&
              !takes<three_members>(std::make_index_sequence<4>()));

constexpr std::int32_t set_epochs(std::int32_t epochs) {
  fit_options wanted;
  for_each_member(wanted, [&](std::string_view name, auto& member) {
    if constexpr (std::same_as<decltype(member), std::int32_t&>) {
      member = name == "epochs" ? epochs : member;
    }
  });
  return wanted.epochs;
}

static_assert(set_epochs(7) == 7);
static_assert(hana::at_key(fit_options{.epochs = 3}, "epochs"_s) == 3);

TEST_CASE("members of settings and results are named, in order, and can be changed") {
  CHECK(set_epochs(9) == 9);
  std::vector<std::string> names;
  const evaluation found{.loss = 0.5, .metrics = {}, .samples = 10};
  for_each_member(found, [&](std::string_view name, const auto& member) {
    names.emplace_back(name);
    if constexpr (std::same_as<decltype(member), const double&>) {
      CHECK(&member == &found.loss);
    }
  });
  CHECK(names == std::vector<std::string>{"loss", "metrics", "samples"});
}

}  // namespace
