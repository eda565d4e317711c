// SPDX-License-Identifier: MIT
// Classes are weighed of data that have none.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
using data_type = paired_dataset<shape{4}, shape{1}>;
#else
using data_type = labelled_dataset<shape{4}, 2, float>;
#endif

void weigh(const data_type& data) {
  [[maybe_unused]] const auto weighted = data | class_weighted({1.0F, 4.0F});
}
