// SPDX-License-Identifier: MIT
// What a second worker gains on two balanced stages of busy loops, beside what the proof promises.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

#include <benchmark/benchmark.h>

#include <ipu_dsl/training/session.hpp>

using namespace ipu_dsl;

namespace busy {

/// How long each of the three kernels of the layer takes.
constexpr std::chrono::microseconds unit{100};

enum class variant : std::int32_t { forward, input_gradient, weight_gradient };

struct loop_call {
  variant which;
  std::int32_t elements;
};

/// Far more than everything else in the model: the proof then counts units.
constexpr std::int64_t cost = 1'000'000;

constexpr void call_loop(emitter& emit, variant which, const buffer_ref& written,
                         const buffer_ref& read) {
  emit.call(loop_call{which, static_cast<std::int32_t>(emit.input_shape(0).elements())})
      .writes(written)
      .reads(read)
      .costs(cost);
}

constexpr problem shapes(node_draft& draft) {
  draft.parameter("weight", draft.input(0), {});
  draft.output(draft.input(0));
  return {};
}

constexpr void forward(emitter& emit) {
  call_loop(emit, variant::forward, emit.output_value(0), emit.input_value(0));
}

/// The first layer is as busy as the others, although nobody wants its input's gradient.
constexpr void input_gradient(emitter& emit) {
  const buffer_ref written = emit.wants_input_gradient(0)
                                 ? emit.input_gradient(0)
                                 : emit.scratch(0, emit.input_shape(0), storage::rows);
  call_loop(emit, variant::input_gradient, written, emit.output_gradient(0));
}

constexpr void weight_gradient(emitter& emit) {
  call_loop(emit, variant::weight_gradient, emit.accumulator(0), emit.output_gradient(0));
}

inline constexpr family loop_family{.name = "Loop",
                                    .shapes = shapes,
                                    .forward = forward,
                                    .input_gradient = input_gradient,
                                    .weight_gradient = weight_gradient};

/// Hands on what it gets, after a while.
struct Loop {
  static constexpr element description{.kind = element_kind::layer, .rule = &loop_family};
};

}  // namespace busy

template <>
struct ipu_dsl::operators<&busy::loop_family> {
  using key = busy::loop_call;

  template <busy::loop_call Call>
  static void run(const run_context&, void* const* operands, const float*) noexcept {
    const auto end = std::chrono::steady_clock::now() + busy::unit;
    std::copy_n(floats(operands[1]), Call.elements, floats(operands[0]));
    while (std::chrono::steady_clock::now() < end) {
      spin_pause();
    }
  }
};

namespace {

constexpr int micro_batches = 16;
constexpr std::int64_t elements = 4;

struct balanced : model<input<elements>, pipeline<stage<busy::Loop>, stage<busy::Loop>>> {};

template <typename Schedule>
struct training : compile<balanced, micro_batch<1>, gradient_accumulation<micro_batches>, Schedule,
                          loss<sparse_categorical_crossentropy>> {};

/// The shortest of several updates, which others on the machine have disturbed least.
template <typename Session>
class shortest_update {
 public:
  explicit shortest_update(int threads) : run_({.learning_rate = 0}, {.threads = threads}) {}

  void measure(const std::vector<float>& features, const std::vector<std::int32_t>& labels) {
    const auto begin = std::chrono::steady_clock::now();
    run_.train_step(features, labels);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    seconds_ = std::min(seconds_, passed.count());
  }

  double milliseconds() const { return 1e3 * seconds_; }

 private:
  Session run_;
  double seconds_ = std::numeric_limits<double>::infinity();
};

/// One iteration is an update by one worker and one by two, so that both see the same machine.
/// `one` and `two` are the shortest of all iterations in milliseconds, `gain` is their ratio (at
/// least 1.5 is asked for), `proof` that of the modelled timeline, `bound` what no schedule
/// exceeds.
template <typename Schedule>
void update(benchmark::State& state) {
  using compiled = training<Schedule>;
  const std::vector<float> features(elements * micro_batches, 0.5F);
  const std::vector<std::int32_t> labels(micro_batches, 1);
  shortest_update<session<compiled>> one(1);
  shortest_update<session<compiled>> two(2);
  for (auto _ : state) {
    one.measure(features, labels);
    two.measure(features, labels);
  }
  state.counters["one"] = one.milliseconds();
  state.counters["two"] = two.milliseconds();
  state.counters["gain"] = one.milliseconds() / two.milliseconds();
  state.counters["proof"] = compiled::timeline.speedup();
  state.counters["bound"] = compiled::timeline.speedup_bound();
}

}  // namespace

BENCHMARK(update<grouped>)->Iterations(200)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(update<interleaved>)->Iterations(200)->Unit(benchmark::kMillisecond)->UseRealTime();
