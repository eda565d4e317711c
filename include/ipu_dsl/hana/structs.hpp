// SPDX-License-Identifier: MIT
// Opt-in, needs Boost.Hana: settings and results as its Structs, whose members have names.
#pragma once

#include <string_view>
#include <type_traits>

#include <boost/hana/accessors.hpp>
#include <boost/hana/adapt_struct.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/tuple.hpp>

#include <ipu_dsl/training/history.hpp>
#include <ipu_dsl/training/session_options.hpp>
#include <ipu_dsl/vocabulary/optimizers/adadelta.hpp>
#include <ipu_dsl/vocabulary/optimizers/adagrad.hpp>
#include <ipu_dsl/vocabulary/optimizers/adam.hpp>
#include <ipu_dsl/vocabulary/optimizers/adamax.hpp>
#include <ipu_dsl/vocabulary/optimizers/adamw.hpp>
#include <ipu_dsl/vocabulary/optimizers/ftrl.hpp>
#include <ipu_dsl/vocabulary/optimizers/lamb.hpp>
#include <ipu_dsl/vocabulary/optimizers/lion.hpp>
#include <ipu_dsl/vocabulary/optimizers/nadam.hpp>
#include <ipu_dsl/vocabulary/optimizers/rmsprop.hpp>
#include <ipu_dsl/vocabulary/optimizers/sgd.hpp>

// How long to train, how a session runs, and how far it has come.
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::fit_options, epochs, steps_per_epoch, steps_per_execution,
                        initial_epoch, validation_frequency, validation_split, step, resume);
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::session_options, threads, shared_from, pinned, seed,
                        poison_freed_slots, trace, history_epochs, history_micro_batches);
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::pinning, processors);
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::training_progress, updates, samples);

// What is found.
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::evaluation, loss, metrics, samples);
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::epoch_record, epoch, loss, metrics, seconds, samples, validation,
                        validated_every);
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::execution_record, epoch, steps, loss, epoch_loss, metrics);

// The numbers of optimizers.
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::adadelta_settings, learning_rate, rho, epsilon);
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::adagrad_settings, learning_rate, initial_accumulator_value,
                        epsilon);
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::adam_settings, learning_rate, beta_1, beta_2, epsilon);
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::adamax_settings, learning_rate, beta_1, beta_2, epsilon);
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::adamw_settings, learning_rate, weight_decay, beta_1, beta_2,
                        epsilon);
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::ftrl_settings, learning_rate, initial_accumulator_value,
                        l1_regularization_strength, l2_regularization_strength,
                        l2_shrinkage_regularization_strength, beta);
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::lamb_settings, learning_rate, beta_1, beta_2, epsilon,
                        weight_decay);
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::lion_settings, learning_rate, beta_1, beta_2);
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::nadam_settings, learning_rate, beta_1, beta_2, epsilon);
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::rmsprop<>::settings, learning_rate, rho, epsilon);
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::rmsprop<ipu_dsl::centered>::settings, learning_rate, rho, epsilon);
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::rmsprop<ipu_dsl::momentum>::settings, learning_rate, rho, momentum,
                        epsilon);
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::rmsprop_momentum_settings<
                            ipu_dsl::update_rule<&ipu_dsl::rmsprop_centered_momentum_family>::type>,
                        learning_rate, rho, momentum, epsilon);
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::sgd_settings, learning_rate);
BOOST_HANA_ADAPT_STRUCT(ipu_dsl::sgd_momentum_settings, learning_rate, momentum);

namespace ipu_dsl {

/// Calls a function with the name and the member of every member of a Struct of Hana's, in order:
/// with the member itself, which it may change, where Hana's own algorithms hand out copies.
///
///   for_each_member(settings, [](std::string_view name, auto& member) { ... });
template <typename Struct, typename Visitor>
constexpr void for_each_member(Struct& object, Visitor&& visitor) {
  boost::hana::for_each(boost::hana::accessors<std::remove_const_t<Struct>>(),
                        [&](const auto& accessor) {
                          const std::string_view name = boost::hana::first(accessor).c_str();
                          visitor(name, boost::hana::second(accessor)(object));
                        });
}

}  // namespace ipu_dsl
