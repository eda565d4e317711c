// SPDX-License-Identifier: MIT
#include <cstdio>
#include <thread>

#include <ipu_dsl/runtime/pinning.hpp>
#include <ipu_dsl/runtime/processors.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl;

TEST_CASE("a thread that is pinned may use one processor, and afterwards as many as before") {
  const int before = available_processors();
  CHECK(before >= 1);
  int bound = 0;
  for (int processor = 0; processor < 64; ++processor) {
    {
      const pinned_thread pin(processor);
      if (pin.bound()) {
        CHECK(available_processors() == 1);
        ++bound;
      } else {
        CHECK(available_processors() == before);
      }
    }
    CHECK(available_processors() == before);
  }
  // Where the system knows how to pin at all, every available processor took the thread.
  CHECK((bound == 0 || bound >= before));
  std::printf("pinned to %d processors\n", bound);
}

TEST_CASE("no processor is below zero or beyond what there can be") {
  CHECK_FALSE(pinned_thread(-1).bound());
  CHECK_FALSE(pinned_thread(1 << 20).bound());
}

TEST_CASE("a pin that ends on another thread leaves that thread alone") {
  const int before = available_processors();
  auto* pin = new pinned_thread(-1);
  std::thread([pin] { delete pin; }).join();
  CHECK(available_processors() == before);
}

TEST_CASE("a pinning names one processor a worker or none") {
  CHECK_NOTHROW(pinning{}.check_workers(4));
  CHECK_NOTHROW(pinning{{0, 0}}.check_workers(2));
  CHECK_THROWS_AS(pinning{{0}}.check_workers(2), error);
}
