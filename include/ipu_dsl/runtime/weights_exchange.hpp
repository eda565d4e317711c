// SPDX-License-Identifier: MIT
// New weights for predictors that run, from another thread and without a lock.
#pragma once

#include <atomic>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/runtime/prediction_faults.hpp>
#include <ipu_dsl/runtime/weights.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Two sets of weights that go to and fro between a thread that writes them and one that predicts.
/// At any time a set belongs to one of the two threads, so that none is ever written while it is
/// read, and none dies: both must outlive the exchange and its predictors. Nothing here waits or
/// takes memory, and nothing but the constructor throws.
///
///   weights_of<mlp> first, second;
///   predictor<mlp> classify(first);
///   weights_exchange<mlp> exchange(first, second);
///
///   // The thread that predicts, between two calls:
///   exchange.update(classify);
///
///   // The thread that has new weights:
///   if (weights_of<mlp>* spare = exchange.spare()) {
///     spare->copy_from(run.weights());
///     exchange.offer();
///   }
template <model_type M>
class weights_exchange {
  static_assert(std::atomic<weights_of<M>*>::is_always_lock_free,
                "weights_exchange: this processor has no atomic pointers without a lock");

 public:
  /// `current` is what the predictors read, `spare` what is written next. Throws `error` if both
  /// are the same: it would be written while it is read.
  weights_exchange(weights_of<M>& current, weights_of<M>& spare)
      : current_(&current), spare_(&spare) {
    if (&current == &spare) {
      raise_error("weights_exchange: expected two sets of weights, got the same one twice.");
    }
  }

  /// Weights of another model, constant or temporary ones are a compile error.
  template <typename Current, typename Spare>
  weights_exchange(const weights_of<Current>&, const weights_of<Spare>&) {
    static_assert(diagnose<exchanged_weights_fault_of<M, Current, Spare>>());
  }

  /// For the thread that writes: the set that no predictor reads, to be changed at leisure. Null
  /// while the set offered last has not been taken, or the one before it not been given back.
  weights_of<M>* spare() noexcept {
    if (spare_ == nullptr) {
      spare_ = returned_.exchange(nullptr, std::memory_order_acquire);
    }
    return spare_;
  }

  /// For the thread that writes: hands the spare set over; it must not be touched from here on.
  /// False, and nothing happens, if there is none.
  bool offer() noexcept {
    if (spare() == nullptr) {
      return false;
    }
    offered_.store(spare_, std::memory_order_release);
    spare_ = nullptr;
    return true;
  }

  /// For the thread that predicts: if a set was offered, the predictors read it from now on, and
  /// the set before goes back. Name all predictors that read it. Whether there was one. The first
  /// call gives them `current` at least: before it they must not read the spare set.
  template <typename... Predictors>
  bool update(Predictors&... predictors) noexcept {
    static_assert(sizeof...(Predictors) > 0,
                  "weights_exchange::update: expected the predictors that read the weights");
    weights_of<M>* const next = offered_.exchange(nullptr, std::memory_order_acquire);
    if (next == nullptr) {
      if (!given_) {
        (predictors.use(*current_), ...);
        given_ = true;
      }
      return false;
    }
    given_ = true;
    (predictors.use(*next), ...);
    returned_.store(current_, std::memory_order_release);
    current_ = next;
    return true;
  }

 private:
  weights_of<M>* current_ = nullptr;  ///< of the thread that predicts
  bool given_ = false;  ///< whether the predictors read `current_`; of the same thread
  std::atomic<weights_of<M>*> offered_ = nullptr;
  std::atomic<weights_of<M>*> returned_ = nullptr;
  weights_of<M>* spare_ = nullptr;  ///< of the thread that writes
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
