// SPDX-License-Identifier: MIT
// Settings of optimizers and options of sessions by names that they have elsewhere.
#pragma once

#include <concepts>

#include <ipu_dsl/training/options_elsewhere.hpp>

namespace ipu_dsl {

/// Settings of any optimizer, with the names of Keras and of PyTorch, in the order in which they
/// are mostly written; and what stands in the second pair of braces. Who takes it is a template:
/// where the settings of the optimizer can be meant, those are.
struct settings_elsewhere {
  /// Nothing without a name is taken for this struct.
  struct by_name {
  } names_only = {};

  any_option learning_rate = {}, lr = {}, rate = {}, initial_learning_rate = {};
  any_option rho = {}, alpha = {}, momentum = {}, dampening = {};
  any_option beta_1 = {}, beta_2 = {}, beta1 = {}, beta2 = {}, betas = {};
  any_option epsilon = {}, eps = {}, weight_decay = {}, decay = {};
  any_option nesterov = {}, amsgrad = {}, centered = {};
  any_option clipnorm = {}, clipvalue = {}, global_clipnorm = {}, use_ema = {}, ema_momentum = {};
  any_option threads = {}, num_threads = {}, workers = {}, seed = {}, trace = {}, device = {};
  any_option batch_size = {}, micro_batch = {}, epochs = {}, replicas = {};
};

/// Options of a session, in the same way.
struct session_options_elsewhere {
  struct by_name {
  } names_only = {};

  any_option learning_rate = {}, lr = {}, momentum = {};
  any_option thread = {}, threads = {}, num_threads = {}, thread_count = {}, workers = {},
             num_workers = {};
  any_option shared_from = {}, pinned = {}, seed = {}, random_seed = {};
  any_option replicas = {}, devices = {}, num_devices = {}, device = {}, target = {};
  any_option poison_freed_slots = {}, trace = {}, tracing = {}, profile = {}, verbose = {};
  any_option history_epochs = {}, history_micro_batches = {};
  any_option batch_size = {}, micro_batch = {}, epochs = {};
};

/// Numbers of processors in one pair of braces, or one without any; `{{0, 1}}` is not taken.
struct processors_in_one_pair {
  template <std::integral... Processors>
    requires(sizeof...(Processors) > 0)
  constexpr processors_in_one_pair(Processors...) {}
};

/// `session_options` whose processors lack a pair of braces, and nothing but such options.
struct session_options_with_one_pair {
  struct by_name {
  } names_only = {};

  any_option threads = {}, shared_from = {};
  processors_in_one_pair pinned;
  any_option seed = {}, poison_freed_slots = {}, trace = {};
  any_option history_epochs = {}, history_micro_batches = {};
};

/// `session_options` with a path where a bool is wanted; see `text_alone`.
struct trace_is_true_and_last_trace_is_written {
  struct by_name {
  } names_only = {};

  any_option threads = {}, shared_from = {}, pinned = {}, seed = {}, poison_freed_slots = {};
  text_alone trace;
  any_option history_epochs = {}, history_micro_batches = {};
};

}  // namespace ipu_dsl
