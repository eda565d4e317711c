// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

#include <ipu_dsl/runtime/ordered_thread.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

namespace {

/// Keeps what it is served, once it may.
struct server {
  std::vector<int> served;
  std::atomic<bool> open{true};
  int refused = -1;

  static void serve(void* self, int& item) {
    server& here = *static_cast<server*>(self);
    while (!here.open.load()) {
      std::this_thread::yield();
    }
    if (item == here.refused) {
      throw std::runtime_error("refused");
    }
    here.served.push_back(item);
  }
};

}  // namespace

TEST_CASE("items are served in the order in which they are given, all of them") {
  server to;
  ordered_thread<int> thread(3, server::serve, &to);
  for (int i = 0; i < 1'000; ++i) {
    thread.push(i);
  }
  thread.drain();
  REQUIRE(to.served.size() == 1'000);
  for (std::size_t i = 0; i < to.served.size(); ++i) {
    CHECK(to.served[i] == static_cast<int>(i));
  }
}

TEST_CASE("a full queue holds up who gives, and loses nothing") {
  server to;
  to.open = false;
  ordered_thread<int> thread(2, server::serve, &to);
  std::atomic<int> given{0};
  std::thread giver([&] {
    for (int i = 0; i < 10; ++i) {
      thread.push(i);
      ++given;
    }
  });
  // One is being served, two wait.
  while (given.load() < 3) {
    std::this_thread::yield();
  }
  for (int i = 0; i < 1'000; ++i) {
    std::this_thread::yield();
  }
  CHECK(given.load() == 3);
  to.open = true;
  giver.join();
  thread.drain();
  CHECK(to.served.size() == 10);
}

TEST_CASE("what serving throws reaches who gives, and what comes behind is not served") {
  server to;
  to.refused = 2;
  {
    ordered_thread<int> thread(8, server::serve, &to);
    for (int i = 0; i < 3; ++i) {
      thread.push(i);
    }
    CHECK_THROWS_AS(thread.drain(), std::runtime_error);
    CHECK_THROWS_AS(thread.push(3), std::runtime_error);
    CHECK_THROWS_AS(thread.drain(), std::runtime_error);
  }
  CHECK(to.served == std::vector<int>{0, 1});
}

TEST_CASE("a queue that is closed does not serve what waits") {
  server to;
  to.open = false;
  std::thread opener;
  {
    ordered_thread<int> thread(8, server::serve, &to);
    for (int i = 0; i < 8; ++i) {
      thread.push(i);
    }
    opener = std::thread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      to.open = true;
    });
  }
  opener.join();
  CHECK(to.served.size() <= 1);
}
