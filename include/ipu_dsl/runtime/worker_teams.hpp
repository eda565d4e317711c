// SPDX-License-Identifier: MIT
// How workers are dealt over the devices of a program: one for several, one each, several together.
#pragma once

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// Where a worker stands.
struct worker_place {
  int row = -1;    ///< the row of actions that it walks; -1: none
  int member = 0;  ///< of the team that walks this row; 0 leads: it alone waits, feeds and counts
};

/// With as many workers as devices or fewer, each walks the row of neighbouring devices. With more,
/// each device has a team of as many as all devices can have, who share what has grains and is
/// worth it.
class worker_teams {
 public:
  constexpr worker_teams(int workers, int devices)
      : rows_(workers < devices ? workers : devices),
        members_(devices > 0 && workers > devices ? workers / devices : 1),
        devices_(devices) {}

  constexpr int rows() const { return rows_; }

  constexpr int members() const { return members_; }

  /// How many workers have a place.
  constexpr int workers() const { return rows_ * members_; }

  constexpr worker_place place_of(int worker) const {
    return worker < workers() ? worker_place{worker / members_, worker % members_} : worker_place{};
  }

  constexpr int row_of_device(int device) const { return device * rows_ / devices_; }

 private:
  int rows_;
  int members_;
  int devices_;
};

}  // namespace ipu_dsl
