// SPDX-License-Identifier: MIT
// A model that is to be cut, and is the cut one itself.
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

struct net : model<input<4>, sequential<named<"hidden", Dense<8, relu>>, Dense<3>>> {};

#ifdef WITH_MISTAKE
struct in_two : split_at<in_two, "hidden"> {};
#else
struct in_two : split_at<net, "hidden"> {};
#endif

static_assert(check<in_two>());
