// SPDX-License-Identifier: MIT
// Labels of a table without the number of their classes.
#include <ipu_dsl/data/csv.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

std::int64_t flowers(const csv_table& table) {
#ifdef WITH_MISTAKE
  const auto data = zipped(table.features({"length", "width"}), table.labels("species"));
#else
  const auto data = zipped(table.features({"length", "width"}), table.labels<3>("species"));
#endif
  return data.size();
}
