// SPDX-License-Identifier: MIT
// What schedules take on two devices, beside what their proofs promise: the same busy loops cut in
// two stages or in four, balanced and not, and with actions so short that hand-off shows.
//
// A line is a schedule that has run in turn with all others of its race, so that they see the same
// machine, and every time is the shortest of many. 1_to_3 is the work of the model's first half to
// that of its second.
//   proven_ms    modelled makespan x the time of a unit of the loops, which is measured in turn too
//   measured_ms  first start to last end in the trace of an update
//   ratio        measured / proven
//   promised     how many times faster than the sequential schedule by the proofs
//   reached      the same as measured, if the sequential schedule has one worker and no hand-off
//   gap_us       (measured - proven) / the actions of a worker
//   calm         updates in which no other process took a core: with few of them, run it again
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <sched.h>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include <ipu_dsl/catalogue/bidirectional.hpp>
#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/catalogue/list_scheduler.hpp>
#include <ipu_dsl/catalogue/looped.hpp>
#include <ipu_dsl/catalogue/v_blocks.hpp>
#include <ipu_dsl/catalogue/v_shape.hpp>
#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/training/session.hpp>

using namespace ipu_dsl;

namespace busy {

/// Steps of the loop in one unit of work; set between runs.
std::int64_t steps_of_unit = 0;

/// Multiplications that wait for each other: as long on a core whose neighbour is busy as on one
/// whose neighbour is not.
[[gnu::noinline]] void spin(std::int64_t steps) {
  std::uint64_t value = 1;
  for (std::int64_t step = 0; step < steps; ++step) {
    value = value * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    benchmark::DoNotOptimize(value);
  }
}

/// Units of the forward, of the input gradient and of the weight gradient.
struct loop_options {
  std::int32_t units = 0;
};

struct loop_call {
  std::int32_t elements;
};

/// A unit is far more than everything else in the model, so that the proof counts units.
constexpr std::int64_t work_of_unit = 1'000'000;

constexpr void call_loop(emitter& emit, const buffer_ref& written, const buffer_ref& read) {
  const std::int32_t units = emit.options<loop_options>().units;
  emit.call(loop_call{static_cast<std::int32_t>(emit.input_shape(0).elements())})
      .scalar(static_cast<float>(units))
      .writes(written)
      .reads(read)
      .costs(work_of_unit * units);
}

constexpr problem shapes(node_draft& draft) {
  draft.parameter("weight", draft.input(0), {});
  draft.output(draft.input(0));
  return {};
}

constexpr void forward(emitter& emit) {
  call_loop(emit, emit.output_value(0), emit.input_value(0));
}

/// The first layer is as busy as the others, although nobody wants its input's gradient.
constexpr void input_gradient(emitter& emit) {
  const buffer_ref written = emit.wants_input_gradient(0)
                                 ? emit.input_gradient(0)
                                 : emit.scratch(0, emit.input_shape(0), storage::rows);
  call_loop(emit, written, emit.output_gradient(0));
}

constexpr void weight_gradient(emitter& emit) {
  call_loop(emit, emit.accumulator(0), emit.output_gradient(0));
}

inline constexpr family loop_family{.name = "Loop",
                                    .shapes = shapes,
                                    .forward = forward,
                                    .input_gradient = input_gradient,
                                    .weight_gradient = weight_gradient};

/// Hands on what it gets, after `Units` units of work.
template <int Units>
struct Loop {
  static constexpr element description{.kind = element_kind::layer,
                                       .rule = &loop_family,
                                       .options = attributes::of(loop_options{Units})};
};

}  // namespace busy

template <>
struct ipu_dsl::operators<&busy::loop_family> {
  using key = busy::loop_call;

  template <busy::loop_call Call>
  static void run(const run_context&, void* const* operands, const float* units) noexcept {
    busy::spin(static_cast<std::int64_t>(units[0]) * busy::steps_of_unit);
    std::copy_n(floats(operands[1]), Call.elements, floats(operands[0]));
  }
};

