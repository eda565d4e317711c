// SPDX-License-Identifier: MIT
// What is wrong with what a predictor is given.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/fixed_length.hpp>
#include <ipu_dsl/core/type_name.hpp>

namespace ipu_dsl {

/// What can be read as floats, whatever its length.
template <typename Features>
concept readable_floats = std::convertible_to<const Features&, std::span<const float>>;

/// What floats can be written to: no temporary array, which would take the results with it.
template <typename Output>
concept writable_floats = std::convertible_to<Output, std::span<float>>;

/// What is wrong with the number of values that a predictor is given.
template <std::size_t Wanted, std::size_t Given>
struct value_count_fault_of {
  static constexpr problem find() {
    problem found;
    if (Wanted != Given) {
      found = refuse(label() << Wanted << " values", label() << Given,
                     "a call takes micro_batch samples, and gives as many results");
      found.where = "the predictor";
    }
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with the types of features and of the memory for results.
template <typename Features, typename Output>
struct value_type_fault_of {
  static constexpr const char* hint =
      "arrays, std::array, std::vector and std::span of float do; a pointer p as "
      "std::span(p, count), other numbers copied to floats";

  static constexpr problem find() {
    problem found;
    if (!readable_floats<Features>) {
      found = refuse("features that are a range of floats", type_name<Features>(), hint);
    } else if (!writable_floats<Output>) {
      found = refuse("a range of floats to write to", type_name<std::remove_reference_t<Output>>(),
                     hint);
    }
    found.where = "predict";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with the sample of a stream.
template <typename Sample, std::size_t Values>
struct sample_fault_of {
  static constexpr problem find() {
    problem found;
    if (!readable_floats<Sample>) {
      found = refuse("a range of floats", type_name<Sample>(),
                     "copy the sample to a std::array of floats");
    } else {
      found =
          refuse(label() << Values << " floats, a number that the type tells", type_name<Sample>());
      found.hint << "write push(std::span(values).first<" << Values << ">())";
    }
    found.where = "push";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with memory of another type.
template <typename Memory>
struct memory_type_fault_of {
  static constexpr problem find() {
    problem found = refuse("a range of std::byte", type_name<std::remove_cvref_t<Memory>>(),
                           "take a std::array of std::byte, or std::as_writable_bytes of a span");
    found.where = "the memory given";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with weights of another model.
template <typename Wanted, typename Given>
struct weights_fault_of {
  static constexpr problem find() {
    problem found =
        refuse(label("those of ") << type_name<Wanted>(), label("those of ") << type_name<Given>(),
               "weights_of the predictor's model, filled by copy_from");
    found.where = "the weights of a predictor";
    return found;
  }

  static constexpr problem value = find();
};

}  // namespace ipu_dsl
