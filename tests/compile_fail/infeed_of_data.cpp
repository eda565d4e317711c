// SPDX-License-Identifier: MIT
// A queue in front of data instead of their feed.
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/queues/infeed_queue.hpp>

using namespace ipu_dsl;

std::int32_t waiting(const digit_dataset& digits) {
#ifdef WITH_MISTAKE
  const infeed_queue infeed(digits, {.micro_batch = 32});
#else
  auto source = make_feed(digits, 1);
  const infeed_queue infeed(source, {.micro_batch = 32});
#endif
  return infeed.waiting();
}