namespace {

constexpr std::int64_t elements = 4;

/// A pipeline of stages with so many units each.
template <int... Units>
struct cut : model<input<elements>, pipeline<stage<busy::Loop<Units>>...>> {};

template <typename Model, int MicroBatches, typename Schedule>
struct training : compile<Model, micro_batch<1>, gradient_accumulation<MicroBatches>, devices<2>,
                          Schedule, loss<sparse_categorical_crossentropy>> {};

/// The end of the last action of a run after the start of the first, in seconds.
double makespan_of(const trace& recorded) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = 0;
  for (int worker = 0; worker < recorded.workers(); ++worker) {
    first = std::min(first, recorded.of(worker).front().start);
    last = std::max(last, recorded.of(worker).back().end);
  }
  return 1e-9 * static_cast<double>(last - first);
}

/// How often another process took a core from this one.
long preemptions() {
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_nivcsw;
}

/// Keeps this thread, and those that it starts from now on, on one core.
void stay_on(int core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(static_cast<std::size_t>(core), &cores);
  sched_setaffinity(0, sizeof(cores), &cores);
}

/// A compiled model that trains, and the shortest of its updates.
class contender {
 public:
  contender(const session_parts& parts, std::string_view schedule, std::int64_t units, int threads)
      : name_(schedule),
        units_(static_cast<double>(units)),
        actions_(static_cast<double>(parts.train.plan.actions.actions.size()) / threads),
        labels_(static_cast<std::size_t>(parts.settings.gradient_accumulation), 1),
        features_(labels_.size() * elements, 0.5F),
        session_(std::make_unique<session_core>(
            parts, session_options{.threads = threads, .trace = true})) {
    name_ += "/" + std::to_string(parts.train.plan.actions.stages) + "_stages";
    name_ += threads == 1 ? "/1_worker" : "";
  }

  void update() {
    constexpr sgd_settings rates{.learning_rate = 0};
    batch_feed samples({features_, elements}, {labels_, 1, elements});
    const long before = preemptions();
    session_->train_step(samples, optimizer_reference(rates));
    calm_ += preemptions() == before ? 1 : 0;
    shortest_ = std::min(shortest_, makespan_of(session_->last_trace()));
  }

  const std::string& name() const { return name_; }

  /// The proven makespan in units of work.
  double units() const { return units_; }

  /// The measured makespan in seconds.
  double shortest() const { return shortest_; }

  /// Actions of a worker in an update, on average.
  double actions() const { return actions_; }

  /// Updates without preemption.
  int calm() const { return calm_; }

 private:
  std::string name_;
  double units_;
  double actions_;
  std::vector<std::int32_t> labels_;
  std::vector<float> features_;
  std::unique_ptr<session_core> session_;
  double shortest_ = std::numeric_limits<double>::infinity();
  int calm_ = 0;
};

template <compiled_model C>
contender enter(int threads = 2) {
  static_assert(check<C>());
  return {parts_of<typename C::compiled>(), C::schedule_type::name,
          C::timeline.makespan / busy::work_of_unit, threads};
}

using contenders = std::vector<contender>;

template <typename Model, int MicroBatches, typename... Schedules>
void enter_all(contenders& all) {
  (all.push_back(enter<training<Model, MicroBatches, Schedules>>()), ...);
}

/// The same work in two stages and in four, by the schedules that differ on two devices: there 1F1B
/// is interleaved, and eager 1F1B is grouped.
template <typename Two, typename Four>
contenders enter_catalogue() {
  contenders all;
  all.push_back(enter<training<Two, 8, sequential_schedule>>(1));
  enter_all<Two, 8, sequential_schedule, grouped, interleaved, gpipe, zb_h1, zb_h2,
            zero_bubble_list<>>(all);
  enter_all<Four, 8, grouped, interleaved_one_f_one_b, looped_bfs, zb_v, v_half, dualpipe_v,
            zero_bubble_list<>>(all);
  return all;
}

/// One that differs from grouped in name alone shows what the machine adds.
contenders enter_balanced() {
  contenders all = enter_catalogue<cut<4, 4>, cut<2, 2, 2, 2>>();
  enter_all<cut<4, 4>, 8, eager_one_f_one_b>(all);
  return all;
}

/// The fewer micro-batches, the more a bubble weighs.
contenders enter_few_micro_batches() {
  contenders all;
  all.push_back(enter<training<cut<4, 4>, 4, sequential_schedule>>(1));
  enter_all<cut<4, 4>, 4, one_f_one_b, zb_h1>(all);
  return all;
}

using seconds = std::chrono::duration<double>;

