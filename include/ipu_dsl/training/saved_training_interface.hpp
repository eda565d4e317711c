// SPDX-License-Identifier: MIT
// Files that training goes on from: what there is, without the code for them.
#pragma once

#include <string>

#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/core/inline.hpp>
#include <ipu_dsl/core/non_finite.hpp>
#include <ipu_dsl/training/session_engine.hpp>
#include <ipu_dsl/vocabulary/optimizers/learning_rate_schedule.hpp>

namespace ipu_dsl {

/// The constant rates of the epoch at hand around the callbacks that it began with: who goes on in
/// the midst of it calls them again.
struct epoch_rates {
  bool known = false;
  float before = 0;
  float behind = 0;
};

/// What is saved and loaded of what a session does not own.
struct training_beside {
  feed_reference* source = nullptr;        ///< whose position goes along; a `placed_feed`
  learning_rate_schedule* rate = nullptr;  ///< which goes along where it is a constant
  epoch_rates* epoch = nullptr;            ///< go along where they are known
  bool of_fit = false;                     ///< what is loaded has to say where a fit stood
  bool backup = false;                     ///< by `backup_and_restore`, whose own files these are
};

/// Writes what training goes on from: weights and states, what the optimizer keeps beside them
/// ("logits/kernel/momentum"), how many updates and samples there were, the seed, the values of its
/// runs, as of `set<"temperature">`, and the shapes of all of it to read. Called by a callback of
/// `fit`, where the fit stands in its epoch and its data as well, unless its feed does not say.
/// The numbers of the optimizer are the program's. Throws `error` if the file cannot be written,
/// which leaves the old one, between `compute_gradients` and `apply_gradients`, for a feed that
/// does not say where it stands, and as `save_weights` does.
IPU_DSL_INLINE void save_training(session_engine& engine, const std::string& path,
                                  non_finite floats = non_finite::refused,
                                  const training_beside& beside = {});

/// Reads what `save_training` wrote of a session of the same model, optimizer and seed; `fit` goes
/// on where one stood if it is asked to resume. Gradients that were not applied are dropped. Throws
/// `error` as `load_weights` does, for another seed and another version; nothing is changed then.
IPU_DSL_INLINE void load_training(session_engine& engine, const std::string& path,
                                  non_finite floats = non_finite::refused,
                                  const training_beside& beside = {});

}  // namespace ipu_dsl
