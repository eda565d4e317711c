// SPDX-License-Identifier: MIT
// Schedules of one's own: as a function, as a table, as a text; proven, drawn and run. The output
// is docs/samples/own_schedules.txt.
#include <algorithm>
#include <cstdio>
#include <string>

#include <ipu_dsl/catalogue/fill.hpp>
#include <ipu_dsl/report/timeline.hpp>
#include <ipu_dsl/schedule/study.hpp>
#include <ipu_dsl/study/text/written_schedule.hpp>

#include "mnist_mlp.hpp"

using namespace samples;

namespace {

// [function]
/// 1F1B that never keeps more than three micro-batches.
struct frugal {
  static constexpr std::string_view name = "frugal";

  static constexpr problem allows(int devices, int stages, int, purpose) {
    return rules::stages_a_device(name, devices, stages, 1);
  }

  static constexpr program make(int devices, int stages, int micro_batches) {
    program rows(devices, neighbouring_placement(devices, stages), micro_batches);
    for (int device = 0; device < devices; ++device) {
      const int ahead = std::min({2, devices - 1 - device, micro_batches});
      for (int i = 0; i < micro_batches + ahead; ++i) {
        if (i < micro_batches) {
          rows.put(action_kind::forward, device, i);
        }
        if (i >= ahead) {
          rows.put(action_kind::backward, device, i - ahead);
        }
      }
      rows.end_training_row(device);  // the updates
    }
    return rows;
  }

  static constexpr program make_forward(int devices, int stages, int micro_batches) {
    return one_f_one_b::make_forward(devices, stages, micro_batches);
  }
};

static_assert(check_schedule<frugal, 4, 4, 8>());  // 4 devices, 4 stages, 8 micro-batches
static_assert(study<frugal, 4, 4, 8>::facts.makespan == 48);
// [/function]

static_assert(peak_stash_of_stages(study<frugal, 4, 4, 8>::rows)[0] == 3);
static_assert(study<fill<2, 2, 1, 0>, 4, 4, 8>::facts.makespan == 48);

// [table]
using namespace ipu_dsl::cells;

struct tabled : written_schedule<tabled> {
  static constexpr std::string_view name = "tabled";
  static constexpr cell table[2][13] = {{F(0, 0), F(0, 1), idle, I(0, 0), W(0, 0), F(0, 2), I(0, 1),
                                         W(0, 1), F(0, 3), I(0, 2), W(0, 2), I(0, 3), W(0, 3)},
                                        {idle, F(1, 0), I(1, 0), F(1, 1), I(1, 1), W(1, 0), F(1, 2),
                                         I(1, 2), W(1, 1), F(1, 3), I(1, 3), W(1, 2), W(1, 3)}};
};

// [/table]

// [text]
struct in_text : written_schedule<in_text> {
  static constexpr std::string_view name = "in-text";
  static constexpr std::string_view csv =
      "0F0,0F1,0F2,0B0,0F3,0B1,0B2,0B3\n"
      ",1F0,(1F1;1B0)OVERLAP_F_B,(1F2;1B1)OVERLAP_F_B,(1F3;1B2)OVERLAP_F_B,1B3\n";
};

// [/text]

// [trained]
static_assert(check<training<frugal>>());
static_assert(check<training<tabled>>());
static_assert(check<training<in_text>>());

// [/trained]

// [crossed]
struct crossed : written_schedule<crossed> {
  static constexpr std::string_view name = "crossed";
  static constexpr std::string_view csv =
      "0F0,2F0,2B0,0B0\n"
      "3F0,1F0,3B0,1B0\n";
};

// [/crossed]

/// The same with more forwards ahead on the second device than on the first.
using greedy = fill<1, 2>;

template <typename Schedule>
void draw(const char* tag) {
  using studied = study<Schedule, 2, 2, 4>;
  const std::string page = timeline_text(studied::rows, studied::timeline, studied::facts,
                                         Schedule::name, {.clock = "units"});
  std::printf("[%s]\n%s[/%s]\n\n", tag, page.c_str(), tag);
}

void print(const char* tag, const problem& found) {
  std::printf("[%s]\n%s\n[/%s]\n\n", tag, std::string(found.message().view()).c_str(), tag);
}

template <typename Schedule>
std::uint64_t trained_weights(int threads) {
  const auto digits = synthetic_digits(2'000, 1);
  session<training<Schedule>> run{{.learning_rate = 0.01F, .momentum = 0.9F}, {.threads = threads}};
  run.fit(digits | shuffled(1'000) | repeated(), {.steps_per_epoch = 40});
  return run.weights().fingerprint();
}

template <typename Schedule>
void compare_bits(std::uint64_t expected) {
  for (const int threads : {1, 2}) {
    const bool same = trained_weights<Schedule>(threads) == expected;
    std::printf("%-8s %d threads: %s\n", Schedule::name.data(), threads,
                same ? "the weights of sequential, to the bit" : "other weights");
  }
}

}  // namespace

int main() {
  draw<tabled>("tabled");
  draw<in_text>("in_text");
  print("crossed", study<crossed, 2, 4, 1>::fault);
  print("greedy", study<greedy, 2, 2, 4>::fault);
  print("counts", study<tabled, 2, 2, 6>::fault);
  std::printf("[bits]\n");
  const std::uint64_t expected = trained_weights<sequential_schedule>(1);
  compare_bits<frugal>(expected);
  compare_bits<tabled>(expected);
  compare_bits<in_text>(expected);
  std::printf("[/bits]\n");
  return 0;
}
