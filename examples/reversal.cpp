// SPDX-License-Identifier: MIT
// An encoder and a decoder learn to spell words backwards, words that they make up; then they spell
// some that they have not seen, letter by letter.
#include "models/reversal.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

#include "example.hpp"

using namespace ipu_dsl;

namespace {

constexpr std::size_t steps = 5;
constexpr std::int32_t letters = 10;

struct speller : models::reversal<steps, letters, 48> {};

struct training : compile<speller, micro_batch<16>, gradient_accumulation<4>, mean_gradients,
                          grouped, loss<sparse_categorical_crossentropy>, optimizer<adam>> {};

static_assert(check<training>());

using word = std::array<std::int32_t, steps>;

/// Word `number` of a stream of them.
word made_up(std::uint64_t stream, std::uint64_t number) {
  word made{};
  for (std::size_t i = 0; i < steps; ++i) {
    made[i] = static_cast<std::int32_t>(random_word(stream, number, i) % letters);
  }
  return made;
}

// [samples]
/// What an update is given: words, the same from their ends, and of these what stands before each
/// letter, which training tells the decoder.
struct samples {
  std::vector<std::int32_t> read;
  std::vector<std::int32_t> spelled;
  std::vector<std::int32_t> next;

  samples(std::uint64_t update, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const word made = made_up(1, update * count + i);
      read.insert(read.end(), made.begin(), made.end());
      next.insert(next.end(), made.rbegin(), made.rend());
      spelled.push_back(letters);
      spelled.insert(spelled.end(), made.rbegin(), made.rend() - 1);
    }
  }
};

// [/samples]

// [spell]
/// The decoder is told what it has spelled itself: each letter needs those before it.
word spelled_backwards(predictor<speller, micro_batch<1>>& speaks, const word& read) {
  word told{};
  word found{};
  told.fill(letters);
  for (std::size_t step = 0; step < steps; ++step) {
    const auto scores = speaks.push(read, told);
    const auto first = scores.begin() + static_cast<std::ptrdiff_t>(step * letters);
    found[step] = static_cast<std::int32_t>(std::max_element(first, first + letters) - first);
    if (step + 1 < steps) {
      told[step + 1] = found[step];
    }
  }
  return found;
}

// [/spell]

char letter_of(std::int32_t number) {
  return static_cast<char>('a' + number);
}

int learn_and_spell() {
  session<training> run{{.learning_rate = 0.006F}};
  for (std::uint64_t update = 0; update < 1'200; ++update) {
    const samples batch(update, 64);
    const double loss =
        run.train_step(input_arrays{batch.read, batch.spelled}, target_arrays{batch.next});
    if (update % 200 == 199) {
      std::printf("update %4d  loss %.4f a letter\n", static_cast<int>(update + 1), loss);
    }
  }
  weights_of<speller> weights;
  weights.copy_from(run.weights());
  predictor<speller, micro_batch<1>> speaks(weights);
  constexpr std::uint64_t words = 200;
  std::uint64_t right = 0;
  for (std::uint64_t i = 0; i < words; ++i) {
    const word read = made_up(2, i);
    const word found = spelled_backwards(speaks, read);
    right += std::equal(found.begin(), found.end(), read.rbegin()) ? 1U : 0U;
    if (i < 4) {
      for (const std::int32_t letter : read) {
        std::putchar(letter_of(letter));
      }
      std::printf(" backwards: ");
      for (const std::int32_t letter : found) {
        std::putchar(letter_of(letter));
      }
      std::printf("\n");
    }
  }
  std::printf("%d of %d words are spelled right\n", static_cast<int>(right),
              static_cast<int>(words));
  return right * 10 > words * 9 ? 0 : 1;
}

}  // namespace

int main() {
  return example::run("reversal", learn_and_spell);
}
