// SPDX-License-Identifier: MIT
// Hints are followed: whatever the hint of a schedule of the catalogue proposes, it takes.
#include <cctype>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/catalogue/catalogue.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

struct counts {
  int devices = 0;
  int stages = 0;
  int micro_batches = 0;
};

/// A number of a hint and what it counts: 'd', 's' or 'm'. Without a word it is micro-batches.
struct counted {
  int number = 0;
  char what = 'm';
};

constexpr char what_is_counted(std::string_view behind) {
  const std::size_t digits = behind.find_first_of("0123456789");
  const std::string_view words = behind.substr(0, digits);
  if (words.find("device") != std::string_view::npos) {
    return 'd';
  }
  if (words.find("stage") != std::string_view::npos) {
    return 's';
  }
  // "3 or 6 stages"
  return words == " or " ? what_is_counted(behind.substr(digits + 1)) : 'm';
}

constexpr std::vector<counted> numbers_of(std::string_view words) {
  std::vector<counted> numbers;
  for (std::size_t at = 0; at < words.size();) {
    std::size_t end = at;
    int number = 0;
    for (; end < words.size() && std::isdigit(static_cast<unsigned char>(words[end])) != 0; ++end) {
      number = 10 * number + (words[end] - '0');
    }
    if (end > at) {
      numbers.push_back({number, what_is_counted(words.substr(end))});
    }
    at = end + 1;
  }
  return numbers;
}

/// The alternatives of a hint: parts between ", or ".
constexpr std::vector<std::string_view> alternatives_of(std::string_view hint) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = hint.find(", or ");
    parts.push_back(hint.substr(0, end));
    hint.remove_prefix(end == std::string_view::npos ? hint.size() : end + 5);
  }
  return parts;
}

/// The counts that an alternative proposes: those given with the numbers in place, one by one where
/// there are two of a kind.
constexpr std::vector<counts> proposed_by(std::string_view alternative, const counts& given) {
  std::vector<counts> proposed = {given};
  char before = ' ';
  for (const counted& each : numbers_of(alternative)) {
    if (each.what == before) {
      proposed.push_back(proposed.back());
    }
    before = each.what;
    counts& changed = proposed.back();
    (each.what == 'd'   ? changed.devices
     : each.what == 's' ? changed.stages
                        : changed.micro_batches) = each.number;
  }
  return proposed;
}

constexpr bool takes_sequential(const counts& given) {
  const int devices = given.devices < given.stages ? given.devices : given.stages;
  return !sequential_schedule::allows(devices, given.stages, given.micro_batches, purpose::training)
              .found();
}

/// Follows all that a hint proposes; how much that was.
int follow(const catalogue_entry& entry, purpose aim, const counts& given, const problem& found) {
  int followed = 0;
  for (const std::string_view alternative : alternatives_of(found.hint.view())) {
    INFO(found.message().view() << " | " << alternative);
    if (alternative == "run it without a pipeline") {
      REQUIRE(takes_sequential({1, 1, given.micro_batches}));
      ++followed;
      continue;
    }
    if (alternative == "train with sequential_schedule") {
      REQUIRE(takes_sequential(given));
      ++followed;
      continue;
    }
    if (alternative == "any other schedule that goes backward") {
      continue;
    }
    REQUIRE_FALSE(numbers_of(alternative).empty());
    for (const counts& way : proposed_by(alternative, given)) {
      INFO(way.devices << " devices, " << way.stages << " stages, " << way.micro_batches);
      REQUIRE_FALSE(entry.allows(way.devices, way.stages, way.micro_batches, aim).found());
      ++followed;
    }
  }
  REQUIRE(followed > 0);
  return followed;
}

constexpr checks test_odd_stages_on_v() {
  checks done;
  done.that(default_devices<zb_v>(3) == 2);
  done.that(
      zb_v::allows(default_devices<zb_v>(3), 3, 4, purpose::training).message().view() ==
      "schedule zb-v: expected 2 stages on each of 2 devices, got 3 stages. Hint: cut the model "
      "into 4 stages");
  done.that(
      zb_v::allows(default_devices<zb_v>(1), 1, 4, purpose::training).message().view() ==
      "schedule zb-v: expected 2 stages on the one device, got 1 stage. Hint: cut the model into "
      "2 stages");
  done.that(
      chimera::allows(3, 6, 6, purpose::training).message().view() ==
      "schedule chimera: expected an even number of devices, got 3. Hint: use 2 devices and 4 "
      "stages, or 4 devices, 8 stages and 8 micro-batches");
  int checked = 0;
  for (int stages = 1; stages <= 64; ++stages) {
    done.that(default_devices<zb_v>(stages) >= 1);
    done.that(2 * default_devices<zb_v>(stages) >= stages);
    ++checked;
  }
  done.that(checked == 64);
  return done;
}

static_assert(test_odd_stages_on_v());

constexpr checks test_hints_of_large_counts() {
  checks done;
  static_assert(interleaved_one_f_one_b::allows(64, 257, 128, purpose::training).hint.view() ==
                "cut the model into 256 or 320 stages, or use 1 device");
  static_assert(dualpipe_v::allows(64, 7, 128, purpose::training).found());
  static_assert(grouped::allows(65, 64, 100, purpose::training).found());
  done.that(grouped::allows(65, 64, 100, purpose::training).found());
  return done;
}

static_assert(test_hints_of_large_counts());

}  // namespace

TEST_CASE("what a hint proposes is allowed") {
  int refused = 0;
  int followed = 0;
  for (const catalogue_entry& entry : catalogue()) {
    int of_entry = 0;
    for (const purpose aim : {purpose::training, purpose::inference}) {
      for (int devices = 1; devices <= 6; ++devices) {
        for (int stages = 1; stages <= 8; ++stages) {
          for (int micro_batches = 1; micro_batches <= 9; ++micro_batches) {
            const problem found = entry.allows(devices, stages, micro_batches, aim);
            if (found.found()) {
              of_entry += follow(entry, aim, {devices, stages, micro_batches}, found);
              ++refused;
            }
          }
        }
      }
    }
    INFO(entry.name);
    CHECK(of_entry > 0);
    followed += of_entry;
  }
  std::printf("checked %d refusals: %d ways out\n", refused, followed);
  CHECK(refused > 0);
}

TEST_CASE("an odd number of stages on a V is made even, on the devices that it wants by itself") {
  CHECK(test_odd_stages_on_v());
}

TEST_CASE("hints of large counts are found within the limits of a constant evaluation") {
  CHECK(test_hints_of_large_counts());
}
