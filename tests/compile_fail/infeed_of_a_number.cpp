// SPDX-License-Identifier: MIT
// A number where an infeed has options.
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/queues/infeed_queue.hpp>

int main() {
  using namespace ipu_dsl;
  const auto digits = synthetic_digits(100, 1);
  auto source = make_feed(digits | repeated(), 1);
#ifdef WITH_MISTAKE
  infeed_queue infeed(source, 32);
#else
  infeed_queue infeed(source, {.micro_batch = 32});
#endif
  return infeed.sources().size() == 2 ? 0 : 1;
}
