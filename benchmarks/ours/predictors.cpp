// SPDX-License-Identifier: MIT
// Prediction by this library: the one place of the table that knows how it is asked for.
#include "ours/network.hpp"

namespace ours {
namespace {

using namespace ipu_dsl;

template <int MicroBatch>
struct prediction : compile<mlp, micro_batch<MicroBatch>> {};

template <int MicroBatch>
class session_predictor final : public peers::predictor_contestant {
 public:
  explicit session_predictor(const peers::network_question& question)
      : question_(question),
        outputs_(static_cast<std::size_t>(question.micro_batch * table::network_classes)) {
    load(run_, question.start);
  }

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      run_.predict(question_.features, outputs_);
    }
  }

  std::vector<float> outputs() override { return outputs_; }

 private:
  const peers::network_question& question_;
  std::vector<float> outputs_;
  session<prediction<MicroBatch>> run_;
};

std::unique_ptr<peers::predictor_contestant> make(const peers::network_question& question) {
  switch (question.micro_batch) {
    case 1:
      return std::make_unique<session_predictor<1>>(question);
    case 32:
      return std::make_unique<session_predictor<32>>(question);
    default:
      return nullptr;
  }
}

const peers::predictor_entry enters(peers::ours, make);

}  // namespace
}  // namespace ours
