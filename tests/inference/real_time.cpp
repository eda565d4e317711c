// SPDX-License-Identifier: MIT
// A prediction takes no memory and no system call. This program replaces the allocation functions
// of the C library with ones that count, and has a kernel that kills whoever calls it.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#if defined(__linux__)
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <ipu_dsl/runtime/weights_exchange.hpp>

#include "inference/models.hpp"
#include "support/catch2.hpp"
#include "support/counted_allocations.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

constexpr int calls = 500;

/// A predictor of every kind in the stack's memory, and its calls.
struct subject {
  weights_of<odd_ends> weights;
  alignas(64) std::array<std::byte, predictor<joined, micro_batch<3>>::bytes> memory{};
  weights_of<joined> joined_weights;
  predictor<odd_ends> stream{weights};
  predictor<joined, micro_batch<3>> batches{joined_weights, memory};
  std::vector<float> features = samples_of(96);
  std::vector<float> output = std::vector<float>(48);
  std::array<float, 5> result{};
  weights_of<one_step<gated>> gated_weights;
  predictor<one_step<gated>> steps{gated_weights};

  subject() {
    weights.initialize(1);
    joined_weights.initialize(1);
    gated_weights.initialize(1);
  }

  /// Whether all went well.
  bool call() noexcept {
    stream.predict(std::span(features).first<20>(), result);
    const bool pushed = stream.push(std::span(features).first<20>())[0] == result[0];
    steps.push(std::span(features).first<3>());
    steps.reset();
    const bool stepped = steps.push(std::span(features).first<3>())[0] != 0;
    return batches.predict(features, output) && pushed && stepped;
  }
};

}  // namespace

TEST_CASE("a prediction takes no memory") {
  if (IPU_DSL_COUNTS_ALLOCATIONS == 0) {
    WARN("allocations are not counted here");
    return;
  }
  const std::int64_t before = allocations;
  subject given;
  CHECK(allocations > before);
  const std::int64_t constructed = allocations;
  int right = 0;
  for (int i = 0; i < calls; ++i) {
    right += given.call() ? 1 : 0;
  }
  CHECK(allocations == constructed);
  CHECK(right == calls);
  std::printf("checked %d calls\n", 5 * right);
}

TEST_CASE("a predictor in the caller's memory takes none, weights included") {
  if (IPU_DSL_COUNTS_ALLOCATIONS == 0) {
    WARN("allocations are not counted here");
    return;
  }
  using weights = weights_of<odd_ends>;
  using predictor = ipu_dsl::predictor<odd_ends, micro_batch<3>>;
  alignas(64) static std::array<std::byte, weights::bytes> weight_memory;
  alignas(64) static std::array<std::byte, predictor::bytes> memory;
  static constexpr std::array<float, weights::values> numbers{1, 2, 3};
  static std::array<float, 60> features{};
  static std::array<float, 15> output{};
  const std::int64_t before = allocations;
  weights kept(weight_memory);
  kept.assign(numbers);
  predictor given(kept, memory);
  given.predict(features, output);
  CHECK(allocations == before);
}

TEST_CASE("an exchange of weights takes no memory") {
  if (IPU_DSL_COUNTS_ALLOCATIONS == 0) {
    WARN("allocations are not counted here");
    return;
  }
  weights_of<odd_ends> first;
  weights_of<odd_ends> second;
  predictor<odd_ends> given(first);
  weights_exchange<odd_ends> exchange(first, second);
  const std::int64_t before = allocations;
  int taken = 0;
  for (int i = 0; i < calls; ++i) {
    exchange.offer();
    taken += exchange.update(given) ? 1 : 0;
  }
  CHECK(allocations == before);
  CHECK(taken == calls);
}

#if defined(__linux__) && IPU_DSL_COUNTS_ALLOCATIONS

namespace {

/// Ends a process that may not even end as usual.
[[noreturn]] void leave(int status) {
  while (true) {
    syscall(SYS_exit, status);
  }
}

/// Runs in a process of its own where every system call but this one's end is deadly; its status.
template <typename Work>
int run_without_system_calls(Work work) {
  const pid_t child = fork();
  if (child == 0) {
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) {
      leave(77);
    }
    leave(work() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

}  // namespace

TEST_CASE("a prediction makes no system call") {
  subject given;
  const int predicted = run_without_system_calls([&given] {
    int right = 0;
    for (int i = 0; i < calls; ++i) {
      right += given.call() ? 1 : 0;
    }
    return right == calls;
  });
  if (WIFEXITED(predicted) && WEXITSTATUS(predicted) == 77) {
    WARN("this system does not let a process give up its system calls");
    return;
  }
  CHECK(WIFEXITED(predicted));
  CHECK(WEXITSTATUS(predicted) == 0);
  // The trap works: asking for the parent is deadly.
  CHECK(WIFSIGNALED(run_without_system_calls([] { return getppid() > 0; })));
  std::printf("checked %d calls without system calls\n", 5 * calls);
}

#endif
