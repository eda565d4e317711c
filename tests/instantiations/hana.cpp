// SPDX-License-Identifier: MIT
// What the face of Boost.Hana instantiates: layers both ways, weights by name, a walk over them.
#include <boost/hana/for_each.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/transform.hpp>

#include <ipu_dsl/hana/layers.hpp>
#include <ipu_dsl/hana/weights.hpp>
#include <ipu_dsl/interface.hpp>

using namespace ipu_dsl;
using namespace ipu_dsl::literals;

struct mlp : model<input<8>, pipeline<stage<Dense<16, relu>>, stage<named<"logits", Dense<4>>>>> {};

struct training
    : compile<mlp, micro_batch<8>, gradient_accumulation<4>, grouped,
              loss<sparse_categorical_crossentropy>, metrics<accuracy>, optimizer<sgd<momentum>>> {
};

extern template struct ipu_dsl::session_code<training>;

[[maybe_unused]] constexpr auto models =
    boost::hana::transform(boost::hana::tuple_c<int, 16, 32, 64>, [](auto width) {
      return model_of<mlp::input_type>(boost::hana::tuple_t<Dense<width(), relu>, Dense<4>>);
    });

std::size_t count_values(session<training>& run) {
  std::size_t count = weights(run)["logits"_s]["kernel"_s].size;
  boost::hana::for_each(weights(run), [&](const auto& layer) {
    boost::hana::for_each(boost::hana::second(layer), [&](const auto& weight) {
      count += boost::hana::second(weight).get().size();
    });
  });
  return count;
}
