// SPDX-License-Identifier: MIT
// Refusals that are heard only if the compiler has found nothing else.
//
// A struct whose base the compiler has refused is, for all that follows, an empty struct. Whoever
// complains about it complains about the same mistake again. But nobody makes code after an error,
// so what is refused where code is made is said only if nothing else was wrong.
#pragma once

#include <type_traits>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

template <typename T>
concept complete_type = requires { sizeof(T); };

namespace late {

template <typename T>
[[gnu::error(
    "ipu_dsl: expected a model or a compiled model, got an empty type. Hint: write struct mlp : "
    "model<...> {} or struct training : compile<mlp, ...> {}, with struct and not with class; the "
    "build of a functional model is public as well")]]
int refuse_empty();

template <typename T>
[[gnu::error(
    "ipu_dsl: expected a model or a compiled model, got a type that is declared and not defined. "
    "Hint: define it before it is used")]]
int refuse_incomplete();

template <typename T>
[[gnu::error(
    "ipu_dsl: expected a build that the compiler can run, got one that it can not. Hint: write "
    "static constexpr symbolic_tensor build(functional_builder& build), and call nothing in it "
    "that is not constexpr")]]
int refuse_build();

template <typename T>
[[gnu::error(
    "ipu_dsl: expected rules of layers that the compiler can run, got one that it can not. Hint: "
    "declare every rule of a family of your own constexpr, and call nothing in it that is not; "
    "-fconstexpr-steps= of clang and -fconstexpr-ops-limit= of g++ allow a larger model")]]
int refuse_rules();

template <typename T>
[[gnu::error(
    "ipu_dsl: expected a schedule that the compiler can run, got one that it can not. Hint: "
    "declare its make and its make_forward static constexpr program, and call nothing in them that "
    "is not constexpr; -fconstexpr-steps= of clang and -fconstexpr-ops-limit= of g++ allow a "
    "longer one")]]
int refuse_schedule();

template <typename T>
[[gnu::error(
    "ipu_dsl: expected a data set or a feed, got a number. Hint: write "
    "labelled_dataset<shape{28, 28}, 10, float> data(features, labels) and give it that")]]
int refuse_number_as_data();

// Variables, because what initializes them at run time is code wherever they are named.
template <typename T>
inline const int empty_type = refuse_empty<T>();

template <typename T>
inline const int incomplete_type = refuse_incomplete<T>();

template <typename T>
inline const int build_not_constant = refuse_build<T>();

template <typename T>
inline const int rules_not_constant = refuse_rules<T>();

template <typename T>
inline const int schedule_not_constant = refuse_schedule<T>();

template <typename T>
inline const int number_as_data = refuse_number_as_data<T>();

}  // namespace late

}  // namespace ipu_dsl
