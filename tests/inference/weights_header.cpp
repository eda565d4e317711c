// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <ipu_dsl/training/weights_header.hpp>

#include "formats/temporary_directory.hpp"
#include "inference/models.hpp"
#include "support/catch2.hpp"

using namespace ipu_dsl;
using namespace ipu_dsl::tests;

namespace {

using weights = weights_of<odd_ends>;
using layouts = weight_layout<odd_ends>;

constexpr std::size_t stored_count = weights::bytes / sizeof(float);
constexpr std::int32_t lanes = layout::native.lanes;
constexpr std::int32_t registers = layout::native.registers;

using right = laid_out_weights<stored_count, lanes, registers, layouts::shapes>;

template <std::size_t Floats, std::int32_t Lanes, std::int32_t Registers, std::uint64_t Shapes>
constexpr problem fault = laid_out_fault_of<odd_ends, Floats, Lanes, Registers, Shapes>::value;

static_assert(!fault<stored_count, lanes, registers, layouts::shapes>.found());
static_assert(
    fault<stored_count, 2, registers, layouts::shapes>.got.view().ends_with(" of 2 floats"));
static_assert(fault<stored_count, lanes, registers, layouts::shapes + 1>.message().view() ==
              "the header of weights: expected those of this model's parameters, got weights of "
              "other shapes. Hint: write the header again with the weights of this model");
static_assert(weight_layout<whole_ends>::shapes != layouts::shapes);

// What a program of each kind is given is what was written for it.
#if defined(IPU_DSL_PORTABLE)
static_assert(vector_units::portable.lanes == lanes);
#elif defined(__AVX512F__)
static_assert(vector_units::avx512 == layout::native);
#elif defined(__AVX2__) && defined(__FMA__)
static_assert(vector_units::avx2 == layout::native);
#elif defined(__aarch64__)
static_assert(vector_units::neon == layout::native);
#endif

}  // namespace

TEST_CASE("weights are laid out as predictors of this processor have them") {
  weights kept;
  kept.initialize(4);
  const std::vector<float> stored = lay_out(kept, layout::native);
  REQUIRE(stored.size() == stored_count);
  CHECK(std::memcmp(stored.data(), kept.data(), weights::bytes) == 0);

  right constant{};
  std::memcpy(constant.stored, stored.data(), weights::bytes);
  predictor<odd_ends> from_constant(constant);
  predictor<odd_ends> from_weights(kept);
  const std::vector<float> sample = samples_of(20);
  const auto found = from_constant.push(std::span(sample).first<20>());
  const auto expected = from_weights.push(std::span(sample).first<20>());
  CHECK(std::memcmp(found.data(), expected.data(), found.size_bytes()) == 0);
}

TEST_CASE("for every vector unit each weight lies in its panel and padding is zero") {
  weights kept;
  kept.initialize(4);
  std::vector<float> kernel(20 * 37);
  kept.get(0, kernel);
  std::size_t checked = 0;
  for (const layout::architecture unit :
       {vector_units::avx512, vector_units::avx2, vector_units::sse, vector_units::neon,
        vector_units::portable}) {
    const std::vector<float> stored = lay_out(kept, unit);
    const layout::panels panels(20, 37, unit);
    double sum = 0;
    for (std::int32_t k = 0; k < 20; ++k) {
      for (std::int32_t n = 0; n < 37; ++n) {
        const float weight = kernel[static_cast<std::size_t>(k * 37 + n)];
        CHECK(stored[static_cast<std::size_t>(panels.offset(k, n))] == weight);
        sum += static_cast<double>(weight) * static_cast<double>(weight);
        ++checked;
      }
    }
    const auto elements = static_cast<std::size_t>(layout::panel_elements(20, 37, unit));
    for (std::size_t i = 0; i < elements; ++i) {
      sum -= static_cast<double>(stored[i]) * static_cast<double>(stored[i]);
    }
    CHECK(std::abs(sum) < 1e-9);
    CHECK(stored.size() % 16 == 0);
  }
  CHECK(checked == 5 * 20 * 37);
  std::printf("checked %zu weights\n", checked);
}

TEST_CASE("a header that cannot be written is refused with one sentence") {
  const temporary_directory directory;
  const std::string path = directory / "weights.hpp";
  weights kept;
  for (const char* const name : {"", "class", "co_await", "std", "3rd", "my weights", "a-b"}) {
    CHECK_THROWS_WITH(
        write_weights_header(kept, path, name),
        "The weights of a header must have a name of C++, got '" + std::string(name) + "'.");
  }
  std::vector<float> bias(37, std::numeric_limits<float>::infinity());
  kept.set(1, bias);
  CHECK_THROWS_WITH(write_weights_header(kept, path, "weights"),
                    "The parameter dense_1/bias has a value that is not finite; a header holds "
                    "numbers.");
  CHECK_FALSE(file_exists(path));
}
