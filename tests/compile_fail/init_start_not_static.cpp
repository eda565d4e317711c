// SPDX-License-Identifier: MIT
// A start that needs an object, of which there is none.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct ramp {
#ifdef WITH_MISTAKE
  float start(const initial_value& at) { return 0.01F * static_cast<float>(at.index); }
#else
  static float start(const initial_value& at) { return 0.01F * static_cast<float>(at.index); }
#endif
};

struct net : model<input<784>, sequential<Dense<10, init<ramp>>>> {};

static_assert(check<net>());
