// SPDX-License-Identifier: MIT
// What a session refuses before it starts: data of another shape, steps that do not divide.
// Over 300 lines: one rule a function, with its sentence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include <ipu_dsl/core/checked.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/sentence_of.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/plan/model_interface.hpp>
#include <ipu_dsl/plan/run_settings.hpp>
#include <ipu_dsl/training/session_options.hpp>

namespace ipu_dsl {

/// The steps of an epoch, and of each execution that it divides into.
struct epoch_steps {
  std::int64_t steps = 0;
  std::int64_t of_execution = 0;
};

/// What a source of a model is called in a sentence; inputs come before targets, and these before
/// weights.
inline const char* name_of_source(std::size_t number, const model_interface& model) {
  const auto place = static_cast<std::int32_t>(number);
  if (place < model.inputs) {
    return "input";
  }
  return place < model.inputs + model.targets ? "target" : "sample weight";
}

/// Throws `error` unless a source of the feed is what the model wants in its place.
[[gnu::cold]] inline void check_source(const source_interface& wanted, const source_form& given,
                                       const char* name) {
  if (given.type != wanted.type) {
    raise_error({"The model's ", name, " is ", name_of(wanted.type), ", the data's is ",
                 name_of(given.type), "."});
  }
  if (given.elements != wanted.extents.elements()) {
    raise_error({"A sample of the model's ", name, " ", describe(wanted.extents), " has ",
                 wanted.extents.elements(), " values, the data's has ", given.elements, "."});
  }
  if (wanted.type == dtype::int32 && given.classes < 1) {
    raise_error({"The model knows ", wanted.classes, " classes of its ", name,
                 ", the data's source says none. Hint: that of a feed of one's own is "
                 "{dtype::int32, ",
                 given.elements, ", ", wanted.classes, "}."});
  }
  if (wanted.type == dtype::int32 && given.classes > wanted.classes) {
    raise_error({"The model knows ", wanted.classes, " classes of its ", name,
                 ", that of the data has ", given.classes, "."});
  }
}

/// Throws `error` if a feed gives more or fewer sources than a program wants. Who asks for inputs
/// alone leaves targets lying.
[[gnu::cold]] inline void check_source_count(std::size_t given, const model_interface& model,
                                             bool with_targets) {
  const std::size_t wanted = model.wanted(with_targets).size();
  if (given < wanted || (with_targets && given > wanted)) {
    raise_error({"A feed gives ", given, given == 1 ? " source" : " sources", ", the model wants ",
                 wanted, ": its input, then its target",
                 with_targets && model.weights > 0 ? ", then what a sample counts." : "."});
  }
}

/// Throws `error` unless a feed has the samples of one update.
inline void check_samples_of_update(const feed_reference& source, std::int64_t wanted) {
  const std::int64_t given = source.length().value_or(-1);
  if (given != wanted) {
    raise_error({"An update takes ", wanted, " samples, got ", given, "."});
  }
}

/// Throws `error` unless the feed gives what a program wants, and as many samples as there can be.
[[gnu::cold]] inline void check_sources(const model_interface& model, const feed_reference& source,
                                        bool with_targets) {
  const list_view<source_interface> wanted = model.wanted(with_targets);
  check_source_count(source.sources().size(), model, with_targets);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    check_source(wanted[i], source.sources()[i], name_of_source(i, model));
  }
  if (source.length().value_or(0) < 0) {
    raise_error({"A feed has 0 samples or more, its length() is ", *source.length(), "."});
  }
}

/// Throws `error` unless the model has a loss, and the feed samples and targets that fit it.
inline void check_feed(const model_interface& model, const run_settings& settings,
                       const feed_reference& source) {
  if (!settings.has_loss) {
    raise_error("This model was compiled without a loss: it can predict, not train or evaluate.");
  }
  check_sources(model, source, true);
}

/// Throws `error` for data without an end, for `what` would never return.
[[gnu::cold]] inline void require_end(const feed_reference& source, const char* what) {
  if (!source.length()) {
    raise_error({what,
                 " needs data with an end; these have none, as behind repeated() and of "
                 "from_generator without a count of samples."});
  }
}

