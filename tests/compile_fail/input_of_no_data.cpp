// SPDX-License-Identifier: MIT
// The input of something that is no data.
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct net : model<input_of<std::vector<float>>, sequential<Flatten, Dense<10>>> {};
#else
struct net : model<input_of<labelled_dataset<shape{28, 28}, 10>>, sequential<Flatten, Dense<10>>> {
};
#endif
static_assert(check<net>());
