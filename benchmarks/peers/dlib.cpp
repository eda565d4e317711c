// SPDX-License-Identifier: MIT
// dlib: its network and its solver, called as its trainer calls them but on the calling thread. It
// does not sum gradients over micro-batches, so it takes part with one.
#include <dlib/dnn.h>

#include "peers/network.hpp"

namespace peers {
namespace {

using table::layer_count;
using table::layer_shapes;

template <int Layer, typename Below>
using dense = dlib::fc<static_cast<unsigned long>(layer_shapes[Layer].outputs), Below>;

using network = dlib::loss_multiclass_log<dense<
    4, dlib::relu<dense<
           3, dlib::relu<dense<2, dlib::relu<dense<1, dlib::relu<dense<0, dlib::input<dlib::matrix<
                                                                              float>>>>>>>>>>>>;

/// The samples as the network takes them, which it has to convert itself once.
dlib::resizable_tensor features_of(network& net, const network_question& question) {
  std::vector<dlib::matrix<float>> samples;
  for (int i = 0; i < question.micro_batch; ++i) {
    const float* const first = question.features.data() + std::ptrdiff_t{i} * table::network_inputs;
    samples.push_back(dlib::mat(first, table::network_inputs, 1));
  }
  dlib::resizable_tensor made;
  net.to_tensor(samples.begin(), samples.end(), made);
  return made;
}

/// Calls `visit(parameters, layer)` for every dense layer; kernel and bias lie together there.
template <typename Visit>
void visit_dense(network& net, const Visit& visit) {
  visit(dlib::layer<1>(net).layer_details().get_layer_params(), std::size_t{4});
  visit(dlib::layer<3>(net).layer_details().get_layer_params(), std::size_t{3});
  visit(dlib::layer<5>(net).layer_details().get_layer_params(), std::size_t{2});
  visit(dlib::layer<7>(net).layer_details().get_layer_params(), std::size_t{1});
  visit(dlib::layer<9>(net).layer_details().get_layer_params(), std::size_t{0});
}

/// A forward pass gives the layers their extents; then the parameters can be set.
void start(network& net, const dlib::tensor& features, const network_weights& from) {
  net.subnet().forward(features);
  visit_dense(net, [&](dlib::tensor& parameters, std::size_t layer) {
    const layer_weights& values = from[layer];
    std::copy(values.kernel.begin(), values.kernel.end(), parameters.begin());
    std::copy(values.bias.begin(), values.bias.end(),
              parameters.begin() + static_cast<std::ptrdiff_t>(values.kernel.size()));
  });
}

class dlib_step final : public step_contestant {
 public:
  explicit dlib_step(const network_question& question)
      : features_(features_of(net_, question)),
        labels_(question.labels.begin(), question.labels.end()),
        solvers_(net_.num_computational_layers, dlib::sgd(0.0F, question.momentum)),
        rate_(static_cast<double>(question.rate)) {
    start(net_, features_, question.start);
  }

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      net_.compute_parameter_gradients(features_, labels_.begin());
      net_.update_parameters(dlib::make_sstack(solvers_), rate_);
    }
  }

  network_weights weights() override {
    network_weights now;
    visit_dense(net_, [&](const dlib::tensor& parameters, std::size_t layer) {
      const auto bias = parameters.end() - layer_shapes[layer].outputs;
      now[layer] = {{parameters.begin(), bias}, {bias, parameters.end()}};
    });
    return now;
  }

 private:
  network net_;
  dlib::resizable_tensor features_;
  std::vector<unsigned long> labels_;
  std::vector<dlib::sgd> solvers_;
  double rate_;
};

class dlib_predictor final : public predictor_contestant {
 public:
  explicit dlib_predictor(const network_question& question)
      : features_(features_of(net_, question)) {
    start(net_, features_, question.start);
  }

  void run(int times) override {
    for (int time = 0; time < times; ++time) {
      net_.subnet().forward(features_);
    }
  }

  std::vector<float> outputs() override {
    const dlib::tensor& made = net_.subnet().get_output();
    return {made.begin(), made.end()};
  }

 private:
  network net_;
  dlib::resizable_tensor features_;
};

std::unique_ptr<step_contestant> make_step(const network_question& question) {
  return question.micro_batches == 1 ? std::make_unique<dlib_step>(question) : nullptr;
}

std::unique_ptr<predictor_contestant> make_predictor(const network_question& question) {
  return std::make_unique<dlib_predictor>(question);
}

const step_entry step_enters("dlib", make_step);
const predictor_entry predictor_enters("dlib", make_predictor);

}  // namespace
}  // namespace peers
