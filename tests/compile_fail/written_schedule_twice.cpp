// SPDX-License-Identifier: MIT
// A schedule that is written down as a text and as a table, which say different things.
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/study/text/written_schedule.hpp>

using namespace ipu_dsl;
using namespace ipu_dsl::cells;

struct twice : written_schedule<twice> {
  static constexpr std::string_view name = "twice";
#ifdef WITH_MISTAKE
  static constexpr std::string_view csv = "0F0,0F1,0B0,0B1\n,1F0,1B0,1F1,1B1\n";
#endif
  static constexpr cell table[2][7] = {{F(0, 0), F(0, 1), idle, idle, B(0, 0), idle, B(0, 1)},
                                       {idle, F(1, 0), F(1, 1), B(1, 0), idle, B(1, 1), idle}};
};

struct net : model<input<8>, pipeline<stage<Dense<8>>, stage<Dense<3>>>> {};

struct training
    : compile<net, twice, gradient_accumulation<2>, loss<sparse_categorical_crossentropy>> {};

static_assert(check<training>());
