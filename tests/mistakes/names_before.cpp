// SPDX-License-Identifier: MIT
// A program that has taken names before it includes the library: functions, types and macros.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <xsimd/xsimd.hpp>

// The standard library cannot be included behind these two.
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define near
#define far
#define check(condition) static_assert(condition)

struct stage {
  int number;
};

inline float tanh(stage) {
  return 0;
}

#include <ipu_dsl/catalogue/catalogue.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/report/summary.hpp>
#include <ipu_dsl/report/timeline_svg.hpp>
#include <ipu_dsl/schedule/study.hpp>
#include <ipu_dsl/study/text/written_schedule.hpp>

using namespace ipu_dsl;

struct early
    : model<input<4>,
            pipeline<ipu_dsl::stage<Dense<4, hyperbolic_tangent>>, ipu_dsl::stage<Dense<2>>>> {};

static_assert(ipu_dsl::check<early>());
check(max(1, min(2, 3)) == 2);

float use_names_taken_before() {
  return tanh(::stage{1}) + static_cast<float>(tanh(0.5));
}
