// SPDX-License-Identifier: MIT
// A GPT learns a text character by character, in four pipeline stages, and then writes one. With a
// file as its argument it learns that, otherwise sentences that it makes up.
#include "models/gpt.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/catalogue/zero_bubble.hpp>
#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/ipu_dsl.hpp>

#include "example.hpp"

using namespace ipu_dsl;

namespace {

// [training]
// A window of 32 characters, of which there are 96: what can be printed, and the end of a line.
constexpr std::size_t steps = 32;
constexpr std::int32_t characters = 96;

struct writer : models::gpt<32, characters, 64, 4> {};

// Every position is told the character that comes next, and the loss is a mean over positions. The
// schedule splits each backward pass in two and fills its bubble with the second half.
struct training : compile<writer, micro_batch<4>, gradient_accumulation<8>, mean_gradients, zb_h1,
                          loss<sparse_categorical_crossentropy>, optimizer<adam>> {};

static_assert(check<training>());

// [/training]

constexpr std::size_t samples_of_update = 32;

/// A character as the model knows it; what cannot be printed is a space.
std::int32_t number_of(char character) {
  if (character == '\n') {
    return characters - 1;
  }
  return character >= ' ' && character <= '~' ? character - ' ' : 0;
}

char character_of(std::int32_t number) {
  return number == characters - 1 ? '\n' : static_cast<char>(' ' + number);
}

constexpr std::array<std::string_view, 6> subjects = {
    "the cat", "a small dog", "my old neighbour", "the baker", "a bird", "nobody"};
constexpr std::array<std::string_view, 5> verbs = {"sees", "likes", "looks for", "talks about",
                                                   "sings to"};
constexpr std::array<std::string_view, 5> objects = {"the moon", "a red apple", "the sea",
                                                     "a long song", "an open door"};

/// Sentences by lot.
std::string made_up_text(std::size_t sentences) {
  std::string text;
  for (std::uint64_t i = 0; i < sentences; ++i) {
    text += subjects[random_word(1, 0, i) % subjects.size()];
    text += ' ';
    text += verbs[random_word(1, 1, i) % verbs.size()];
    text += ' ';
    text += objects[random_word(1, 2, i) % objects.size()];
    text += ".\n";
  }
  return text;
}

std::vector<std::int32_t> numbers_of(std::string_view text) {
  std::vector<std::int32_t> made;
  for (const char character : text) {
    made.push_back(number_of(character));
  }
  return made;
}

std::vector<std::int32_t> text_to_learn(const char* path) {
  if (path == nullptr) {
    return numbers_of(made_up_text(2'000));
  }
  const std::vector<std::uint8_t> bytes = read_file(path);
  const std::string read(bytes.begin(), bytes.end());
  std::vector<std::int32_t> text = numbers_of(read);
  if (text.size() <= steps) {
    throw error("A text to learn has more than 32 characters.");
  }
  return text;
}

// [windows]
/// Windows anywhere in the text: what is read, and what comes next at every position.
struct windows {
  std::vector<std::int32_t> read;
  std::vector<std::int32_t> next;

  windows(const std::vector<std::int32_t>& text, std::uint64_t update) {
    for (std::uint64_t sample = 0; sample < samples_of_update; ++sample) {
      const std::size_t first = random_word(2, update, sample) % (text.size() - steps);
      const auto begin = text.begin() + static_cast<std::ptrdiff_t>(first);
      read.insert(read.end(), begin, begin + steps);
      next.insert(next.end(), begin + 1, begin + 1 + steps);
    }
  }
};

// [/windows]

/// One of the characters by lot, each as likely as its score says.
std::int32_t draw(const float* scores, float chance) {
  const float largest = *std::max_element(scores, scores + characters);
  std::array<float, characters> share{};
  float sum = 0;
  for (std::size_t i = 0; i < share.size(); ++i) {
    share[i] = std::exp((scores[i] - largest) / 0.5F);
    sum += share[i];
  }
  float rest = chance * sum;
  std::int32_t drawn = 0;
  for (std::size_t i = 0; i < share.size() && rest >= 0; ++i) {
    rest -= share[i];
    drawn = static_cast<std::int32_t>(i);
  }
  return drawn;
}

// [write]
/// Character by character: the model reads the end of what stands there and says what comes next.
/// No position sees those behind it, so that it does not matter what they hold.
std::string written(const weights_of<writer>& weights, std::string_view begin, std::size_t length) {
  predictor<writer, micro_batch<1>> tell(weights);
  std::string text(begin);
  std::array<std::int32_t, steps> window{};
  while (text.size() < length) {
    const std::size_t seen = std::min(text.size(), steps);
    std::transform(text.end() - static_cast<std::ptrdiff_t>(seen), text.end(), window.begin(),
                   number_of);
    const auto scores = tell.push(window);
    const float chance = uniform_unit(random_word(3, 0, text.size()));
    text += character_of(draw(scores.data() + (seen - 1) * characters, chance));
  }
  return text;
}

// [/write]

/// How many of the words of a text stand in another.
double known_words(const std::string& text, const std::string& known) {
  double words = 0;
  double found = 0;
  for (std::size_t first = 0; first < text.size();) {
    const std::size_t last = std::min(text.find_first_of(" .\n", first), text.size());
    if (last > first) {
      words += 1;
      found += known.find(text.substr(first, last - first)) != std::string::npos ? 1 : 0;
    }
    first = last + 1;
  }
  return found / words;
}

int train_and_write(const char* path) {
  const std::vector<std::int32_t> text = text_to_learn(path);

  // [train]
  session<training> run{{.learning_rate = 0.002F}};
  for (std::uint64_t update = 0; update < 250; ++update) {
    const windows batch(text, update);
    const double loss = run.train_step(batch.read, batch.next);
    if (update % 50 == 49) {
      std::printf("update %3d  loss %.3f a character\n", static_cast<int>(update + 1), loss);
    }
  }
  weights_of<writer> weights;
  weights.copy_from(run.weights());
  // [/train]

  const std::string story = written(weights, "the ", 320);
  std::printf("\n%s\n", story.c_str());
  if (path != nullptr) {
    return 0;
  }
  const double share = known_words(story, made_up_text(200));
  std::printf("\n%.0f %% of its words are words\n", 100 * share);
  return share > 0.8 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
  return example::run("gpt", [&] { return train_and_write(count > 1 ? arguments[1] : nullptr); });
}
