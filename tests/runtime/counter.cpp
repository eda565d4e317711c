// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <thread>
#include <vector>

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

namespace {

constexpr waiting_policy awake{.rounds = 1'000, .spins = 1'000};
constexpr waiting_policy asleep_at_once{};
constexpr waiting_policy soon_asleep{.rounds = 2, .spins = 10};

void wait_milliseconds(int duration) {
  std::this_thread::sleep_for(std::chrono::milliseconds(duration));
}

/// Returns when that many threads sleep at the counter, or are about to.
void wait_for_sleepers(const counter& watched, std::uint32_t sleepers) {
  while (watched.sleepers != sleepers) {
    std::this_thread::yield();
  }
}

}  // namespace

TEST_CASE("who waits is let through at once, or when the counter gets there") {
  counter awaited;
  const stop_word go{false};
  awaited.completed = std::numeric_limits<std::uint32_t>::max();
  CHECK(wait_for(awaited, std::numeric_limits<std::uint32_t>::max() - 3, go, asleep_at_once));

  std::int64_t written = 0;
  int checked = 0;
  for (const waiting_policy& policy : {awake, soon_asleep, asleep_at_once}) {
    for (const int delay : {0, 30}) {
      const std::uint32_t wanted = awaited.completed + 2;
      std::thread writer([&] {
        post(awaited);
        wait_milliseconds(delay);
        written = wanted;
        post(awaited);
      });
      CHECK(wait_for(awaited, wanted, go, policy));
      CHECK(written == wanted);
      writer.join();
      ++checked;
    }
  }
  CHECK(checked == 6);
  CHECK(awaited.sleepers == 0);
}

TEST_CASE("nobody is woken where nobody sleeps, and all where somebody does") {
  constexpr int threads = 5;
  counter awaited;
  const stop_word go{false};
  post(awaited);
  CHECK(awaited.alarms == 0);
  std::vector<std::thread> sleepers;
  for (int i = 0; i < threads; ++i) {
    sleepers.emplace_back([&] { wait_for(awaited, 2, go, asleep_at_once); });
  }
  wait_for_sleepers(awaited, threads);
  wait_milliseconds(10);
  post(awaited);
  for (std::thread& sleeper : sleepers) {
    sleeper.join();
  }
  CHECK(awaited.alarms == 1);
  CHECK(awaited.sleepers == 0);
}

TEST_CASE("who waits is sent away when the run is to stop") {
  counter never;
  stop_word stop{true};
  CHECK_FALSE(wait_for(never, 1, stop, asleep_at_once));
  // What has come already counts even then.
  CHECK(wait_for(never, 0, stop, asleep_at_once));

  int checked = 0;
  for (const waiting_policy& policy : {awake, soon_asleep, asleep_at_once}) {
    for (const int delay : {0, 10}) {
      stop = false;
      std::thread ender([&, delay] {
        wait_milliseconds(delay);
        stop_waiting(stop, &never, 1);
      });
      CHECK_FALSE(wait_for(never, 1, stop, policy));
      ender.join();
      ++checked;
    }
  }
  CHECK(checked == 6);
  CHECK(never.sleepers == 0);
}

TEST_CASE("a stop finds every sleeper, however close it comes to its falling asleep") {
  constexpr int rounds = 3'000;
  constexpr std::size_t threads = 3;
  counter counters[threads];
  stop_word stop{false};
  counter begun;
  counter ended;
  const stop_word go{false};
  std::vector<std::thread> waiting;
  for (std::size_t i = 0; i < threads; ++i) {
    waiting.emplace_back([&, i] {
      for (std::uint32_t round = 1; round <= rounds; ++round) {
        wait_for(begun, round, go, soon_asleep);
        // Their own counters never move: only the stop ends this.
        wait_for(counters[i], 1, stop, i == 0 ? asleep_at_once : soon_asleep);
        post(ended);
      }
    });
  }
  std::uint32_t all = 0;
  for (int round = 0; round < rounds; ++round) {
    stop = false;
    post(begun);
    for (int i = 0; i < round % 97; ++i) {
      ipu_dsl::spin_pause();
    }
    stop_waiting(stop, counters, 3);
    all += threads;
    wait_for(ended, all, go, soon_asleep);
  }
  for (std::thread& thread : waiting) {
    thread.join();
  }
  CHECK(ended.completed == rounds * threads);
  std::printf("checked %d stops\n", rounds);
}

