// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <ipu_dsl/queues/outfeed_queue.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

std::vector<outfeed_tensor> pair_of_tensors() {
  return {{"value", {}}, {"rows", {2, 3}}};
}

void enqueue(outfeed_queue& queue, int number) {
  const std::span<float> room = queue.room();
  for (float& each : room) {
    each = static_cast<float>(number);
  }
  room[0] = -static_cast<float>(number);
  queue.push();
}

using extents = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("an outfeed gives everything since the last time, in order") {
  outfeed_queue queue(pair_of_tensors());
  CHECK(queue.dequeue().count() == 0);
  int number = 0;
  for (const int count : {3, 1, 2, 3, 3}) {
    for (int i = 0; i < count; ++i) {
      enqueue(queue, number + i);
    }
    CHECK(queue.waiting() == count);
    const outfeed_values found = queue.dequeue();
    REQUIRE(found.count() == count);
    CHECK(found.extents("value") == extents{count});
    CHECK(found.extents("rows") == extents{count, 2, 3});
    for (int i = 0; i < count; ++i) {
      CHECK(found["value"][static_cast<std::size_t>(i)] == -static_cast<float>(number + i));
      CHECK(found["rows"][static_cast<std::size_t>(i * 6 + 5)] == static_cast<float>(number + i));
    }
    number += count;
  }
  CHECK(number == 12);
}

TEST_CASE("a second thread sees a growing prefix, each element once, and a full outfeed blocks") {
  for (const std::int64_t depth : {1, 2, 7}) {
    outfeed_queue queue(pair_of_tensors(), {.depth = depth});
    std::atomic<std::int64_t> most{0};
    std::vector<float> seen;
    std::thread reader([&] {
      while (seen.size() < 1000) {
        most = std::max<std::int64_t>(most, queue.waiting());
        const outfeed_values found = queue.dequeue();
        seen.insert(seen.end(), found["value"].begin(), found["value"].end());
      }
    });
    for (int i = 0; i < 1000; ++i) {
      enqueue(queue, i);
    }
    reader.join();
    CHECK(most <= depth);
    REQUIRE(seen.size() == 1000);
    bool in_order = true;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      in_order = in_order && seen[i] == -static_cast<float>(i);
    }
    CHECK(in_order);
  }
}

TEST_CASE("the last element is the newest, whole, and refused before there is one") {
  outfeed_queue queue(pair_of_tensors(), {.mode = outfeed_mode::last});
  CHECK(sentence_of([&] { queue.dequeue(); }) ==
        "An outfeed of mode last was asked for its element before the first one was enqueued.");
  enqueue(queue, 1);
  std::atomic<bool> done{false};
  std::atomic<int> looked{0};
  std::thread writer([&] {
    for (int i = 2; i < 20'000 || looked < 10; ++i) {
      enqueue(queue, i);
    }
    done = true;
  });
  float before = 0;
  bool whole = true;
  while (!done) {
    const outfeed_values found = queue.dequeue();
    const float value = -found["value"][0];
    whole = whole && value >= before;
    for (const float each : found["rows"]) {
      whole = whole && each == value;
    }
    before = value;
    ++looked;
  }
  writer.join();
  CHECK(whole);
  CHECK(looked >= 10);
  CHECK(queue.dequeue().extents("rows") == extents{2, 3});
  CHECK(queue.dequeue().extents("value").empty());
  CHECK(sentence_of([&] { queue.begin(); }) ==
        "An outfeed of mode last has one element, so there is nothing to walk over. Hint: call "
        "dequeue(), or make it of mode all.");
}

TEST_CASE("a walk ends behind the last element of a closed outfeed") {
  outfeed_queue queue(pair_of_tensors(), {.depth = 2});
  std::thread writer([&] {
    for (int i = 0; i < 100; ++i) {
      enqueue(queue, i);
    }
    queue.close();
  });
  int walked = 0;
  for (const outfeed_element element : queue) {
    CHECK(element["value"][0] == -static_cast<float>(walked));
    CHECK(element["rows"].size() == 6);
    ++walked;
  }
  writer.join();
  CHECK(walked == 100);
}

TEST_CASE("who leaves a walk has taken what was seen, and the next reader goes on behind it") {
  outfeed_queue queue(pair_of_tensors(), {.depth = 8});
  for (int i = 0; i < 6; ++i) {
    enqueue(queue, i);
  }
  std::vector<float> seen;
  for (int walk = 0; walk < 2; ++walk) {
    for (const outfeed_element element : queue) {
      seen.push_back(element["value"][0]);
      if (seen.size() % 2 == 0) {
        break;
      }
    }
  }
  CHECK(seen == std::vector<float>{0, -1, -2, -3});
  {
    const auto unseen = queue.begin();
    CHECK(unseen != queue.end());
  }
  CHECK(queue.dequeue()["value"][0] == -4);
}

