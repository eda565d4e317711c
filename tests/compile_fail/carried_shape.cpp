// SPDX-License-Identifier: MIT
// A loop that carries what the model does not make.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/training/loops.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input<8>, sequential<Dense<4>>> {};
#else
struct net : model<input<8>, sequential<Dense<8>>> {};
#endif

struct looped : compile<net, micro_batch<1>> {};

void run_three_times(session<looped>& run, std::vector<float>& state) {
  repeat<3>(run, carried_values<1>{state});
}
