// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <ipu_dsl/runtime/worker_pool.hpp>

#include "support/catch2.hpp"
#include "support/sanitized.hpp"

using namespace ipu_dsl;

namespace {

/// What a task sees: plain numbers, because the pool alone has to order what is written to them.
struct tally {
  std::vector<int> runs_of_worker;
  std::vector<std::thread::id> thread_of_worker;

  explicit tally(int workers)
      : runs_of_worker(static_cast<std::size_t>(workers)),
        thread_of_worker(static_cast<std::size_t>(workers)) {}

  static void count(void* self, int worker) {
    tally& here = *static_cast<tally*>(self);
    ++here.runs_of_worker[static_cast<std::size_t>(worker)];
    here.thread_of_worker[static_cast<std::size_t>(worker)] = std::this_thread::get_id();
  }
};

/// The first processor that this thread may be bound to.
int usable_processor() {
  for (int processor = 0; processor < 1'000; ++processor) {
    if (pinned_thread(processor).bound()) {
      return processor;
    }
  }
  return -1;
}

}  // namespace

TEST_CASE("a task runs once on every worker, and the caller is worker 0") {
  int checked = 0;
  for (int workers = 1; workers <= 4; ++workers) {
    worker_pool pool(workers);
    CHECK(pool.workers() == workers);
    tally seen(workers);
    pool.run({tally::count, &seen});
    CHECK(seen.thread_of_worker[0] == std::this_thread::get_id());
    for (std::size_t worker = 0; worker < seen.runs_of_worker.size(); ++worker) {
      CHECK(seen.runs_of_worker[worker] == 1);
      CHECK((seen.thread_of_worker[worker] == std::this_thread::get_id()) == (worker == 0));
      ++checked;
    }
  }
  CHECK(checked == 10);
  std::printf("checked %d workers\n", checked);
}

