// SPDX-License-Identifier: MIT
// What inference.hpp offers, compiled without exceptions, without run-time types and without
// threads, as audio and embedded programs are.
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include <ipu_dsl/runtime/weights_exchange.hpp>
#include <ipu_dsl/vocabulary/layers/dropout.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>

#include "inference/programs/board_expected.hpp"
#include "inference/programs/board_model.hpp"

using namespace board;

#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "This program is to be compiled with -fno-exceptions -fno-rtti"
#endif

namespace {

/// Several stages, a join, padding at both ends.
struct odd
    : model<input<4, 5>,
            pipeline<stage<Flatten, Dense<20, relu>, residual<Dense<20, hyperbolic_tangent>>>,
                     stage<concat<Dense<3>, Dense<4, sigmoid>>, Dropout<0.5F>>>> {};

struct gate : model<input<2>, sequential<Dense<2, relu>, Dense<1>>> {};

constexpr std::array<float, 9> gate_numbers{1, 1, 1, 1, 0, -1, 1, -2, 0};
constexpr embedded_weights<gate> gate_weights{gate_numbers};

int checks = 0;
int faults = 0;

void expect(bool right, const char* what) {
  ++checks;
  if (!right) {
    ++faults;
    std::printf("wrong: %s\n", what);
  }
}

void predict_batches() {
  weights_of<odd> weights;
  weights.initialize(3);
  predictor<odd> one(weights);
  predictor<odd, micro_batch<3>> three(weights);
  std::vector<float> samples(60);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i] = static_cast<float>(i % 7) - 3.0F;
  }
  std::vector<float> all(21);
  expect(three.predict(samples, all), "three samples are taken");
  for (std::size_t i = 0; i < 3; ++i) {
    const auto found = one.push(std::span(samples).subspan(20 * i).first<20>());
    expect(std::memcmp(found.data(), all.data() + 7 * i, 7 * sizeof(float)) == 0, "equal bits");
  }
  expect(!three.predict(samples, std::span(all).first(20)), "another length is refused");
}

void set_and_copy_weights() {
  weights_of<gate> weights;
  weights.assign(gate_numbers);
  weights_of<gate> copy;
  copy.copy_from(weights);
  expect(copy.fingerprint() == weights.fingerprint(), "a copy is equal");
  std::array<float, 2> bias{};
  copy.get(copy.find("dense_0", "bias"), bias);
  expect(bias[0] == 0.0F && bias[1] == -1.0F, "a parameter is found by name");
  copy.set(1, bias);
  expect(predictor<gate>(gate_weights).push(std::array{1.0F, 0.0F})[0] == 1.0F, "1 xor 0");
}

void exchange_weights() {
  weights_of<gate> first;
  weights_of<gate> second;
  predictor<gate> given(first);
  weights_exchange<gate> exchange(first, second);
  exchange.spare()->assign(gate_numbers);
  expect(exchange.offer() && exchange.update(given), "offered weights are taken");
  expect(given.push(std::array{1.0F, 0.0F})[0] == 1.0F, "and read");
  expect(exchange.spare() == &first, "those before come back");
}

alignas(64) std::array<std::byte, weights_of<gate>::bytes + 4> memory;

void expect_refusal(const char* words) noexcept {
  expect(std::strcmp(words,
                     "The memory of weights must begin at a multiple of 64 bytes, it begins "
                     "4 behind one.") == 0,
         "the sentence is told");
  std::printf("checked %d properties\n", checks);
  std::fflush(stdout);
  std::_Exit(faults == 0 ? 0 : 1);
}

}  // namespace

int main() {
  predict_batches();
  set_and_copy_weights();
  exchange_weights();
  const auto misplaced = std::span<std::byte>(memory).subspan(4);
  expect(!weights_of<gate>::memory_fault(misplaced).empty(), "what would be refused can be asked");
  expect(weights_of<gate>::memory_fault(memory).empty(), "and what would not");
  on_error = expect_refusal;
  weights_of<gate> refused(misplaced);
  std::printf("nothing was refused\n");
  return 1;
}
