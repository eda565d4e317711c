// SPDX-License-Identifier: MIT
// The update by Adam by the kernel of this library.
#include <cstddef>

#include <ipu_dsl/kernels/update.hpp>
#include <ipu_dsl/vocabulary/optimizers/adam.hpp>

#include "peers/update.hpp"

namespace ours {
namespace {

using namespace ipu_dsl;
using measure::buffer;
using peers::update_question;

class adam_update final : public peers::update_contestant {
 public:
  explicit adam_update(const update_question& question) : elements_(question.elements) {
    for (int i = 0; i < question.sets; ++i) {
      sets_.push_back({question.start, measure::zeros(elements_), measure::zeros(elements_),
                       question.gradient});
    }
  }

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      parameter_set& set = sets_[next_ % sets_.size()];
      kernels::updated_parameter<adam_rule::kept> updated;
      updated.parameter = set.w.data();
      updated.kept[0] = set.mean.data();
      updated.kept[1] = set.square.data();
      kernels::update_elements<adam_rule>(updated, set.gradient.data(), elements_,
                                          adam_settings{}.numbers(next_ / sets_.size() + 1));
      ++next_;
      measure::clobber_memory();
    }
  }

  std::vector<float> parameters() override { return {sets_[0].w.begin(), sets_[0].w.end()}; }

 private:
  struct parameter_set {
    buffer w;
    buffer mean;
    buffer square;
    buffer gradient;
  };

  std::ptrdiff_t elements_;
  std::vector<parameter_set> sets_;
  std::size_t next_ = 0;
};

/// The kernel takes whole vectors.
std::unique_ptr<peers::update_contestant> make(const update_question& question) {
  return question.elements % layout::native.lanes == 0 ? std::make_unique<adam_update>(question)
                                                       : nullptr;
}

const peers::update_entry enters(peers::ours, make);

}  // namespace
}  // namespace ours
