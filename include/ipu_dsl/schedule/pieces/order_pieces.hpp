// SPDX-License-Identifier: MIT
// The global order of a large program, a part of the work in each constant evaluation.
#pragma once

#include <cstddef>

#include <ipu_dsl/schedule/frozen.hpp>
#include <ipu_dsl/schedule/worker_rows.hpp>

namespace ipu_dsl::pieces {

/// See `global_order`. `Proven` has the `rows` of a program and the `last_run` of its proof
/// (`slots_in_pieces`).
template <typename Proven>
struct order_in_pieces {
 private:
  static constexpr std::size_t actions = Proven::rows.actions.size();
  using numbers = frozen_list<int, actions>;

  static constexpr numbers make_rank() {
    numbers made;
    projection::enter_ranks(Proven::last_run.order.elements, static_cast<int>(actions),
                            made.elements);
    return made;
  }

  static constexpr numbers rank = make_rank();

  /// Parts of `Width` devices are sorted.
  template <int Width>
  static constexpr numbers merge() {
    numbers merged;
    if constexpr (Width == 1) {
      projection::enter_rows(static_cast<int>(actions), merged.elements);
    } else {
      const projection::order_keys keys = {Proven::last_run.start.elements + 1, rank.elements};
      projection::merge_neighbours(Proven::rows, keys, Width / 2, sorted<Width / 2>.elements,
                                   merged.elements);
    }
    return merged;
  }

  template <int Width>
  static constexpr numbers sorted = merge<Width>();

  /// The least power of two that no fewer devices have.
  static constexpr int find_width() {
    int width = 1;
    while (width < Proven::rows.devices) {
      width *= 2;
    }
    return width;
  }

 public:
  static constexpr const numbers& value = sorted<find_width()>;  ///< [actions]
};

}  // namespace ipu_dsl::pieces