/// How long a loop of `steps` takes, in seconds.
double time_loop(std::int64_t steps) {
  const auto begin = std::chrono::steady_clock::now();
  busy::spin(steps);
  return seconds(std::chrono::steady_clock::now() - begin).count();
}

/// The steps that take so long, as far as a first look can tell.
std::int64_t steps_within(seconds wanted) {
  constexpr std::int64_t steps = 100'000;
  double shortest = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 100; ++round) {
    shortest = std::min(shortest, time_loop(steps));
  }
  return static_cast<std::int64_t>(static_cast<double>(steps) * wanted.count() / shortest);
}

/// What is raced with what, and how.
struct course {
  std::string_view name;
  contenders (*enter)();
  seconds unit;     ///< of work, about
  int updates = 0;  ///< in a turn; from the second on they find their workers awake
};

/// Everyone after everyone else, round after round.
class race {
 public:
  explicit race(const course& over) : course_(over), contenders_(over.enter()) {}

  /// Until everyone has had enough calm updates, but not for ever. Once: later calls do nothing.
  void run() {
    const int enough = 40 * course_.updates;
    constexpr int most_rounds = 200;
    busy::steps_of_unit = steps_within(course_.unit);
    for (; least_calm() < enough && rounds_ < most_rounds; ++rounds_) {
      // About as long as a makespan, so that others on the machine disturb it as often.
      constexpr int units = 100;
      unit_ = std::min(unit_, time_loop(units * busy::steps_of_unit) / units);
      for (contender& one : contenders_) {
        for (int update = 0; update < course_.updates; ++update) {
          one.update();
        }
      }
    }
  }

  std::string_view name() const { return course_.name; }

  const contenders& all() const { return contenders_; }

  /// The shortest time of a unit of work, in seconds.
  double unit() const { return unit_; }

 private:
  int least_calm() const {
    int least = contenders_.front().calm();
    for (const contender& one : contenders_) {
      least = std::min(least, one.calm());
    }
    return least;
  }

  course course_;
  contenders contenders_;
  double unit_ = std::numeric_limits<double>::infinity();
  int rounds_ = 0;
};

/// One line of the table.
void report(benchmark::State& state, race& ran, const contender& one) {
  ran.run();
  for (auto _ : state) {
    state.SetIterationTime(one.shortest());
  }
  const double proven = one.units() * ran.unit();
  const contender& sequential = ran.all().front();
  state.counters["proven_ms"] = 1e3 * proven;
  state.counters["measured_ms"] = 1e3 * one.shortest();
  state.counters["ratio"] = one.shortest() / proven;
  state.counters["promised"] = sequential.units() / one.units();
  state.counters["reached"] = sequential.shortest() / one.shortest();
  state.counters["calm"] = one.calm();
  state.counters["gap_us"] = 1e6 * (one.shortest() - proven) / one.actions();
}

void enter_race(race& ran) {
  for (const contender& one : ran.all()) {
    const std::string name = std::string(ran.name()) + "/" + one.name();
    benchmark::RegisterBenchmark(name.c_str(),
                                 [&](benchmark::State& state) { report(state, ran, one); })
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
}

constexpr seconds long_unit{100e-6};
constexpr seconds short_unit{1.25e-6};

constexpr course courses[] = {
    {"balanced", enter_balanced, long_unit, 1},
    {"1_to_3", enter_catalogue<cut<2, 6>, cut<1, 1, 3, 3>>, long_unit, 1},
    {"3_to_1", enter_catalogue<cut<6, 2>, cut<3, 3, 1, 1>>, long_unit, 1},
    {"4_micro_batches", enter_few_micro_batches, long_unit, 1},
    {"5_us_actions", enter_balanced, short_unit, 20},
};

}  // namespace

int main(int count, char** given) {
  std::vector<char*> arguments(given, given + count);
  std::string tabular = "--benchmark_counters_tabular=true";
  arguments.insert(arguments.begin() + 1, tabular.data());
  ++count;
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) {
    return 1;
  }
  // Each worker has a core: where others are busy, Linux else puts both on one for seconds. The
  // second workers start here, the first is this thread.
  stay_on(1);
  std::vector<std::unique_ptr<race>> races;
  for (const course& each : courses) {
    races.push_back(std::make_unique<race>(each));
    enter_race(*races.back());
  }
  stay_on(0);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
