// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <thread>

#include <ipu_dsl/runtime/counter.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

TEST_CASE("counters are compared by their difference, so that they may wrap around") {
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  int checked = 0;
  for (const std::uint32_t wanted :
       {0U, 1U, 2U, 7U, 1'000U, most / 2, most / 2 + 1, most - 1, most}) {
    for (const std::uint32_t ahead : {0U, 1U, 5U, 1'000'000U, most / 2}) {
      CHECK(reached(wanted + ahead, wanted));
      ++checked;
    }
    for (const std::uint32_t behind : {1U, 2U, 5U, 1'000'000U, most / 2}) {
      CHECK_FALSE(reached(wanted - behind, wanted));
      ++checked;
    }
  }
  CHECK(checked == 90);
  std::printf("checked %d pairs of counters\n", checked);
}

TEST_CASE("posting counts by one and wraps around") {
  counter completed;
  completed.completed = std::numeric_limits<std::uint32_t>::max();
  post(completed);
  CHECK(completed.completed == 0);
  post(completed);
  CHECK(completed.completed == 1);
}

TEST_CASE("counters lie on lines of their own") {
  const counter pair[2];
  const auto distance =
      reinterpret_cast<std::uintptr_t>(&pair[1]) - reinterpret_cast<std::uintptr_t>(&pair[0]);
  CHECK(distance >= 128);
}

TEST_CASE("who waits is let through at once, or when the counter gets there") {
  counter awaited;
  const stop_word go{false};
  awaited.completed = std::numeric_limits<std::uint32_t>::max();
  CHECK(wait_for(awaited, std::numeric_limits<std::uint32_t>::max() - 3, go));

  std::int64_t written = 0;
  int checked = 0;
  // Without delay the waiting thread spins; 30 ms are enough for it to fall asleep.
  for (const int delay : {0, 30}) {
    const std::uint32_t wanted = awaited.completed + 2;
    std::thread writer([&] {
      post(awaited);
      std::this_thread::sleep_for(std::chrono::milliseconds(delay));
      written = wanted;
      post(awaited);
    });
    CHECK(wait_for(awaited, wanted, go));
    CHECK(written == wanted);
    writer.join();
    ++checked;
  }
  CHECK(checked == 2);
}

TEST_CASE("who waits is sent away when the run is to stop") {
  const counter never;
  stop_word stop{true};
  CHECK_FALSE(wait_for(never, 1, stop));
  // What has come already counts even then.
  CHECK(wait_for(never, 0, stop));

  stop = false;
  std::thread ender([&stop] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    stop = true;
  });
  CHECK_FALSE(wait_for(never, 1, stop));
  ender.join();
}