TEST_CASE("two threads hand over to each other, asleep or awake, and nothing is lost") {
  constexpr std::uint32_t posts = 20'000;
  int checked = 0;
  for (const waiting_policy& policy : {awake, soon_asleep, asleep_at_once}) {
    counter there;
    counter back;
    const stop_word go{false};
    // Plain numbers: the counters alone have to order what is written to them.
    std::uint32_t baton = 0;
    std::thread partner([&] {
      for (std::uint32_t i = 1; i <= posts; ++i) {
        wait_for(there, i, go, policy);
        ++baton;
        post(back);
      }
    });
    for (std::uint32_t i = 1; i <= posts; ++i) {
      ++baton;
      post(there);
      wait_for(back, i, go, policy);
      if (baton != 2 * i) {
        FAIL("after hand-over " << i << " the baton was " << baton);
      }
    }
    partner.join();
    CHECK(baton == 2 * posts);
    checked += static_cast<int>(posts);
  }
  CHECK(checked == 60'000);
  std::printf("checked %d hand-overs\n", checked);
}

TEST_CASE("a post finds who is about to fall asleep, however close the two come") {
  using time = std::chrono::steady_clock;
  constexpr std::uint32_t rounds = 50'000;
  counter planned;
  counter posted;
  counter seen;
  const stop_word go{false};
  time::time_point together;
  std::thread sleeper([&] {
    for (std::uint32_t round = 1; round <= rounds; ++round) {
      wait_for(planned, round, go, awake);
      while (time::now() < together) {
      }
      wait_for(posted, round, go, asleep_at_once);
      post(seen);
    }
  });
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    together = time::now() + std::chrono::microseconds(1);
    post(planned);
    // From a little before the other looks to a little after it sleeps.
    const auto post_time = together + std::chrono::nanoseconds(round % 256);
    while (time::now() < post_time) {
    }
    post(posted);
    wait_for(seen, round, go, awake);
  }
  sleeper.join();
  CHECK(seen.completed == rounds);
  std::printf("checked %u posts to a thread that falls asleep\n", rounds);
}

TEST_CASE("a ring of many threads passes every post on") {
  constexpr std::size_t threads = 6;
  constexpr std::uint32_t laps = 3'000;
  counter counters[threads];
  const stop_word go{false};
  std::uint32_t passed = 0;
  std::vector<std::thread> ring;
  for (std::size_t i = 0; i < threads; ++i) {
    ring.emplace_back([&, i] {
      for (std::uint32_t lap = 1; lap <= laps; ++lap) {
        // The first waits for the end of the lap before, all others for the one in front of them.
        const std::uint32_t wanted = i == 0 ? lap - 1 : lap;
        wait_for(counters[(i + threads - 1) % threads], wanted, go, soon_asleep);
        ++passed;
        post(counters[i]);
      }
    });
  }
  for (std::thread& thread : ring) {
    thread.join();
  }
  CHECK(passed == laps * threads);
  std::printf("checked %u posts in a ring\n", passed);
}

TEST_CASE("many threads post to one counter, and many wait for it") {
  constexpr std::uint32_t posters = 4;
  constexpr std::uint32_t posts = 5'000;
  counter total;
  const stop_word go{false};
  std::atomic<int> arrived{0};
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < posters; ++i) {
    threads.emplace_back([&] {
      for (std::uint32_t n = 0; n < posts; ++n) {
        post(total);
      }
    });
    threads.emplace_back([&, i] {
      for (std::uint32_t wanted = i; wanted <= posters * posts; wanted += 7) {
        wait_for(total, wanted, go, asleep_at_once);
      }
      ++arrived;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(total.completed == posters * posts);
  CHECK(arrived == posters);
  CHECK(total.sleepers == 0);
}
