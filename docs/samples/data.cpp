// SPDX-License-Identifier: MIT
// What data are made of: the code of docs/data.md.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <list>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ipu_dsl/data/csv.hpp>
#include <ipu_dsl/data/npy_columns.hpp>
#include <ipu_dsl/data/prefetched.hpp>
#include <ipu_dsl/formats/npz.hpp>
#include <ipu_dsl/interface.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

using namespace ipu_dsl;

namespace {

/// Pulls a pass of a feed in micro-batches of two and prints the first input of each sample.
template <feed Feed>
void print_pass(const char* name, Feed& source) {
  std::vector<std::vector<float>> memory;
  std::vector<source_rows> rows;
  for (const source_form& form : source.sources()) {
    const auto elements = static_cast<std::int32_t>(form.elements);
    memory.emplace_back(static_cast<std::size_t>(2 * elements));
    rows.push_back({form.type, memory.back().data(), elements, elements});
  }
  std::printf("%-10s", name);
  std::int32_t valid = 2;
  while (valid == 2) {
    valid = source.next({rows, 2});
    for (std::int32_t row = 0; row < valid; ++row) {
      std::printf(" %g", static_cast<double>(rows[0].floats(row)[0]));
    }
  }
  std::printf("\n");
}

template <typename Data>
void print(const char* name, const Data& data) {
  auto source = make_feed(data, 1);
  print_pass(name, source);
}

struct houses : model<input<2>, sequential<Dense<3>>> {};

struct sorting : compile<houses, micro_batch<3>, loss<sparse_categorical_crossentropy>> {};

void arrays_alone(std::span<const float> sizes, const std::vector<std::int32_t>& kinds) {
  session<sorting> run;
  // [alone]
  run.fit(sizes, kinds, {.epochs = 2}, validation_data(sizes, kinds));
  const evaluation found = run.evaluate(sizes, kinds);
  // [/alone]
  std::printf("%d houses were looked at\n", static_cast<int>(found.samples));
}

void from_memory() {
  // [columns]
  std::vector<float> sizes = {50, 80, 120, 95, 60, 70};  // [houses, 2]: size and rooms
  std::vector<std::int32_t> kinds = {0, 2, 1};
  std::vector<float> prices = {1.5F, 3.25F, 2};

  const auto owned = zipped(feature_column<shape{2}>(sizes), label_column<3>(kinds),
                            target_column<shape{1}>(std::move(prices)));
  // [/columns]
  // [arrays]
  const auto seen = over_arrays<feature_column<shape{2}>, label_column<3>>(sizes, kinds);
  // [/arrays]
  // [ranges]
  const std::list<std::array<double, 2>> points = {{1, 2}, {3, 4}, {5, 6}};
  const auto copied =
      zipped(feature_column<shape{2}>(numbers_from<float>(points)),
             label_column<3>(numbers_from<std::int32_t>(
                 kinds | std::views::transform([](std::int32_t kind) { return 2 - kind; }))));
  // [/ranges]
  // [look]
  std::array<float, 2> size{};
  std::int32_t kind = 0;
  const source_rows sample[] = {{dtype::float32, size.data(), 2, 2}, {dtype::int32, &kind, 1, 1}};
  auto room = owned.make_scratch();
  owned.read(room, 1, sample, 0);  // sample 1 into row 0; the price is not asked for
  // [/look]
  std::printf("sample 1   %g %g of kind %d\n", static_cast<double>(size[0]),
              static_cast<double>(size[1]), static_cast<int>(kind));
  print("owned", owned);
  print("seen", seen);
  print("copied", copied);
  arrays_alone(sizes, kinds);
}

void from_npz() {
  const std::vector<std::uint8_t> pixels(3 * 16, 7);
  const std::vector<std::int32_t> shown = {0, 1, 1};
  const std::vector<npz_entry> made = {{"images", make_npy<std::uint8_t>(pixels, {3, 4, 4})},
                                       {"labels", make_npy<std::int32_t>(shown, {3})}};
  write_npz("shapes.npz", made);
  // [npz]
  const std::vector<npz_entry> file = read_npz("shapes.npz");
  const auto shapes = zipped(column_of<byte_column<shape{4, 4}>>(file, "images"),
                             column_of<label_column<2>>(file, "labels"));
  // [/npz]
  std::remove("shapes.npz");
  std::printf("shapes     %d images\n", static_cast<int>(shapes.size()));
}

void from_csv() {
  constexpr std::string_view text =
      "size,rooms,street,price\n"
      "50,2,\"Oak, north\",1.5\n"
      "120,4,Elm,3.25\n"
      "60,x,Elm,2\n";
  const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(text.data()),
                                            text.size());
  // [csv]
  const csv_table houses =
      parse_csv_table(bytes, "houses.csv");  // read_csv("houses.csv") of a file
  for (std::size_t column = 0; column < houses.columns(); ++column) {
    std::printf("%-10s %s\n", houses.name(column).c_str(), name_of(houses.kind(column)).data());
  }
  const auto data = zipped(houses.features({"size", "price"}), houses.labels<2>("street"));
  // [/csv]
  print("houses", data);
  try {
    houses.features({"size", "rooms"});
  } catch (const error& refused) {
    std::printf("[bad_cell]\n%s\n[/bad_cell]\n", refused.what());
  }
}