namespace step_rules {

/// " Use 8 or 12 steps."; a count of 0 is no alternative.
[[gnu::cold]] inline std::string use(std::int64_t below, std::int64_t above) {
  if (below > 0 && above > 0) {
    return sentence_of({" Use ", below, " or ", above, " steps."});
  }
  return sentence_of({" Use ", below > 0 ? below : above, " steps."});
}

/// The executions next to `wanted` that divide an epoch of whole updates and hold such themselves:
/// updates come in divisors of their number. Each divisor up to its root has a partner beyond it.
/// Of more than 10^12 updates only a million are tried, and those next to `wanted` may be missed.
[[gnu::cold]] inline std::string use_execution(std::int64_t steps, std::int64_t wanted,
                                               std::int64_t accumulated) {
  constexpr std::int64_t most_tried = 1'000'000;
  const std::int64_t updates = steps / accumulated;
  std::int64_t below = 0;
  std::int64_t above = 0;
  for (std::int64_t divisor = 1; divisor <= most_tried && divisor <= updates / divisor; ++divisor) {
    if (updates % divisor != 0) {
      continue;
    }
    for (const std::int64_t found : {divisor, updates / divisor}) {
      const std::int64_t length = found * accumulated;
      below = length < wanted ? (std::max)(length, below) : below;
      above = length > wanted && (above == 0 || length < above) ? length : above;
    }
  }
  return use(below, above);
}

/// The micro-batches of an update, and the options that say how many.
struct update_size {
  std::int64_t micro_batches = 1;
  const char* options = "gradient_accumulation";
  std::int64_t of_step = 1;  ///< micro-batches of a step in which steps are counted
};

inline update_size size_of_update(const run_settings& settings, step_unit unit) {
  const std::int64_t accumulated = settings.micro_batches_of_update();
  return {accumulated,
          settings.replicas > 1 ? "gradient_accumulation x replicas" : "gradient_accumulation",
          unit == step_unit::update ? accumulated : 1};
}

/// "the 8 micro-batches that make an update (gradient_accumulation x replicas)".
[[gnu::cold]] inline std::string describe(const update_size& update) {
  return sentence_of(
      {"the ", update.micro_batches, " micro-batches that make an update (", update.options, ")"});
}

[[gnu::cold]] inline std::string no_whole_updates(const char* what, std::int64_t steps,
                                                  const update_size& update) {
  return sentence_of({what, " of ", steps, " steps is no multiple of ", describe(update), "."});
}

/// The steps of an epoch: those asked for, or those of one pass over the data.
[[gnu::cold]] inline std::int64_t steps_of_epoch(const feed_reference& source,
                                                 const fit_options& wanted,
                                                 std::int64_t micro_batch) {
  if (wanted.steps_per_epoch > 0) {
    return wanted.steps_per_epoch;
  }
  if (!source.length()) {
    raise_error("Data without an end have no length of an epoch: say steps_per_epoch.");
  }
  if (*source.length() < micro_batch) {
    raise_error({"The data have ", *source.length(), " samples, a micro-batch has ", micro_batch,
                 ": compile with a smaller micro_batch, or repeat the data and say "
                 "steps_per_epoch."});
  }
  return *source.length() / micro_batch;
}

/// A pass over the data is a whole number of updates.
[[gnu::cold]] inline void check_pass(const feed_reference& source, std::int64_t steps,
                                     const update_size& update) {
  const std::int64_t accumulated = update.micro_batches;
  if (steps % accumulated == 0) {
    return;
  }
  const std::int64_t whole = steps / accumulated * accumulated;
  raise_error({"One pass over ", *source.length(), " samples is ",
               how_many(steps, update.of_step > 1 ? "micro-batch" : "step").view(),
               ", no multiple of ", describe(update),
               whole > 0 ? ". Say" : ". Repeat the data, and say",
               " steps_per_epoch = ", (whole > 0 ? whole : accumulated) / update.of_step, "."});
}

/// An epoch divides into executions, an execution into updates.
[[gnu::cold]] inline void check_divisions(std::int64_t steps, std::int64_t execution,
                                          const update_size& update) {
  const std::int64_t accumulated = update.micro_batches;
  if (steps % accumulated != 0) {
    const std::int64_t below = steps / accumulated * accumulated;
    const bool countable = below <= (std::numeric_limits<std::int64_t>::max)() - accumulated;
    raise_error({no_whole_updates("An epoch", steps, update),
                 use(below, countable ? below + accumulated : 0)});
  }
  if (execution < 1) {
    raise_error({"steps_per_execution is a number of steps of at least 1, got ",
                 execution / update.of_step, "."});
  }
  if (steps % execution != 0) {
    const std::int64_t of_step = update.of_step;
    raise_error({"An epoch of ", steps / of_step, " steps does not divide into executions of ",
                 execution / of_step, " steps.",
                 use_execution(steps / of_step, execution / of_step, accumulated / of_step)});
  }
  if (execution % accumulated != 0) {
    raise_error({no_whole_updates("An execution", execution, update),
                 use_execution(steps, execution, accumulated)});
  }
}

/// What stands behind their number.
inline const char* epochs_of(std::int64_t epochs) {
  return epochs == 1 ? " epoch of " : " epochs of ";
}

/// The samples of so many epochs of so many steps. Throws `error` if they cannot be counted.
inline std::int64_t samples_of(std::int64_t epochs, std::int64_t steps, std::int64_t micro_batch) {
  const std::optional<std::int64_t> samples =
      checked_product(checked_product(steps, micro_batch), epochs);
  if (!samples) {
    raise_error({epochs, epochs_of(epochs), steps, " steps of ", micro_batch,
                 " samples are more samples than 64 bits can count."});
  }
  return *samples;
}

}  // namespace step_rules

