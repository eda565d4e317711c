// SPDX-License-Identifier: MIT
// A loop is given data, which have no place to go on from.
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/training/loops.hpp>

using namespace ipu_dsl;

struct net : model<input<28, 28>, sequential<Flatten, Dense<10>>> {};

struct looped : compile<net, micro_batch<1>> {};

void run_three_times(session<looped>& run, output_outfeed<looped>& results) {
  const digit_dataset digits = synthetic_digits(100, 1);
#ifdef WITH_MISTAKE
  repeat<3>(run, digits, results);
#else
  auto source = make_feed(digits, 1);
  repeat<3>(run, source, results);
#endif
}
