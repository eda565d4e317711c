// SPDX-License-Identifier: MIT
// What data give, as plain vectors.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ipu_dsl/data/feed.hpp>

namespace ipu_dsl::tests {

/// The rows of one source of a feed, pulled in micro-batches to its end. Others are asked for too.
template <typename Number, typename Feed>
std::vector<Number> numbers_of_source(Feed& source, std::size_t wanted, std::int32_t micro_batch) {
  const std::span<const source_form> forms = source.sources();
  std::vector<std::vector<float>> memory(forms.size());
  std::vector<source_rows> to;
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const auto elements = static_cast<std::int32_t>(forms[i].elements);
    memory[i].resize(static_cast<std::size_t>(elements * micro_batch));
    to.push_back({forms[i].type, memory[i].data(), elements, elements});
  }
  std::vector<Number> numbers;
  std::int32_t valid = micro_batch;
  while (valid == micro_batch) {
    valid = source.next({to, micro_batch});
    const auto* const first = reinterpret_cast<const Number*>(memory[wanted].data());
    numbers.insert(
        numbers.end(), first,
        first + std::ptrdiff_t{valid} * static_cast<std::ptrdiff_t>(forms[wanted].elements));
  }
  return numbers;
}

template <typename Feed>
std::vector<float> first_numbers_of(Feed& source, std::int32_t micro_batch) {
  return numbers_of_source<float>(source, 0, micro_batch);
}

/// The first input of all samples, floats.
template <typename Data>
std::vector<float> first_numbers(const Data& data, std::uint64_t seed = 1) {
  auto source = make_feed(data, seed);
  return numbers_of_source<float>(source, 0, 3);
}

/// The labels of data of one input.
template <typename Data>
std::vector<std::int32_t> labels_of(const Data& data) {
  auto source = make_feed(data, 1);
  return numbers_of_source<std::int32_t>(source, 1, 3);
}

/// Their float targets.
template <typename Data>
std::vector<float> targets_of(const Data& data) {
  auto source = make_feed(data, 1);
  return numbers_of_source<float>(source, 1, 3);
}

}  // namespace ipu_dsl::tests
