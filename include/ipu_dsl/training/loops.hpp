// SPDX-License-Identifier: MIT
// Loops around a model: so many iterations, or as long as something holds, with what is carried
// from one to the next.
// Over 300 lines: each loop with and without a feed and an outfeed.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/core/feed_fault.hpp>
#include <ipu_dsl/data/batch_feed.hpp>
#include <ipu_dsl/plan/compile.hpp>
#include <ipu_dsl/training/outfeed.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// What is wrong with carrying so many values through a compiled model: an iteration makes of them
/// what the next one gets.
template <compiled_model C, std::int32_t Carried>
struct carried_fault_of {
  static constexpr problem find() {
    const model_interface model = interface_of(planned_graph_of<C>.view());
    problem found;
    if (Carried < 1 || Carried > model.inputs || Carried > model.output_count) {
      found = refuse("as many carried values as the model has inputs and outputs, or fewer",
                     label() << Carried << " of " << model.inputs << " inputs and "
                             << model.output_count << " outputs");
    }
    for (std::int32_t i = 0; i < Carried && !found.found(); ++i) {
      if (model.sources[i].type != dtype::float32) {
        found = refuse("carried values of float32",
                       label() << "input " << i << " of " << name_of(model.sources[i].type));
      } else if (!(model.sources[i].extents == model.outputs[i])) {
        found = refuse(label("output ") << i << " shaped like input " << i << ", "
                                        << describe(model.sources[i].extents),
                       describe(model.outputs[i]),
                       "the first outputs are the first inputs of the next iteration");
      }
    }
    found.where = "the carried values of a loop";
    return found;
  }

  static constexpr problem value = find();
};

/// What is wrong with a number of iterations.
template <std::int64_t Times>
struct iterations_fault_of {
  static constexpr problem find() {
    problem found;
    if (Times < 0) {
      found = refuse("0 iterations or more", label() << Times);
      found.where = "repeat";
    }
    return found;
  }

  static constexpr problem value = find();
};

/// Values that are carried from iteration to iteration: of each [micro_batch, elements], in the
/// caller's memory, where the last ones are when the loop ends.
template <std::size_t Carried>
using carried_values = std::array<std::span<float>, Carried>;

template <typename T>
inline constexpr bool is_carried = false;

template <std::size_t Carried>
inline constexpr bool is_carried<carried_values<Carried>> = true;

/// The sources of one iteration: what is carried, then a micro-batch of a feed if there is one.
template <std::size_t Carried>
class iteration_feed {
 public:
  /// What is carried has the first of these forms.
  iteration_feed(const carried_values<Carried>& carried, std::span<const source_form> forms,
                 feed_reference* others)
      : carried_(&carried), forms_(forms), others_(others) {}

  std::int32_t next(const feed_rows& rows, const stop_token& stop = {}) {
    std::int32_t valid = rows.micro_batch;
    if (others_ != nullptr) {
      valid = others_->next({rows.sources.subspan(Carried), rows.micro_batch}, stop);
    }
    for (std::size_t i = 0; i < Carried; ++i) {
      const auto elements = static_cast<std::size_t>(forms_[i].elements);
      for (std::int32_t row = 0; row < valid; ++row) {
        const float* const from = (*carried_)[i].data() + elements * static_cast<std::size_t>(row);
        std::copy_n(from, elements, rows.sources[i].floats(row).data());
      }
      feeds::clear_unused(rows.sources[i], rows.micro_batch, valid);
    }
    return valid;
  }

  void restart() {}

  void wake() noexcept {
    if (others_ != nullptr) {
      others_->wake();
    }
  }

  std::span<const source_form> sources() const { return forms_; }

  std::optional<std::int64_t> length() const { return std::nullopt; }

 private:
  const carried_values<Carried>* carried_;
  std::span<const source_form> forms_;
  feed_reference* others_;
};

/// One iteration after the other through a compiled model, whose first inputs are what is carried,
/// the others a feed's; its first outputs are carried on. All outputs go to an outfeed as well, if
/// there is one. Each iteration is a run of the model: what decides whether there is another one is
/// asked on the host, in between.
template <compiled_model C, std::size_t Carried>
class carried_loop final : private output_listener {
  using compiled = typename C::compiled;
  static constexpr model_interface model = interface_of(planned_graph_of<compiled>.view());

