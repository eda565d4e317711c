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
#include <ranges>
#include <span>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <vector>

#include <xsimd/xsimd.hpp>

// The standard library cannot be included behind the first two; the others are macros of Windows
// and X11.
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define near
#define far
#define small char
#define IN
#define OUT
#define OPTIONAL
#define CONST const
#define VOID void
#define ERROR 0
#define TRUE 1
#define FALSE 0
#define None 0L
#define Bool int
#define True 1
#define False 0
#define Status int
#define Success 0
#define Always 2
#define Above 0
#define Below 1
#define Complex 0
#define Convex 2
#define Unsorted 0
#define PI 3.14159
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

/// What people call functions of their own.
inline double mean(double left, double right) {
  return (left + right) / 2;
}

inline double sum(double left, double right) {
  return left + right;
}

inline double mse(double left, double right) {
  return (left - right) * (left - right);
}

/// What they call types and numbers of their own, which Keras has as options.
enum class activation { none, ramp };

struct whole {
  int parts;
};

constexpr bool valid = true;

constexpr int batch_size = 32;
constexpr int stride = 2;
constexpr int axis = 1;

float use_names_taken_before() {
  int status = 0;
  static_cast<void>(wait(&status));
  static_cast<void>(mean(1.0, sum(1.0, mse(1.0, 2.0))));
  static_cast<void>(activation::ramp);
  static_cast<void>(whole{2}.parts + (valid ? 1 : 0));
  static_cast<void>(batch_size + stride + axis);
  return tanh(::stage{1}) + static_cast<float>(tanh(0.5));
}
