// SPDX-License-Identifier: MIT
// Who takes part: every library enters itself from its own file, which is compiled if it is found.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace peers {

/// A library's answer to a question. A library may enter several ways; the fastest stands for it.
template <typename Question, typename Contestant>
struct entry {
  std::string library;
  /// Null if the library has no answer to this one.
  std::unique_ptr<Contestant> (*make)(const Question& question);
};

/// Those that take part, ours among them.
template <typename Question, typename Contestant>
std::vector<entry<Question, Contestant>>& entries() {
  static std::vector<entry<Question, Contestant>> all;
  return all;
}

/// The name of ours.
inline constexpr const char* ours = "ipu_dsl";

/// Enters a library before main begins, ours before all others.
template <typename Question, typename Contestant>
struct entered {
  entered(const std::string& library, std::unique_ptr<Contestant> (*make)(const Question&)) {
    auto& all = entries<Question, Contestant>();
    all.insert(library == ours ? all.begin() : all.end(), {library, make});
  }
};

/// What is said of libraries before anything is measured.
inline std::vector<std::string (*)()>& remarks() {
  static std::vector<std::string (*)()> all;
  return all;
}

/// Has something said before main begins.
struct remarked {
  explicit remarked(std::string (*remark)()) { remarks().push_back(remark); }
};

}  // namespace peers
