// SPDX-License-Identifier: MIT
// A loop of fewer than no iterations.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/training/loops.hpp>

using namespace ipu_dsl;

struct net : model<input<8>, sequential<Dense<8>>> {};

struct looped : compile<net, micro_batch<1>> {};

void run(session<looped>& of, std::vector<float>& state) {
#ifdef WITH_MISTAKE
  repeat<-1>(of, carried_values<1>{state});
#else
  repeat<1>(of, carried_values<1>{state});
#endif
}
