// SPDX-License-Identifier: MIT
// Steps of recurrent layers by this library.
#include "ours/recurrent_steps.hpp"

#include <array>
#include <utility>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

namespace ours {
namespace {

using namespace ipu_dsl;

template <int Units>
struct lstm : model<input<64, Units>, sequential<LSTM<Units>>> {};

template <int Units>
struct gru : model<input<64, Units>, sequential<GRU<Units>>> {};

/// One step after the other, of a sequence that does not end.
template <typename M, std::size_t Units>
class pushes final : public measure::contestant {
 public:
  pushes() {
    weights_.initialize(1);
    sample_.fill(0.25F);
  }

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      stream_.push(sample_);
      measure::clobber_memory();
    }
  }

 private:
  weights_of<one_step<M>> weights_;
  predictor<one_step<M>> stream_{weights_};
  std::array<float, Units> sample_{};
};

template <template <int> typename Layer, int Units>
recurrent_step make(const char* kind, std::int64_t gates) {
  const std::string units = std::to_string(Units);
  return {std::string(kind) + " " + units + " to " + units, gates * Units * 2 * Units,
          std::make_unique<pushes<Layer<Units>, static_cast<std::size_t>(Units)>>()};
}

}  // namespace

std::vector<recurrent_step> recurrent_steps() {
  std::vector<recurrent_step> all;
  all.push_back(make<lstm, 16>("LSTM", 4));
  all.push_back(make<lstm, 32>("LSTM", 4));
  all.push_back(make<lstm, 64>("LSTM", 4));
  all.push_back(make<lstm, 128>("LSTM", 4));
  all.push_back(make<gru, 32>("GRU", 3));
  all.push_back(make<gru, 128>("GRU", 3));
  return all;
}

}  // namespace ours