 public:
  /// Throws `error` if a carried value is not [micro_batch, elements].
  carried_loop(session<C>& run, const carried_values<Carried>& carried)
      : run_(&run), carried_(carried) {
    static_assert(diagnose<carried_fault_of<compiled, static_cast<std::int32_t>(Carried)>>());
    for (std::size_t i = 0; i < Carried; ++i) {
      forms_[i] = {model.sources[i].type, model.sources[i].extents.elements(), 0};
      const std::size_t expected = numbers_of(i);
      if (carried_[i].size() != expected) {
        raise_error({"The carried value ", i, " of a micro-batch of ",
                     compiled::settings.micro_batch, " has ", expected, " numbers, got ",
                     carried_[i].size(), "."});
      }
    }
  }

  /// The other inputs come from here.
  void take_from(feed_reference& others) {
    others_ = &others;
    for (const source_form& each : others.sources()) {
      if (sources_ < forms_.size()) {
        forms_[sources_] = each;
        ++sources_;
      }
    }
  }

  /// All outputs of every iteration go here as well.
  void hand_to(output_outfeed<C>& results) { results_ = &results; }

  /// Throws `error` if an outfeed has no room for so many iterations and nobody reads.
  void expect(std::int64_t iterations) { results_->expect_outputs(iterations); }

  /// One iteration. False if the feed has come to its end; nothing is changed then.
  bool step() {
    iteration_feed<Carried> feed(carried_, {forms_.data(), sources_}, others_);
    return run_->hand_out(feed, 1, static_cast<output_listener&>(*this)) == 1;
  }

 private:
  static std::size_t numbers_of(std::size_t output) {
    return static_cast<std::size_t>(compiled::settings.micro_batch) *
           static_cast<std::size_t>(model.outputs[output].elements());
  }

  void expect_outputs(std::int64_t elements) override { results_->expect_outputs(elements); }

  list_view<float*> rows() override { return results_->rows(); }

  /// Of a short micro-batch the rows behind its samples stay what they were.
  void take_outputs(std::int32_t micro_batch, std::int32_t samples) override {
    for (std::size_t i = 0; i < Carried; ++i) {
      const std::size_t sample = numbers_of(i) / compiled::settings.micro_batch;
      const float* const made = rows()[i] + numbers_of(i) * static_cast<std::size_t>(micro_batch);
      std::copy_n(made, sample * static_cast<std::size_t>(samples), carried_[i].data());
    }
    results_->take_outputs(micro_batch, samples);
  }

  session<C>* run_;
  carried_values<Carried> carried_;
  std::array<source_form, most_sources> forms_{};
  std::size_t sources_ = Carried;
  feed_reference* others_ = nullptr;
  output_outfeed<C> unread_{{.mode = outfeed_mode::last}};  ///< where nobody wants the outputs
  output_outfeed<C>* results_ = &unread_;
};

/// A reference to a feed; data that are none are one compile error, and nothing more is said.
template <typename Feed>
feed_reference reference_to(Feed& infeed) {
  static_assert(check_feed_wanted<Feed>());
  if constexpr (feed<Feed>) {
    return feed_reference(infeed);
  } else {
    return refused_feed();
  }
}

/// `Times` iterations of the model on the next micro-batches of a feed; an element of the outfeed
/// each. None advance nothing. Throws `error` if the feed ends before the last of them; the
/// iterations before stand in the outfeed then.
template <std::int64_t Times, compiled_model C, typename Feed>
  requires(!is_carried<std::remove_const_t<Feed>>)
void repeat(session<C>& run, Feed& infeed, output_outfeed<C>& results) {
  static_assert(diagnose<iterations_fault_of<Times>>());
  static_assert(check_feed_wanted<Feed>());
  const std::int64_t done = run.hand_out(infeed, Times, results);
  if (done < Times) {
    raise_error({"The data ended behind ", done, " of ", Times, " iterations."});
  }
}

