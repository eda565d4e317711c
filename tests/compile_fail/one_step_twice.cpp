// SPDX-License-Identifier: MIT
// Steps one by one of a model that is given its steps one by one.
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/model/one_step.hpp>

using namespace ipu_dsl;

struct tagger : model<input<28, 4>, sequential<LSTM<8>>> {};

#ifdef WITH_MISTAKE
using stepped = one_step<one_step<tagger>>;
#else
using stepped = one_step<tagger>;
#endif
static_assert(check<stepped>());