TEST_CASE("a second reader is refused with a sentence, and takes nothing from the first") {
  const std::string refused =
      "An outfeed has one reader, and somebody walks over this one or dequeues it: a second one "
      "would take elements from the first. Hint: end the walk before, or let its reader hand on "
      "what others want.";
  outfeed_queue queue(pair_of_tensors(), {.depth = 8});
  for (int i = 0; i < 5; ++i) {
    enqueue(queue, i);
  }
  queue.close();
  int walked = 0;
  for (const outfeed_element element : queue) {
    CHECK(sentence_of([&] { queue.dequeue(); }) == refused);
    std::string of_walk;
    std::thread second([&] { of_walk = sentence_of([&] { queue.begin(); }); });
    second.join();
    CHECK(of_walk == refused);
    CHECK(element["value"][0] == -static_cast<float>(walked));
    ++walked;
  }
  CHECK(walked == 5);
  CHECK(queue.dequeue().count() == 0);

  // Of those who read at once one reads.
  outfeed_queue shared(pair_of_tensors(), {.depth = 2, .reader = outfeed_reader::meanwhile});
  std::atomic<int> read{0};
  std::atomic<int> sent_away{0};
  const auto reader = [&] {
    sent_away += sentence_of([&] {
                   for (const outfeed_element element : shared) {
                     read += element["rows"].size() == 6 ? 1 : 0;
                   }
                 }) == refused
                     ? 1
                     : 0;
  };
  std::thread one(reader);
  std::thread other(reader);
  for (int looked = 0; looked < 2000 && sent_away == 0; ++looked) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (int i = 0; i < 200; ++i) {
    enqueue(shared, i);
  }
  shared.close();
  one.join();
  other.join();
  CHECK(read == 200);
  CHECK(sent_away == 1);
}

TEST_CASE("a scope closes an outfeed, so that its reader ends whatever is thrown") {
  outfeed_queue queue(pair_of_tensors());
  int walked = 0;
  const auto run = [&] {
    const std::jthread reader([&] {
      for (const outfeed_element element : queue) {
        walked += element["rows"].size() == 6 ? 1 : 0;
      }
    });
    const closing_scope closes(queue);
    enqueue(queue, 1);
    enqueue(queue, 2);
    throw error("the run failed");
  };
  CHECK(sentence_of(run) == "the run failed");
  CHECK(queue.closed());
  CHECK(walked == 2);
}

TEST_CASE("who is blocked in a full outfeed is sent away when it is closed") {
  for (int i = 0; i < 50; ++i) {
    outfeed_queue queue(pair_of_tensors(), {.depth = 1});
    enqueue(queue, 0);
    std::string refused;
    std::thread writer([&] { refused = sentence_of([&] { enqueue(queue, 1); }); });
    if (i % 2 == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    queue.close();
    writer.join();
    CHECK(refused ==
          "The outfeed is closed: nobody reads what a run enqueues. Hint: close it behind the last "
          "run.");
    CHECK(queue.dequeue().count() == 1);
  }
}

TEST_CASE("an outfeed of what is none is refused") {
  const auto refusal = [](std::vector<outfeed_tensor> tensors, const outfeed_options& options) {
    return sentence_of([&] { outfeed_queue queue(tensors, options); });
  };
  CHECK(refusal({}, {}) == "An element of an outfeed has at least 1 tensor, got none.");
  CHECK(refusal({{"a", {0}}}, {}) ==
        "The tensor a of an outfeed has extents of at least 1, got 0.");
  CHECK(refusal({{"a", {}}, {"a", {}}}, {}) ==
        "An element of an outfeed has two tensors a; each has a name of its own.");
  CHECK(refusal({{"a", {}}}, {.depth = 0}) ==
        "An outfeed has a depth of at least 1 element, got 0.");
  outfeed_queue queue(pair_of_tensors());
  CHECK(sentence_of([&] { queue.dequeue()["rwos"]; }) ==
        "An element of this outfeed has no tensor rwos; there are value, rows.");
  CHECK(sentence_of([&] {
          queue.expect(4);
        }).starts_with("An outfeed has room for 3 elements, this run hands out 4,"));
}
