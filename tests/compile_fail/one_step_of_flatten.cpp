// SPDX-License-Identifier: MIT
// Steps one by one for a layer that takes all of them.
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/model/one_step.hpp>

using namespace ipu_dsl;

#ifdef WITH_MISTAKE
struct tagger : model<input<28, 4>, sequential<LSTM<8, return_sequences<true>>, Flatten>> {};
#else
struct tagger : model<input<28, 4>, sequential<LSTM<8>>> {};
#endif
static_assert(check<one_step<tagger>>());
