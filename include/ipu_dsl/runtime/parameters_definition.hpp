// SPDX-License-Identifier: MIT
// What parameters_interface.hpp declares.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/hash.hpp>
#include <ipu_dsl/core/inline.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/non_finite.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/model/layer_name.hpp>
#include <ipu_dsl/runtime/initial_values.hpp>
#include <ipu_dsl/runtime/parameters_interface.hpp>

namespace ipu_dsl {

/// Whether this is kept of that parameter.
inline bool is_kept_of(const parameter_place& kept, const parameter_place& parameter) {
  return kept.stored.owner == parameter.stored.owner && kept.stored.name == parameter.stored.name;
}

/// The values of two parameters of one shape, which lie alike.
inline void exchange_values(std::span<float> left, std::span<float> right) {
  for (std::size_t i = 0; i < left.size(); ++i) {
    const float taken = left[i];
    left[i] = right[i];
    right[i] = taken;
  }
}

IPU_DSL_INLINE std::string parameters::name(std::size_t index) const {
  const std::string_view parameter = at(index).name;
  const std::string_view slot = places_[index].slot;
  return sentence_of(
      {layer_name(places_[index].layer), "/", parameter, slot.empty() ? "" : "/", slot});
}

IPU_DSL_INLINE std::size_t parameters::find(std::string_view called) const {
  std::string known;
  for (std::size_t i = 0; i < size(); ++i) {
    if (name(i) == called) {
      return i;
    }
    known += sentence_of({i == 0 ? "" : ", ", name(i)});
  }
  raise_error({"There is no parameter ", called, "; there are ", known, "."});
}

IPU_DSL_INLINE std::size_t parameters::find(std::string_view layer,
                                            std::string_view parameter) const {
  return find(sentence_of({layer, "/", parameter}));
}

IPU_DSL_INLINE void parameters::copy_from(const parameters& source) {
  if (source.size() != size()) {
    std::size_t first = 0;
    while (first < size() && first < source.size() && source.name(first) == name(first)) {
      ++first;
    }
    const bool more = source.size() > size();
    raise_error(
        {"There are ", size(), " parameters to copy to and ", source.size(),
         " to copy; the first that differs is ",
         first < source.size() ? source.describe_parameter(first) : describe_parameter(first),
         more ? ". Hint: to weights_of<normalization_folded<M>> those of M are copied by "
                "copy_folded(run.weights(), weights)."
              : "."});
  }
  for (std::size_t i = 0; i < size(); ++i) {
    if (source.name(i) != name(i) || !(source.at(i).extents == at(i).extents)) {
      raise_error({"The parameter ", describe_parameter(i), " cannot be copied from ",
                   source.describe_parameter(i), "."});
    }
  }
  list<float> values;
  for (std::size_t i = 0; i < size(); ++i) {
    values.resize(static_cast<std::size_t>(at(i).extents.elements()));
    source.get(i, {values.data(), values.size()});
    set(i, {values.data(), values.size()});
  }
}

IPU_DSL_INLINE void parameters::exchange(parameters& kept, std::string_view slot) {
  for (std::size_t i = 0; i < kept.size(); ++i) {
    for (std::size_t of = 0; of < size() && kept.places_[i].slot == slot; ++of) {
      if (is_kept_of(kept.places_[i], places_[of])) {
        exchange_values(stored(of), kept.stored(i));
      }
    }
  }
}

IPU_DSL_INLINE void parameters::initialize(std::uint64_t seed) {
  list<float> values;
  for (std::size_t i = 0; i < size(); ++i) {
    values.resize(static_cast<std::size_t>(at(i).extents.elements()));
    const tensor& stored = at(i);
    start_values(stored.start, stored.extents, seed, places_[i].stream,
                 {values.data(), values.size()});
    for (std::size_t n = 0; n < values.size(); ++n) {
      if (is_non_finite(values[n])) {
        raise_error({"The initializer of ", describe_parameter(i),
                     " makes no finite number at place ", n, "."});
      }
    }
    set(i, {values.data(), values.size()});
  }
}

IPU_DSL_INLINE void parameters::initialize(const optimizer_reference& optimizer) {
  list<float> values;
  for (std::size_t i = 0; i < size(); ++i) {
    const float start = optimizer.kept_at_first(places_[i].slot);
    if (start != 0) {
      values.clear();
      values.resize(at(i).extents.elements(), start);
      set(i, {values.data(), values.size()});
    }
  }
}

IPU_DSL_INLINE std::uint64_t parameters::fingerprint() const {
  fnv_1a hash;
  list<float> values;
  for (std::size_t i = 0; i < size(); ++i) {
    values.resize(static_cast<std::size_t>(at(i).extents.elements()));
    get(i, {values.data(), values.size()});
    for (const float value : values) {
      hash.take(std::bit_cast<std::uint32_t>(value));
    }
  }
  return hash.value;
}

IPU_DSL_INLINE std::string parameters::describe_parameter(std::size_t index) const {
  return sentence_of({name(index), " ", describe(at(index).extents)});
}

IPU_DSL_INLINE void parameters::refuse_negative(std::size_t index, std::span<const float> values,
                                                std::string_view source) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0) {
      raise_error({"Value ", i, " of ", name(index), source.empty() ? "" : " of ", source,
                   " is below 0; expected a variance."});
    }
  }
}

IPU_DSL_INLINE void parameters::check_savable(std::size_t index, std::span<const float> values,
                                              const std::string& path) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_non_finite(values[i])) {
      const bool infinite = values[i] == values[i];
      raise_error({"Value ", i, " of ", name(index), " is ", infinite ? "infinite" : "not a number",
                   ", so that ", path,
                   " is not written. Hint: terminate_on_nan ends a fit in which the loss is; "
                   "non_finite::kept behind the path writes it, and reads it."});
    }
  }
}

IPU_DSL_INLINE void parameters::check_size(std::size_t index, std::size_t given) const {
  const auto expected = static_cast<std::size_t>(at(index).extents.elements());
  if (given != expected) {
    raise_error({"The parameter ", name(index), " has ", expected, " values of shape ",
                 describe(at(index).extents), ", got ", given, "."});
  }
}

}  // namespace ipu_dsl
