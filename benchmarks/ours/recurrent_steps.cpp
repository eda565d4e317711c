// SPDX-License-Identifier: MIT
// Steps of recurrent layers by this library.
#include "ours/recurrent_steps.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <ipu_dsl/inference.hpp>
#include <ipu_dsl/kernels/gru_step.hpp>
#include <ipu_dsl/kernels/lstm_step.hpp>
#include <ipu_dsl/vocabulary/library.hpp>

#include "measure/buffer.hpp"

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

/// The gates and the state of one sample from sums that are there.
template <int Units>
std::unique_ptr<measure::contestant> lstm_gates() {
  auto work = [sums = measure::random_numbers(4 * Units, 1, 1), gates = measure::zeros(4 * Units),
               before = measure::random_numbers(Units, 1, 2), cell = measure::zeros(Units),
               state = measure::zeros(Units)]() mutable {
    std::copy(sums.begin(), sums.end(), gates.begin());
    kernels::lstm_state<activation_kind::tanh, activation_kind::sigmoid, layout::native>(
        gates.data(), before.data(), cell.data(), state.data(), Units, {0, 0});
  };
  return std::make_unique<measure::worker<decltype(work)>>(work);
}

template <int Units>
std::unique_ptr<measure::contestant> gru_gates() {
  auto work = [sums = measure::random_numbers(3 * Units, 1, 1), gates = measure::zeros(3 * Units),
               before = measure::random_numbers(Units, 1, 2),
               state = measure::zeros(Units)]() mutable {
    std::copy(sums.begin(), sums.end(), gates.begin());
    kernels::gru_state<activation_kind::tanh, activation_kind::sigmoid, layout::native>(
        gates.data(), sums.data(), before.data(), state.data(), Units, {0, 0});
  };
  return std::make_unique<measure::worker<decltype(work)>>(work);
}

template <template <int> typename Layer, int Units>
recurrent_step make(const char* kind, std::int64_t gates,
                    std::unique_ptr<measure::contestant> of_gates) {
  const std::string units = std::to_string(Units);
  return {std::string(kind) + " " + units + " to " + units, gates * Units * 2 * Units,
          std::make_unique<pushes<Layer<Units>, static_cast<std::size_t>(Units)>>(),
          std::move(of_gates)};
}

template <int Units>
recurrent_step make_lstm() {
  return make<lstm, Units>("LSTM", 4, lstm_gates<Units>());
}

template <int Units>
recurrent_step make_gru() {
  return make<gru, Units>("GRU", 3, gru_gates<Units>());
}

}  // namespace

std::vector<recurrent_step> recurrent_steps() {
  std::vector<recurrent_step> all;
  all.push_back(make_lstm<16>());
  all.push_back(make_lstm<32>());
  all.push_back(make_lstm<64>());
  all.push_back(make_lstm<128>());
  all.push_back(make_gru<32>());
  all.push_back(make_gru<128>());
  return all;
}

}  // namespace ours
