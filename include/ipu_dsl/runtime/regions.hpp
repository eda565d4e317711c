// SPDX-License-Identifier: MIT
// The memory of a session: one region a device, one an edge.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/plan/program_plan_view.hpp>

namespace ipu_dsl {

/// Zeroed memory at a page boundary, so that no two devices share a page. A large region asks the
/// system for large pages: in small ones, weights that fill the second-level cache fall on each
/// other's places or not, by chance (a prediction of the tutorial's model: 7.4 or 8.1 us).
class region {
 public:
  region() = default;

  explicit region(std::int64_t bytes)
      : bytes_(static_cast<std::size_t>(bytes)), memory_(allocate(bytes_)) {
    std::fill_n(memory_, bytes_, std::byte{0});
  }

  region(region&& other) noexcept
      : bytes_(std::exchange(other.bytes_, 0)), memory_(std::exchange(other.memory_, nullptr)) {}

  region& operator=(region&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(memory_, other.memory_);
    return *this;
  }

  ~region() { ::operator delete(memory_, std::align_val_t{page_of(bytes_)}); }

  std::byte* data() const { return memory_; }

  std::size_t size() const { return bytes_; }

 private:
  static constexpr std::size_t small_page = 4096;
  static constexpr std::size_t large_page = 2 * 1024 * 1024;

  /// A region of half a large page is worth one.
  static std::size_t page_of(std::size_t bytes) {
    return bytes >= large_page / 2 ? large_page : small_page;
  }

  static std::byte* allocate(std::size_t bytes) {
    const std::size_t page = page_of(bytes);
    const std::size_t taken = (bytes + page - 1) / page * page;
    void* const memory = ::operator new(taken, std::align_val_t{page});
#if defined(__linux__)
    if (page == large_page) {
      // Only a wish: where it is not granted, pages are small.
      madvise(memory, taken, MADV_HUGEPAGE);
    }
#endif
    return static_cast<std::byte*>(memory);
  }

  std::size_t bytes_ = 0;
  std::byte* memory_ = nullptr;
};

/// The regions of all programs of a compiled model. Devices are shared: the parameters lie at the
/// same place in every program. So are the edges, since programs take turns and nothing in a slot
/// outlives its program. Replicas of a model share its parameters and what the optimizer keeps;
/// everything else each has for itself.
class region_set {
 public:
  [[gnu::cold]] explicit region_set(list_view<program_plan_view> programs, int replicas = 1) {
    list<std::int64_t> devices;
    list<std::int64_t> edges;
    for (const program_plan_view& program : programs) {
      for (std::size_t i = 0; i < program.bytes_of_device.size(); ++i) {
        raise(devices, i, program.bytes_of_device[i]);
      }
      for (std::size_t i = 0; i < program.shared_of_device.size(); ++i) {
        raise(shared_, i, program.shared_of_device[i]);
      }
      for (std::size_t i = 0; i < program.edges.size(); ++i) {
        raise(edges, i, program.edges[i].bytes * program.slots[i]);
      }
    }
    devices_ = devices.size();
    edges_ = edges.size();
    for (int replica = 0; replica < replicas; ++replica) {
      for (std::size_t i = 0; i < devices_; ++i) {
        regions_.push_back(region(devices[i] - (replica == 0 ? 0 : shared_[i])));
      }
      for (const std::int64_t bytes : edges) {
        regions_.push_back(region(bytes));
      }
    }
  }

  /// Where a replica finds what is placed there; of an edge its first slot, of what each
  /// micro-batch has for itself the first one's.
  std::byte* at(const placement& where, int replica = 0) const {
    const auto region = static_cast<std::size_t>(where.region);
    if (replica == 0 || region >= devices_) {
      return region_of(region, replica).data() + where.offset;
    }
    if (where.offset < shared_[region]) {
      return region_of(region, 0).data() + where.offset;
    }
    return region_of(region, replica).data() + (where.offset - shared_[region]);
  }

  /// Where the copy of a micro-batch of a run lies, of all that `replicas` do in turn; where there
  /// is one for all, that of its replica.
  std::byte* copy(const placement& where, std::int32_t micro_batch, std::int32_t replicas) const {
    return at(where, micro_batch % replicas) + where.copy_bytes * (micro_batch / replicas);
  }

  /// Where a region begins: devices first, then edges, all of the first replica.
  std::byte* at(std::int32_t region) const {
    return region_of(static_cast<std::size_t>(region), 0).data();
  }

  std::byte* edge(std::size_t index, int replica = 0) const {
    return region_of(devices_ + index, replica).data();
  }

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const region& memory : regions_) {
      sum += memory.size();
    }
    return sum;
  }

 private:
  static void raise(list<std::int64_t>& most, std::size_t index, std::int64_t bytes) {
    most.resize((std::max)(most.size(), index + 1));
    most[index] = (std::max)(most[index], bytes);
  }

  const region& region_of(std::size_t index, int replica) const {
    return regions_[static_cast<std::size_t>(replica) * (devices_ + edges_) + index];
  }

  std::size_t devices_ = 0;
  std::size_t edges_ = 0;
  list<std::int64_t> shared_;  ///< by device
  list<region> regions_;       ///< of each replica: devices, then edges
};

}  // namespace ipu_dsl
