// SPDX-License-Identifier: MIT
// What is said of a type that is neither a model nor a compiled model, where one is wanted.
#pragma once

#include <concepts>
#include <type_traits>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/late_refusal.hpp>
#include <ipu_dsl/model/model_parts.hpp>

namespace ipu_dsl {

/// A type that tells itself what is wrong with it: `compile<...>` of no model.
template <typename T>
concept refuses_itself = requires { typename T::refused_as; };

/// A struct whose first base is wrong: clang takes the options behind the mistake for further
/// bases.
template <typename T>
concept struct_of_options = requires {
  T::name;
  T::as_option;
};

/// A type of the library, or like one of them: no model, and no struct without its base.
template <typename T>
concept known_type =
    !struct_of_options<T> &&
    (model_element<T> || model_type<T> || std::same_as<T, absent_type> ||
     requires { typename T::compiled; } || requires { T::as_option; } || requires { T::name; } ||
     (requires { T::rule; } && !requires { T::options; }) || requires { T::is_loss; });

/// A compiled model of which the compiler has refused something, so that it is none.
template <typename T>
concept unreadable_compile = requires { typename T::compiled; } && !requires {
  typename T::schedule_type;
  T::settings;
};

/// A type with a `build`, but not the one that makes a functional model.
template <typename T>
concept has_build = requires { &T::build; };

/// Names that people write for `build`.
#define IPU_DSL_MISSPELT(written)            \
  if constexpr (requires { &T::written; }) { \
    return #written;                         \
  }

/// The one that a type has, or none.
template <typename T>
constexpr const char* misspelt_build() {
  IPU_DSL_MISSPELT(biuld)
  IPU_DSL_MISSPELT(bulid)
  IPU_DSL_MISSPELT(buidl)
  IPU_DSL_MISSPELT(buld)
  IPU_DSL_MISSPELT(bild)
  IPU_DSL_MISSPELT(builds)
  IPU_DSL_MISSPELT(Build)
  IPU_DSL_MISSPELT(build_model)
  IPU_DSL_MISSPELT(call)
  IPU_DSL_MISSPELT(forward)
  return nullptr;
}

#undef IPU_DSL_MISSPELT

/// What is wrong with a type without a base that has such a function.
template <typename T>
struct misspelt_build_fault_of {
  static constexpr problem find() {
    problem found =
        refuse("static constexpr symbolic_tensor build(functional_builder& build)",
               misspelt_build<T>(), text<191>("write build for ") << misspelt_build<T>());
    found.where = label("the type ") << type_name<T>();
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with the `build` of a type.
template <typename T>
struct build_fault_of {
  static constexpr problem find() {
    label got;
    if constexpr (has_build<T>) {
      got << type_name<decltype(&T::build)>();
    }
    problem found = refuse("static constexpr symbolic_tensor build(functional_builder& build)", got,
                           "several outputs are a std::array<symbolic_tensor, 2>");
    found.where = label(type_name<T>()) << "::build";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with a type that knows nothing of the library, whoever is given it: the same
/// sentence everywhere, so that it is one error.
template <typename T>
struct foreign_fault_of {
  static constexpr problem find() {
    problem found = refuse("a model, or a compiled model", "neither",
                           "derive it: struct mlp : model<...> {}, or from compile<mlp, ...>");
    found.where = label("the type ") << type_name<T>();
    return found;
  }

  static constexpr problem value = find();
};

/// Makes one error with one sentence about a type that is no model; always true. `Found` says what
/// was expected instead of a type of the library.
template <typename T, typename Found>
constexpr bool refuse_type() {
  if constexpr (refuses_itself<T>) {
    return T::refused_as::refuse();
  } else if constexpr (!requires { sizeof(T); }) {
    if (false) {
      static_cast<void>(late::incomplete_type<T>);
    }
    return true;
  } else if constexpr (has_build<T> && !model_type<T>) {
    return diagnose<build_fault_of<T>>();
  } else if constexpr (!known_type<T> && misspelt_build<T>() != nullptr) {
    return diagnose<misspelt_build_fault_of<T>>();
  } else if constexpr ((std::is_empty_v<T> && !known_type<T>) || unreadable_compile<T>) {
    if (false) {
      static_cast<void>(late::empty_type<T>);
    }
    return true;
  } else if constexpr (known_type<T>) {
    return diagnose<Found>();
  } else {
    return diagnose<foreign_fault_of<T>>();
  }
}

/// What is wrong with a type of the library that `check` is asked about.
template <typename T>
struct check_fault_of {
  static constexpr problem find() {
    problem found = refuse("a model or a compiled model", type_name<T>(),
                           "write struct mlp : model<...> {} and check<mlp>()");
    found.where = "check";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with `check` of a value.
template <auto Value>
struct check_fault_of_value {
  static constexpr problem find() {
    problem found = refuse("a model or a compiled model", label("a value of type ")
                                                              << type_name<decltype(Value)>());
    found.where = "check";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with `check` of several types.
template <typename First>
struct check_fault_of_others {
  static constexpr problem find() {
    problem found =
        refuse("one type, a model or a compiled model",
               label() << type_name<First>() << " and more", "write check<mlp>() for each of them");
    found.where = "check";
    return found;
  }

  static constexpr problem value = find();
};

/// Of what is neither a model nor a compiled model: makes one compile error with one sentence.
template <typename T>
constexpr bool(check)() {
  return refuse_type<T, check_fault_of<T>>();
}

template <auto Value>
constexpr bool(check)() {
  return diagnose<check_fault_of_value<Value>>();
}

template <typename First, typename Second, typename... Rest>
constexpr bool(check)() {
  return diagnose<check_fault_of_others<First>>();
}

}  // namespace ipu_dsl
