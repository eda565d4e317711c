// SPDX-License-Identifier: MIT
// A function of spans of another length than samples have.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

void map(const labelled_dataset<shape{28, 28}, 10>& data) {
#ifdef WITH_MISTAKE
  [[maybe_unused]] const auto mapped_data = data | mapped([](std::span<float, 768>) {});
#else
  [[maybe_unused]] const auto mapped_data = data | mapped([](std::span<float, 784>) {});
#endif
}
