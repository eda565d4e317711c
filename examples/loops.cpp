// SPDX-License-Identifier: MIT
// Training loops, data set feeds and queues, as in the reference's "Training a model": a data set
// of ones is fed to a loop of ten iterations, whose results come out of a queue by name. Then the
// same while another thread reads, a loop that carries its values, and one that goes on as long as
// something holds.
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include <ipu_dsl/ipu_dsl.hpp>
#include <ipu_dsl/queues/infeed_queue.hpp>
#include <ipu_dsl/training/loops.hpp>
#include <ipu_dsl/training/outfeed.hpp>
using namespace ipu_dsl;

namespace {

// [source]
/// Pairs of 800 ones, again and again. Rows of 800 numbers are whole vectors: there is no padding
/// to be cleared.
class constant_pairs {
 public:
  std::int32_t next(const feed_rows& rows) {
    for (const source_rows& each : rows.sources) {
      for (std::int32_t row = 0; row < rows.micro_batch; ++row) {
        for (std::int32_t i = 0; i < each.elements; ++i) {
          each.floats(row)[static_cast<std::size_t>(i)] = 1;
        }
      }
    }
    return rows.micro_batch;
  }

  void restart() {}

  std::span<const source_form> sources() const { return forms; }

  std::optional<std::int64_t> length() const { return std::nullopt; }

 private:
  static constexpr std::array<source_form, 2> forms{{{dtype::float32, 800}, {dtype::float32, 800}}};
};

// [/source]

// [body]
struct sum_and_difference {
  static constexpr std::array<symbolic_tensor, 2> build(functional_builder& build) {
    const symbolic_tensor x1 = build.input("x1", {800});
    const symbolic_tensor x2 = build.input("x2", {800});
    return {build.layer<Add>("d1", x1, x2), build.layer<Subtract>("d2", x1, x2)};
  }
};

struct body : compile<sum_and_difference, micro_batch<1>> {};

// [/body]

/// [10, 800]
void print(const outfeed_values& found, const char* name) {
  const std::vector<std::int64_t> extents = found.extents(name);
  std::printf("%s  [%lld, %lld] of %g\n", name, static_cast<long long>(extents[0]),
              static_cast<long long>(extents[1]), static_cast<double>(found[name][0]));
}

}  // namespace

int main() {
  std::printf("[loop]\n");
  // [loop]
  constant_pairs data;
  infeed_queue infeed(data, {.micro_batch = 1});
  output_outfeed<body> results({.depth = 10});
  session<body> run;

  repeat<10>(run, infeed, results);
  const outfeed_values found = results.dequeue();
  // [/loop]
  print(found, "d1");
  print(found, "d2");
  std::printf("[/loop]\n\n[read]\n");

  // [read]
  output_outfeed<body> stream({.reader = outfeed_reader::meanwhile});
  std::thread reader([&stream] {
    int count = 0;
    for (const outfeed_element element : stream) {
      count += element["d1"][0] == 2 ? 1 : 0;
    }
    std::printf("read %d sums while they were made\n", count);
  });
  repeat<1000>(run, infeed, stream);
  stream.close();
  reader.join();
  // [/read]
  std::printf("[/read]\n\n[carried]\n");

  // [carried]
  std::vector<float> a(800, 3.0F);
  std::vector<float> b(800, 1.0F);
  repeat<4>(run, carried_values<2>{a, b});  // (a, b) becomes (a + b, a - b)
  std::printf("after 4 iterations %g and %g\n", static_cast<double>(a[0]),
              static_cast<double>(b[0]));

  const std::int64_t more = repeat_while(
      run, carried_values<2>{a, b}, [](const carried_values<2>& now) { return now[0][0] < 100; });
  std::printf("after %d more %g and %g\n", static_cast<int>(more), static_cast<double>(a[0]),
              static_cast<double>(b[0]));
  // [/carried]
  std::printf("[/carried]\n");
}
