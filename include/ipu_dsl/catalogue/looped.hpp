// SPDX-License-Identifier: MIT
// Schedules of virtual stages: every device has several stages, dealt out round after round, so
// that a micro-batch passes it several times and waits at the ends are as much shorter.
#pragma once

#include <string_view>

#include <ipu_dsl/catalogue/chunk_rows.hpp>
#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/schedule/schedule_type.hpp>

namespace ipu_dsl {

/// What schedules of virtual stages share: as many stages on every device. `Derived` brings what
/// `chunk_schedule` asks for.
template <typename Derived>
struct looped_schedule : placed_schedule<Derived>, chunk_schedule<Derived> {
  /// The most devices that have the same number of stages, at least two; one a stage if none do.
  static constexpr int devices_for(int stages) {
    for (int chunks = 2; 2 * chunks <= stages; ++chunks) {
      if (stages % chunks == 0) {
        return stages / chunks;
      }
    }
    return stages;
  }

  static constexpr problem fits(int devices, int stages, int) {
    return rules::whole_rounds(Derived::name, devices, stages);
  }

  static constexpr list<int> place(int devices, int stages) {
    return looped_placement(devices, stages);
  }
};

/// 1F1B of virtual stages in groups. The last device alternates as soon as a group has been through
/// all chunks but one; a device before it has two forwards more, not one, so that the second chunk
/// of a micro-batch is there when the first device wants it (Megatron-LM).
constexpr chunk_pace interleaved_pace(int devices, int stages, int device, int first_group) {
  return {2 * (devices - 1 - device) + (stages / devices - 1) * first_group};
}

/// The program of that pace.
constexpr program interleaved_rows(int devices, int stages, int micro_batches,
                                   list_view<int> groups) {
  list<chunk_pace> paces;
  for (int device = 0; device < devices; ++device) {
    paces.push_back(interleaved_pace(devices, stages, device, groups[0]));
  }
  return chunk_rows(devices, stages, micro_batches, groups, paces);
}

/// 1F1B of virtual stages (Megatron-LM, PyTorch's `Interleaved1F1B`, "looped depth first"). Groups
/// are of as many micro-batches as devices, or a few more where those do not divide, which keeps
/// the bubble at 1F1B's over the stages a device for every number of micro-batches from the number
/// of devices on. With one stage a device it is eager 1F1B.
struct interleaved_one_f_one_b : looped_schedule<interleaved_one_f_one_b> {
  static constexpr std::string_view name = "interleaved-1f1b";

  static constexpr list<int> groups(int devices, int micro_batches) {
    return even_groups(micro_batches, devices);
  }

  static constexpr chunk_pace pace(int devices, int stages, int device, int first_group) {
    return interleaved_pace(devices, stages, device, first_group);
  }
};

namespace rules {

/// The remainders that `equal_groups` may leave to the last group of `interleaved_rows`. Megatron
/// wants 0 or at least as many as devices; exact is that nothing waits forever unless a group was
/// before it and the remainder is in [1, 2 devices - 3 - size], or from 2 on with two stages a
/// device. (Found with the proof for up to 8 devices and 4 stages a device, see the tests.)
constexpr problem last_group(std::string_view name, int devices, int stages, int micro_batches,
                             int size) {
  const int chunks = stages / devices;
  const int least = chunks == 2 ? 2 : 1;
  const int most = 2 * devices - 3 - size;
  const int rest = micro_batches % size;
  problem found;
  if (chunks > 1 && micro_batches > size && rest >= least && rest <= most) {
    found = problem_of_schedule(name);
    found.expected << "a last group of ";
    if (least == 2) {
      found.expected << "1 or ";
    }
    found.expected << most + 1 << " to " << size << " micro-batches";
    found.got << rest << " of " << micro_batches << " left by groups of " << size;
    found.hint << "use " << micro_batches - rest + least - 1 << " or "
               << micro_batches - rest + most + 1 << " micro-batches, or interleaved_one_f_one_b";
  }
  return found;
}

/// Groups in which a micro-batch has come round before its next chunk is wanted.
constexpr problem group_size(std::string_view name, int devices, int size) {
  problem found;
  if (size < devices) {
    found = problem_of_schedule(name);
    found.expected << "groups of at least as many micro-batches as devices (" << devices << ")";
    found.got << size;
    found.hint << "use groups of " << devices;
  }
  return found;
}

}  // namespace rules

/// Megatron-LM's form of the same with groups of `Size` micro-batches, the last one short
/// (`microbatch_group_size_per_vp_stage`). Larger groups give more time to what travels, and keep
/// more micro-batches.
template <int Size>
struct interleaved_one_f_one_b_grouped : looped_schedule<interleaved_one_f_one_b_grouped<Size>> {
  static constexpr std::string_view name = "interleaved-1f1b-grouped";
  static constexpr bool keeps_hints = true;

  static constexpr problem fits(int devices, int stages, int micro_batches) {
    problem found = rules::whole_rounds(name, devices, stages);
    if (!found.found()) {
      found = rules::group_size(name, devices, Size);
    }
    return found.found() ? found : rules::last_group(name, devices, stages, micro_batches, Size);
  }

  static constexpr list<int> groups(int, int micro_batches) {
    return equal_groups(micro_batches, Size);
  }

  static constexpr chunk_pace pace(int devices, int stages, int device, int first_group) {
    return interleaved_pace(devices, stages, device, first_group);
  }
};

/// Breadth first: every micro-batch through the first chunk, then through the second, and back in
/// the same way. The fewest switches between chunks, and every micro-batch is kept. Micro-batches
/// ascend in the backward too, for the bits of the gradients; PyTorch's `ScheduleLoopedBFS`
/// descends inside a chunk, at the same cost.
struct looped_bfs : looped_schedule<looped_bfs> {
  static constexpr std::string_view name = "looped-bfs";

  static constexpr list<int> groups(int, int micro_batches) { return {micro_batches}; }

  static constexpr chunk_pace pace(int devices, int stages, int, int micro_batches) {
    return {stages / devices * micro_batches};
  }
};

/// Interleaved 1F1B with the backward in halves: input gradients go on at once, and weight
/// gradients fill the waits at the end (PyTorch's `ScheduleInterleavedZeroBubble`). A device has
/// one forward more than the next, not two, since an input gradient comes back sooner than a whole
/// backward. With one stage a device it is ZB-H1, and its bubbles are those of ZB-H1 over the
/// stages a device.
struct interleaved_zero_bubble : looped_schedule<interleaved_zero_bubble> {
  static constexpr std::string_view name = "interleaved-zb";

  static constexpr list<int> groups(int devices, int micro_batches) {
    return even_groups(micro_batches, devices);
  }

  static constexpr chunk_pace pace(int devices, int stages, int device, int first_group) {
    return {devices - 1 - device + (stages / devices - 1) * first_group, device};
  }
};

}  // namespace ipu_dsl