TEST_CASE("workers serve run after run, awake or asleep, and keep their threads") {
  constexpr int runs = 2'000;
  const auto policy = GENERATE(choose_waiting(3, 4), choose_waiting(3, 2), waiting_policy{});
  worker_pool pool(3, policy);
  CHECK(pool.waiting().rounds == policy.rounds);
  tally seen(3);
  pool.run({tally::count, &seen});
  const std::vector<std::thread::id> threads = seen.thread_of_worker;
  for (int run = 1; run < runs; ++run) {
    if (run % 500 == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    pool.run({tally::count, &seen});
    // Whoever has run is done: what it wrote is seen here.
    REQUIRE(seen.runs_of_worker == std::vector<int>(3, run + 1));
  }
  CHECK(seen.thread_of_worker == threads);
  CHECK(seen.runs_of_worker == std::vector<int>(3, runs));
  std::printf("checked %d runs\n", runs);
}

TEST_CASE("a pool ends while its workers are starting, idle or asleep") {
  int ended = 0;
  for (int i = 0; i < 50; ++i) {
    const worker_pool at_once(3);
    ++ended;
  }
  for (int i = 0; i < 50; ++i) {
    worker_pool used(3);
    tally seen(3);
    used.run({tally::count, &seen});
    ++ended;
  }
  {
    const worker_pool asleep(3);
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    ++ended;
  }
  CHECK(ended == 101);
  std::printf("checked the end of %d pools\n", ended);
}

TEST_CASE("many pools of many workers run side by side") {
  constexpr int runs = 300;
  std::atomic<int> right{0};
  std::vector<std::thread> owners;
  for (int owner = 0; owner < 3; ++owner) {
    owners.emplace_back([&] {
      worker_pool pool(5);
      tally seen(5);
      for (int run = 0; run < runs; ++run) {
        pool.run({tally::count, &seen});
      }
      right += seen.runs_of_worker == std::vector<int>(5, runs) ? 1 : 0;
    });
  }
  for (std::thread& owner : owners) {
    owner.join();
  }
  CHECK(right == 3);
}

TEST_CASE("workers are pinned where the caller wants them, and the caller is let go again") {
  const int before = available_processors();
  const int processor = usable_processor();
  {
    worker_pool pool(3, pinning{{processor, processor, processor}});
    // Three on one processor must not spin for long.
    CHECK(pool.waiting().rounds == choose_waiting(3, 1).rounds);
    std::vector<int> allowed(3);
    pool.run({[](void* argument, int worker) {
                (*static_cast<std::vector<int>*>(argument))[static_cast<std::size_t>(worker)] =
                    available_processors();
              },
              &allowed});
    CHECK(allowed == std::vector<int>(3, 1));
  }
  CHECK(available_processors() == before);
}

TEST_CASE("a pinning that cannot be is refused with a sentence, and leaves nothing behind") {
  const int before = available_processors();
  CHECK_THROWS_WITH(worker_pool(2, pinning{{0, 1, 2}}),
                    "Pinning takes one processor for each of 2 workers, got 3.");
  const int processor = usable_processor();
  CHECK_THROWS_WITH(worker_pool(2, pinning{{processor, 1'000}}),
                    "The system does not let worker 1 run on processor 1000.");
  CHECK_THROWS_WITH(worker_pool(2, pinning{{-1, processor}}),
                    "The system does not let worker 0 run on processor -1.");
  CHECK(available_processors() == before);
}

TEST_CASE("what a worker throws is thrown to the caller, and the pool goes on") {
  worker_pool pool(3);

  struct task {
    int thrower;
    tally seen{3};
  };

  int thrown = 0;
  for (int thrower = 0; thrower < 3; ++thrower) {
    task asked{thrower};
    const worker_task throwing{[](void* self, int worker) {
                                 task& here = *static_cast<task*>(self);
                                 tally::count(&here.seen, worker);
                                 if (worker == here.thrower || here.thrower == 0) {
                                   throw std::runtime_error("as was planned");
                                 }
                               },
                               &asked};
    CHECK_THROWS_WITH(pool.run(throwing), "as was planned");
    // Nobody was left out, and nothing is left over.
    CHECK(asked.seen.runs_of_worker == std::vector<int>(3, 1));
    pool.run({tally::count, &asked.seen});
    CHECK(asked.seen.runs_of_worker == std::vector<int>(3, 2));
    ++thrown;
  }
  CHECK(thrown == 3);
}

TEST_CASE("no pool has fewer workers than one or more than a host can have") {
  CHECK_THROWS_WITH(worker_pool(0), "A pool has 1 to 1024 workers, got 0.");
  CHECK_THROWS_WITH(worker_pool(-3), "A pool has 1 to 1024 workers, got -3.");
  CHECK_THROWS_WITH(worker_pool(1'000'000), "A pool has 1 to 1024 workers, got 1000000.");
}

#if defined(__linux__) && !IPU_DSL_SANITIZED

namespace {

/// What `work` says in a process that was forked off; "" if it does not end within 20 seconds or
/// ends by a signal.
template <typename Work>
std::string said_in_child(Work work) {
  int ends[2] = {};
  if (pipe(ends) != 0) {
    return "no pipe";
  }
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const std::string said = work();
    _exit(write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string said;
  char letters[512];
  for (ssize_t read_now = 1; read_now > 0;) {
    read_now = read(ends[0], letters, sizeof(letters));
    said.append(letters, static_cast<std::size_t>(read_now > 0 ? read_now : 0));
  }
  close(ends[0]);
  int state = 0;
  waitpid(child, &state, 0);
  return WIFEXITED(state) ? said : "";
}

}  // namespace

TEST_CASE("threads that the system does not grant are a sentence, and those it did are gone") {
  // In a process of its own, whose memory has an end: every thread takes a stack of it.
  const std::string said = said_in_child([] {
    const rlimit little{std::size_t{512} << 20, std::size_t{512} << 20};
    setrlimit(RLIMIT_AS, &little);
    try {
      const worker_pool many(1'000);
    } catch (const error& refused) {
      // A stack is 8 MiB by custom: there is room for a few.
      worker_pool few(2);
      tally seen(2);
      few.run({tally::count, &seen});
      return std::string(refused.what()) + (seen.runs_of_worker[1] == 1 ? " Served." : "");
    }
    return std::string("granted");
  });
  CHECK(said.rfind("The system grants ", 0) == 0);
  CHECK(said.find(" of 1000 workers, then it says: Resource temporarily unavailable. Served.") !=
        std::string::npos);
}

TEST_CASE("a process that was forked off has no workers, and is told so") {
  worker_pool pool(3);
  tally seen(3);
  pool.run({tally::count, &seen});
  CHECK(said_in_child([&] {
          std::string said;
          {
            worker_pool of_child(2);
            tally here(2);
            of_child.run({tally::count, &here});
            said += here.runs_of_worker == std::vector<int>(2, 1) ? "Its own run. " : "";
          }
          try {
            pool.run({tally::count, &seen});
          } catch (const error& refused) {
            said += refused.what();
          }
          return said;
        }) ==
        "Its own run. The threads of these 3 workers stayed behind in the process that "
        "started them: this one was forked off. Hint: make the session behind the fork.");
  pool.run({tally::count, &seen});
  CHECK(seen.runs_of_worker == std::vector<int>(3, 2));
}

TEST_CASE("a pool may end in a process that was forked off, and a worker alone runs there") {
  auto pool = std::make_unique<worker_pool>(3);
  worker_pool alone(1);
  CHECK(said_in_child([&] {
          pool.reset();
          tally seen(1);
          alone.run({tally::count, &seen});
          return std::string(seen.runs_of_worker[0] == 1 ? "ended" : "");
        }) == "ended");
}

#endif