using points_type = labelled_dataset<shape{1}, 2, float>;

/// 0 to `count` - 1, and whether they are odd.
points_type numbers_below(int count) {
  std::vector<float> numbers;
  std::vector<std::int32_t> odd;
  for (int i = 0; i < count; ++i) {
    numbers.push_back(static_cast<float>(i));
    odd.push_back(i % 2);
  }
  return points_type(std::move(numbers), std::move(odd));
}

void of_other_data() {
  const points_type points = numbers_below(6);
  // [mapped]
  const auto halves = points | mapped([](std::span<float> x) { x[0] /= 2; });
  const auto odd =
      points | filtered([](std::span<const float>, std::span<const std::int32_t> label) {
        return label[0] == 1;
      });
  const auto squares =
      points | mapped<feature_column<shape{2}>, target_column<shape{1}>>(
                   [](std::span<const float> x, std::span<float> powers, std::span<float> cube) {
                     powers[0] = x[0] * x[0];
                     powers[1] = x[0];
                     cube[0] = powers[0] * x[0];
                   });
  const auto all = concatenated(halves, odd | shuffled(3) | fixed_order(1), points) | cached();
  // [/mapped]
  print("halves", halves);
  print("odd", odd);
  print("squares", squares);
  print("all", all);
  // [any_order]
  auto source = make_feed(
      points | shuffled(6) | mapped([](std::span<float> x) { x[0] *= 10; }) | take(4) | repeated(2),
      1);
  // [/any_order]
  print_pass("any order", source);
}

void of_series() {
  const std::vector<float> weather = {1, 2, 3, 4, 5, 6, 7};
  const std::vector<float> degrees = {10, 20, 30, 40, 50, 60, 70};
  // [windows]
  const auto series =
      over_arrays<feature_column<shape{1}>, target_column<shape{1}>>(weather, degrees);
  const auto windows = series | windowed<3>({.stride = 2, .target_offset = 3});  // (3, 1) and (1)
  const auto steps = series | windowed<3, window_targets::each_step>();  // (3, 1) and (3, 1)
  // [/windows]
  std::printf("windows    %d and %d\n", static_cast<int>(windows.size()),
              static_cast<int>(steps.size()));
  print("first", windows);
}

void of_functions() {
  // [generated]
  const auto drawn = generated<feature_column<shape{1}>, label_column<2>>(
      1'000, [](std::uint32_t i, std::span<float> x, std::span<std::int32_t> label) {
        x[0] = uniform_unit(random_word(7, 0, i));
        label[0] = x[0] > 0.5F ? 1 : 0;
      });
  auto counted = from_generator<feature_column<shape{1}>, label_column<2>>(
      [i = 0](std::span<float> x, std::span<std::int32_t> label) mutable {
        x[0] = static_cast<float>(i);
        label[0] = i % 2;
        ++i;
        return true;
      },
      5);
  // [/generated]
  print("drawn", drawn | take(2));
  print_pass("counted", counted);
  // [batches]
  auto louder = mapped_batches(make_feed(drawn | take(4), 1),
                               [](const feed_rows& rows, std::int32_t samples) {
                                 for (std::int32_t row = 0; row < samples; ++row) {
                                   rows.sources[0].floats(row)[0] += static_cast<float>(samples);
                                 }
                               });
  // [/batches]
  print_pass("louder", louder);
  // [prefetched]
  auto ahead = prefetched(drawn | shuffled(100) | take(4), 1, {.depth = 8});
  // [/prefetched]
  print_pass("ahead", ahead);
}

}  // namespace

int main() {
  from_memory();
  from_npz();
  from_csv();
  of_other_data();
  of_series();
  of_functions();
  return 0;
}
