// SPDX-License-Identifier: MIT
// Pictures that are held to a file in tests/report/golden. To make the files anew after a wanted
// change, run the test program with IPU_DSL_WRITE_GOLDENS=1 in the environment, and look at them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/catch2.hpp"

namespace ipu_dsl::tests {

inline std::filesystem::path golden_path(const std::string& name) {
  return std::filesystem::path(__FILE__).parent_path() / "golden" / name;
}

inline void check_golden(const std::string& name, const std::string& made) {
  const std::filesystem::path path = golden_path(name);
  if (std::getenv("IPU_DSL_WRITE_GOLDENS") != nullptr) {
    std::ofstream(path, std::ios::binary) << made;
  }
  std::ifstream file(path, std::ios::binary);
  INFO(path.string());
  REQUIRE(file.is_open());
  const std::string kept{std::istreambuf_iterator<char>(file), {}};
  CHECK(!kept.empty());
  // Not the texts themselves, which are long: where they part says enough.
  std::size_t at = 0;
  while (at < kept.size() && at < made.size() && kept[at] == made[at]) {
    ++at;
  }
  INFO("golden: " << kept.substr(at, 80) << "\nmade:   " << made.substr(at, 80));
  CHECK(at == kept.size());
  CHECK(at == made.size());
}

}  // namespace ipu_dsl::tests
