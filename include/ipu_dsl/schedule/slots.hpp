// SPDX-License-Identifier: MIT
// How many slots an edge needs: to run at all, and to run without waiting for slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/schedule/in_order_run.hpp>
#include <ipu_dsl/schedule/schedules.hpp>

namespace ipu_dsl {

namespace slot_search {

/// What a search over one program looks at.
struct searched {
  const program_view& rows;
  const step_table& steps;
  const dependences& waits;
  const list<std::int64_t>& duration;
  list<int> slots;  ///< [edges] found so far, or unbounded

  /// The action (by index) that does the `write`-th write of an edge.
  constexpr int writer(int link, int write) const {
    const int row = waits.writer.data()[link] * rows.micro_batches;
    return steps.by_micro_batch.data()[row + steps.by_order.data()[row + write]] - 1;
  }
};

/// Whether every reader of the `write`-th write of an edge has run.
constexpr bool read_by_all(const searched& search, const in_order_run& run, int link, int write) {
  const int micro_batches = search.rows.micro_batches;
  const int tenant =
      search.steps.by_order.data()[search.waits.writer.data()[link] * micro_batches + write];
  for (int k = search.waits.freed.first.data()[link]; k != 0;
       k = search.waits.freed.next.data()[k]) {
    const int row = search.waits.freed.value.data()[k] * micro_batches;
    const int reader = search.steps.by_micro_batch.data()[row + tenant];
    if (reader != 0 && !run.ran(reader - 1)) {
      return false;
    }
  }
  return true;
}

/// The index of the last reader in the row of the `write`-th write of an edge within a device.
constexpr int last_reader(const searched& search, int link, int write) {
  const int micro_batches = search.rows.micro_batches;
  const int tenant =
      search.steps.by_order.data()[search.waits.writer.data()[link] * micro_batches + write];
  int last = -1;
  for (int k = search.waits.freed.first.data()[link]; k != 0;
       k = search.waits.freed.next.data()[k]) {
    const int row = search.waits.freed.value.data()[k] * micro_batches;
    const int reader = search.steps.by_micro_batch.data()[row + tenant] - 1;
    last = last < reader ? reader : last;
  }
  return last;
}

/// The slots of an edge within a device: what its row writes before it reads, exactly.
constexpr int slots_within(const searched& search, int link) {
  const int micro_batches = search.rows.micro_batches;
  int least = 1;
  int write = 0;
  int latest = -1;
  for (int read = 0; read < micro_batches; ++read) {
    const int reader = last_reader(search, link, read);
    latest = latest < reader ? reader : latest;
    while (write < micro_batches && search.writer(link, write) < latest) {
      ++write;
    }
    least = least < write - read ? write - read : least;
  }
  return least;
}

/// The least slots of an edge while the others keep theirs: everything else runs as far as it can
/// before each write, so that at each write as few tenants as possible are unread. Exact, because a
/// network of in-order devices has one farthest state.
constexpr int least_slots_of(const searched& search, int link) {
  if (search.waits.within.data()[link]) {
    return slots_within(search, link);
  }
  list<int> slots = search.slots;
  slots.data()[link] = search.rows.micro_batches;
  in_order_run run({search.rows, search.steps, search.waits, slots, search.duration});
  run.hold(search.waits.writer.data()[link]);
  run.advance();
  int least = 1;
  int read = 0;
  for (int write = 0; run.held_action() >= 0; ++write) {
    while (read < write && read_by_all(search, run, link, read)) {
      ++read;
    }
    least = least < write - read + 1 ? write - read + 1 : least;
    run.release();
    run.advance();
  }
  return least;
}

/// The makespan with the slots of the search; -1 if it would wait forever.
constexpr std::int64_t makespan_of(const searched& search) {
  in_order_run run({search.rows, search.steps, search.waits, search.slots, search.duration});
  run.advance();
  return run.complete() ? run.makespan() : -1;
}

/// One slot more on every edge between devices that is not unbounded yet.
constexpr void raise(searched& search) {
  for (std::size_t link = 0; link < search.slots.size(); ++link) {
    if (!search.waits.within[link] && search.slots[link] < search.rows.micro_batches) {
      ++search.slots[link];
    }
  }
}

}  // namespace slot_search

}  // namespace ipu_dsl