/// So many iterations of a loop. Throws `error` if its feed ends before the last.
template <std::int64_t Times, compiled_model C, std::size_t Carried>
void run_iterations(carried_loop<C, Carried>& loop) {
  static_assert(diagnose<iterations_fault_of<Times>>());
  loop.expect(Times);
  for (std::int64_t i = 0; i < Times; ++i) {
    if (!loop.step()) {
      raise_error({"The data ended behind ", i, " of ", Times, " iterations."});
    }
  }
}

/// The same with carried values: the first inputs of the first iteration, and in their place in
/// the end the first outputs of the last one.
template <std::int64_t Times, compiled_model C, std::size_t Carried>
void repeat(session<C>& run, const carried_values<Carried>& carried) {
  carried_loop<C, Carried> loop(run, carried);
  run_iterations<Times>(loop);
}

/// The same with an outfeed of all outputs.
template <std::int64_t Times, compiled_model C, std::size_t Carried>
void repeat(session<C>& run, const carried_values<Carried>& carried, output_outfeed<C>& results) {
  carried_loop<C, Carried> loop(run, carried);
  loop.hand_to(results);
  run_iterations<Times>(loop);
}

/// The same with a feed for the other inputs, and an outfeed of all outputs. Throws `error` if the
/// feed ends before the last iteration; what is carried is that of the ones before then.
template <std::int64_t Times, compiled_model C, std::size_t Carried, typename Feed>
void repeat(session<C>& run, const carried_values<Carried>& carried, Feed& infeed,
            output_outfeed<C>& results) {
  carried_loop<C, Carried> loop(run, carried);
  auto others = reference_to(infeed);
  loop.take_from(others);
  loop.hand_to(results);
  run_iterations<Times>(loop);
}

/// Iterations of a loop as long as `holds(carried)` is true; returns how many there were. Throws
/// `error` if its feed ends before.
template <compiled_model C, std::size_t Carried, typename Predicate>
std::int64_t run_while(carried_loop<C, Carried>& loop, const carried_values<Carried>& carried,
                       Predicate& holds) {
  std::int64_t iterations = 0;
  while (holds(carried)) {
    if (!loop.step()) {
      raise_error({"The data ended behind ", iterations, " iterations, and the loop would go on."});
    }
    ++iterations;
  }
  return iterations;
}

/// Iterations as long as `holds(carried)` is true, which is asked before each: a loop of 0
/// iterations leaves what is carried. Returns how many there were. The predicate runs on the host,
/// between two runs of the model, and reads what the last one carried on.
template <compiled_model C, std::size_t Carried, typename Predicate>
  requires std::predicate<Predicate&, const carried_values<Carried>&>
std::int64_t repeat_while(session<C>& run, const carried_values<Carried>& carried,
                          Predicate holds) {
  carried_loop<C, Carried> loop(run, carried);
  return run_while(loop, carried, holds);
}

/// The same with an outfeed of all outputs, which needs a reader on another thread unless it has
/// room for them: how many there will be is not known.
template <compiled_model C, std::size_t Carried, typename Predicate>
  requires std::predicate<Predicate&, const carried_values<Carried>&>
std::int64_t repeat_while(session<C>& run, const carried_values<Carried>& carried, Predicate holds,
                          output_outfeed<C>& results) {
  carried_loop<C, Carried> loop(run, carried);
  loop.hand_to(results);
  return run_while(loop, carried, holds);
}

/// The same with a feed for the other inputs as well. Throws `error` if the feed ends while the
/// predicate holds.
template <compiled_model C, std::size_t Carried, typename Predicate, typename Feed>
  requires std::predicate<Predicate&, const carried_values<Carried>&>
std::int64_t repeat_while(session<C>& run, const carried_values<Carried>& carried, Predicate holds,
                          Feed& infeed, output_outfeed<C>& results) {
  carried_loop<C, Carried> loop(run, carried);
  auto others = reference_to(infeed);
  loop.take_from(others);
  loop.hand_to(results);
  return run_while(loop, carried, holds);
}

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