/// Throws `error` unless the epochs can be counted up to, and have steps.
[[gnu::cold]] inline void check_epochs(const fit_options& wanted) {
  if (wanted.epochs < 1) {
    raise_error({"fit needs at least 1 epoch, got ", wanted.epochs, "."});
  }
  if (wanted.initial_epoch < 0 || wanted.initial_epoch > wanted.epochs) {
    raise_error({"fit of ", wanted.epochs, " epochs begins with epoch 0 to ", wanted.epochs,
                 ", initial_epoch is ", wanted.initial_epoch, "."});
  }
  if (wanted.steps_per_epoch < 0) {
    raise_error({"An epoch needs at least 1 step, or 0 for a pass over the data, got ",
                 wanted.steps_per_epoch, "."});
  }
}

/// What is asked for in steps of micro-batches. Throws `error` if they are too many to count.
inline fit_options in_micro_batches(const fit_options& wanted, std::int64_t of_update) {
  fit_options made = wanted;
  if (wanted.step == step_unit::update) {
    const auto epoch = checked_product(wanted.steps_per_epoch, of_update);
    const auto execution = checked_product(wanted.steps_per_execution, of_update);
    if (!epoch || !execution) {
      raise_error({"Steps of ", of_update, " micro-batches each: an epoch of ",
                   wanted.steps_per_epoch, " and an execution of ", wanted.steps_per_execution,
                   " are more than 64 bits can count."});
    }
    made.steps_per_epoch = *epoch;
    made.steps_per_execution = *execution;
  }
  return made;
}

/// The rules of the reference for steps, the data last. Returns the steps of an epoch; throws
/// `error` otherwise, before anything runs.
[[gnu::cold]] inline epoch_steps steps_of_epoch(const model_interface& model,
                                                const run_settings& settings,
                                                const feed_reference& source,
                                                const fit_options& asked) {
  check_feed(model, settings, source);
  check_epochs(asked);
  const fit_options wanted = in_micro_batches(asked, settings.micro_batches_of_update());
  if (source.length() == 0) {
    raise_error("fit got no samples; expected at least 1.");
  }
  const std::int64_t steps = step_rules::steps_of_epoch(source, wanted, settings.micro_batch);
  const std::int64_t execution =
      wanted.steps_per_execution == 0 ? steps : (std::min)(wanted.steps_per_execution, steps);
  const step_rules::update_size update = step_rules::size_of_update(settings, wanted.step);
  if (wanted.steps_per_epoch == 0) {
    step_rules::check_pass(source, steps, update);
  }
  step_rules::check_divisions(steps, execution, update);
  // Epochs without a number of steps are passes: each begins the data anew.
  const std::int64_t epochs = wanted.epochs - wanted.initial_epoch;
  const std::int64_t passes = wanted.steps_per_epoch == 0 ? 1 : epochs;
  const std::int64_t said = steps / update.of_step;
  const std::int64_t of_step = settings.micro_batch * update.of_step;
  const std::int64_t needed = step_rules::samples_of(passes, said, of_step);
  if (source.length() && *source.length() < needed) {
    raise_error({"The data have ", *source.length(), " samples, ", epochs,
                 step_rules::epochs_of(epochs), said, " steps of ", of_step, " samples need ",
                 needed, ". Repeat the data: data | repeated()."});
  }
  return {steps, execution};
}

/// Throws `error` unless predictions of so many samples fill the room that there is for an output.
[[gnu::cold]] inline void check_room(std::int64_t samples, const shape& output, std::size_t room) {
  const std::optional<std::int64_t> values = checked_product(samples, output.elements());
  if (!values) {
    raise_error({"predict of ", samples, " samples ", describe(output),
                 " writes more values than 64 bits can count."});
  }
  if (static_cast<std::size_t>(*values) != room) {
    raise_error(
        {"predict of ", samples, " samples writes ", *values, " values, got room for ", room, "."});
  }
}

/// The same for all outputs.
[[gnu::cold]] inline void check_room(const model_interface& model, std::int64_t samples,
                                     list_view<std::span<float>> outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    check_room(samples, model.outputs[i], outputs[i].size());
  }
}

/// Throws `error` unless the extents are [samples, extents of the input...] and count the values.
[[gnu::cold]] inline void check_batch(const model_interface& model, list_view<std::int64_t> extents,
                                      std::size_t values) {
  const shape& wanted = model.input().extents;
  if (extents[0] < 0) {
    raise_error({"A batch has 0 samples or more, got ", extents[0], "."});
  }
  std::optional<std::int64_t> product = extents[0];
  for (std::int32_t axis = 0; axis < wanted.rank; ++axis) {
    const std::int64_t given = extents[axis + 1];
    if (given != wanted[axis]) {
      raise_error({"A sample of the model's input is ", describe(wanted), ", axis ", axis + 1,
                   " of the batch has ", given, " instead of ", wanted[axis], "."});
    }
    product = checked_product(product, given);
  }
  if (!product) {
    raise_error({"A batch of ", extents[0], " samples ", describe(wanted),
                 " has more values than 64 bits can count."});
  }
  if (*product != static_cast<std::int64_t>(values)) {
    raise_error(
        {"A batch of ", extents[0], " samples has ", *product, " values, got ", values, "."});
  }
}

}  // namespace ipu_dsl
