// SPDX-License-Identifier: MIT
// The constraints of schedules, as problems that name the nearest legal values.
#pragma once

#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/schedule/rotation.hpp>

namespace ipu_dsl {

namespace rules {

/// A problem of "schedule grouped"; the caller says what.
constexpr problem problem_of_schedule(std::string_view name) {
  problem found;
  found.where << "schedule " << name;
  return found;
}

/// The reference's rule that counts are a multiple of the overlap length; "use 4 or 8" names the
/// legal counts on both sides.
constexpr problem multiple_of(std::string_view name, int length, int stages, int micro_batches,
                              purpose aim) {
  if (micro_batches >= length && micro_batches % length == 0) {
    return {};
  }
  problem found = problem_of_schedule(name);
  found.expected << (aim == purpose::training ? "a gradient accumulation count"
                                              : "a number of steps per execution");
  if (length == 1) {
    found.expected << " of at least 1";
  } else {
    found.expected << " that is a multiple of " << length;
  }
  if (length == 2 * stages) {
    found.expected << " (2 x " << how_many(stages, "stage") << ")";
  } else if (length == stages) {
    found.expected << " (" << how_many(stages, "stage") << ")";
  }
  found.got << micro_batches;
  const std::int64_t below = micro_batches < length ? 0 : micro_batches / length * length;
  found.hint << "use ";
  if (below > 0) {
    found.hint << below << " or ";
  }
  found.hint << below + length;
  return found;
}

/// Of everything at least one.
constexpr problem counts(std::string_view name, int devices, int stages, int micro_batches) {
  problem found;
  if (devices < 1 || stages < 1 || micro_batches < 1) {
    found = problem_of_schedule(name);
    found.expected << "at least 1 device, 1 stage and 1 micro-batch";
    found.got << devices << ", " << stages << " and " << micro_batches;
  }
  return found;
}

/// As many stages as `each` on every device.
constexpr problem stages_a_device(std::string_view name, int devices, int stages, int each) {
  problem found;
  if (stages != devices * each) {
    found = problem_of_schedule(name);
    found.expected << how_many(each, "stage") << " on ";
    if (devices == 1) {
      found.expected << "the one device";
    } else {
      found.expected << "each of " << devices << " devices";
    }
    found.got << how_many(stages, "stage");
    found.hint << "cut the model into " << how_many(devices * each, "stage");
    if (stages % each == 0 && stages >= each) {
      found.hint << ", or use " << how_many(stages / each, "device");
    }
  }
  return found;
}

/// The same number of stages on every device, whatever it is.
constexpr problem whole_rounds(std::string_view name, int devices, int stages) {
  problem found;
  if (stages % devices != 0) {
    found = problem_of_schedule(name);
    found.expected << "a number of stages that is a multiple of " << devices << " devices";
    found.got << stages;
    found.hint << "cut the model into ";
    if (stages > devices) {
      found.hint << stages / devices * devices << " or ";
    }
    int fewer = devices;
    while (stages % fewer != 0) {
      --fewer;
    }
    found.hint << (stages / devices + 1) * devices << " stages, or use "
               << how_many(fewer, "device");
  }
  return found;
}

/// A least number of micro-batches.
constexpr problem at_least(std::string_view name, int least, int micro_batches) {
  problem found;
  if (micro_batches >= 0 && micro_batches < least) {
    found = problem_of_schedule(name);
    found.expected << "a gradient accumulation count of at least " << least;
    found.got << micro_batches;
    found.hint << "use " << least;
  }
  return found;
}

/// Stages need devices, and no device may stay empty.
constexpr problem device_count(std::string_view name, int devices, int stages, int least_stages) {
  problem found;
  if (stages < least_stages) {
    found = problem_of_schedule(name);
    found.expected << "a pipeline of at least " << how_many(least_stages, "stage");
    found.got << stages;
    found.hint << "cut the model into " << how_many(least_stages, "stage");
  } else if (devices < 1 || devices > stages) {
    found = problem_of_schedule(name);
    found.expected << "between 1 and " << how_many(stages, "device") << " (one a stage at most)";
    found.got << devices;
  }
  return found;
}

/// Interleaved training gives every stage a device of its own.
constexpr problem devices_distinct(std::string_view name, list_view<int> device_of_stage) {
  for (std::size_t second = 1; second < device_of_stage.size(); ++second) {
    for (std::size_t first = 0; first < second; ++first) {
      if (device_of_stage[first] == device_of_stage[second]) {
        problem found = problem_of_schedule(name);
        found.expected << "every stage on a device of its own in training";
        found.got << "stages " << first << " and " << second << " on device "
                  << device_of_stage[first];
        found.hint = "give every stage a device of its own, or use sequential_schedule";
        return found;
      }
    }
  }
  return {};
}

}  // namespace rules

}  // namespace ipu_dsl
