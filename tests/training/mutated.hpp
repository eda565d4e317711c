// SPDX-License-Identifier: MIT
// A training whose declarations are changed: every reach of every access of every call, shifted by
// one and taken away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ipu_dsl/training/check_tiles.hpp>

#include "support/catch2.hpp"

namespace ipu_dsl::tests {

/// What changed declarations were found, and how many not.
struct mutation_count {
  int found = 0;
  int missed = 0;
  std::vector<std::string> misses;
};

/// A declaration that is changed in one reach.
template <typename Training>
class mutated {
 public:
  using compiled = typename Training::compiled;

  mutated() : declared_(declared_training<compiled>(parts)) {
    const std::span<const reach> reaches = declared_.accesses.reaches;
    reaches_.assign(reaches.begin(), reaches.end());
    declared_.accesses.reaches = reaches_;
  }

  /// Shifts and takes away every reach in turn.
  mutation_count count() {
    mutation_count made;
    REQUIRE(fault() == "");
    for (std::size_t call = 0; call < declared_.accesses.calls.size(); ++call) {
      const auto kernel = static_cast<std::size_t>(declared_.plan.code_of_call[call]);
      const bool exchanges = declared_.plan.codes[kernel].transfer != transfer_kind::none;
      // What writes no tensor has no blocks to compare: the accuracy.
      if (!exchanges && declared_.plan.calls[call].writes > 0 && first_of_its_code(call)) {
        mutate(call, made);
      }
    }
    return made;
  }

 private:
  static constexpr session_parts parts = parts_of<compiled>();

  bool first_of_its_code(std::size_t call) const {
    for (std::size_t earlier = 0; earlier < call; ++earlier) {
      if (declared_.plan.code_of_call[earlier] == declared_.plan.code_of_call[call]) {
        return false;
      }
    }
    return true;
  }

  /// By one. A window with padding around the image reaches all of it after a shift by one as well,
  /// so that it is shifted by its own length and by that padding.
  std::int32_t shift_of(std::size_t call, const reach& at) const {
    if (at.second < 0) {
      return 1;
    }
    const std::span<const access_axis> axes =
        axes_of(declared_.accesses, declared_.accesses.calls[call]);
    const std::int32_t apart = at.dilation < 0 ? -at.dilation : at.dilation;
    return axes[static_cast<std::size_t>(at.second)].extent * apart + std::abs(at.offset);
  }

  void mutate(std::size_t call, mutation_count& made) {
    for (const operand_access& row :
         operands_of(declared_.accesses, declared_.accesses.calls[call])) {
      for (std::int32_t i = 0; i < row.reaches; ++i) {
        reach& at = reaches_[static_cast<std::size_t>(row.first_reach + i)];
        const bool single = extent_of(row, i, declared_.batch) == 1;
        reach shifted = at;
        shifted.offset += shift_of(call, at);
        // What is gathered is everywhere already.
        if (!at.gathered) {
          judge(call, at, shifted, row, made);
        }
        // Of a single position there is nothing to take away.
        if (!single) {
          reach pinned;
          judge(call, at, pinned, row, made);
        }
      }
    }
  }

  void judge(std::size_t call, reach& at, const reach& wrong, const operand_access& row,
             mutation_count& made) {
    const reach right = std::exchange(at, wrong);
    if (fault().empty()) {
      ++made.missed;
      made.misses.push_back(std::string(declared_.places[call].view()) + ", operand " +
                            std::to_string(row.operand));
    } else {
      ++made.found;
    }
    at = right;
  }

  std::string fault() const {
    std::string said;
    const typename compiled::optimizer_type::settings rates{.learning_rate = 0.05F};
    train_on_drawn(parts, optimizer_reference(rates), {}, [&](const region_set& memory) {
      struct counting {
        block_check runs;
        std::string* said;

        void run(const run_context& context) {
          runs.run(context);
          *said = runs.fault();
        }
      };
      return counting{block_check(declared_, memory, 16, 3), &said};
    });
    return said;
  }

  declared_program declared_;
  std::vector<reach> reaches_;
};

template <typename Training>
int check_mutations() {
  const mutation_count made = mutated<Training>().count();
  for (const std::string& miss : made.misses) {
    UNSCOPED_INFO("not found: " << miss);
  }
  CHECK(made.missed == 0);
  CHECK(made.found > 0);
  return made.found;
}

}  // namespace ipu_dsl::tests
