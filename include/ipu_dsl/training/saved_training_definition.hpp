// SPDX-License-Identifier: MIT
// What saved_training_interface.hpp declares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ipu_dsl/formats/printable.hpp>
#include <ipu_dsl/training/checkpoint_definition.hpp>
#include <ipu_dsl/training/saved_training_interface.hpp>
#include <ipu_dsl/training/training_file.hpp>

namespace ipu_dsl {

namespace checkpoint {

/// A line for each parameter and its shape.
inline void append_lines(std::string& text, const char* what, const parameters& of) {
  text += sentence_of({what, ":\n"});
  for (std::size_t i = 0; i < of.size(); ++i) {
    text += sentence_of({"  ", of.name(i), " ", describe(of.at(i).extents), "\n"});
  }
}

/// What a person wants to know of a file whose program is lost.
inline std::string architecture_of(session_engine& engine) {
  std::string text;
  append_lines(text, "weights and states", engine.weights());
  append_lines(text, "kept by the optimizer", engine.kept());
  text += sentence_of({"updates: ", engine.progress().updates,
                       "\nsamples: ", engine.progress().samples, "\nseed: ", engine.seed(), "\n"});
  return text;
}

/// Where the fit at hand stands, or the feed that was given.
inline void add_place(zips::archive_writer& archive, const session_engine& engine,
                      const training_beside& beside) {
  training_place place;
  if (engine.tell_place(place)) {
    add_words(archive, place_name, words_of(place));
    add_words(archive, data_name, place.data);
  } else if (beside.source != nullptr) {
    add_words(archive, data_name, beside.source->position_of_feed());
  }
}

/// What is said of how far training has come. Throws `error` unless it is of this version and this
/// seed.
inline training_progress read_progress(opened_training& file, std::uint64_t seed) {
  if (!file.has(version_name)) {
    raise_error({"The file ", file.path, " has no array ", version_name,
                 ": it holds weights, not how far training has come. Load it with load."});
  }
  const list<std::uint64_t> version = file.words(version_name);
  if (version.size() != 1 || version[0] != training_version) {
    raise_error({"The file ", file.path, " has saved training of version ",
                 version.empty() ? 0 : version[0], ", this program reads version ",
                 training_version, "."});
  }
  const list<std::uint64_t> words = file.words(progress_name);
  if (words.size() != 3) {
    file.refuse_array(progress_name, "3 numbers: updates, samples and the seed");
  }
  if (words[2] != seed) {
    raise_error({"The training in ", file.path, " has the seed ", words[2],
                 ", this session the seed ", seed,
                 ", so that it cannot go on as it would have. "
                 "Hint: make the session with {.seed = ",
                 words[2], "}."});
  }
  return {words[0], words[1]};
}

/// The values of the runs by number, NaN for those that were never given.
inline list<float> read_run_values(opened_training& file, const session_engine& engine) {
  list<float> found;
  for (const run_value_interface& each : engine.run_values()) {
    const float value = file.number(name_of_value(each));
    if (is_non_finite(value) && value == value) {
      file.refuse_array(name_of_value(each), "a finite number");
    }
    found.push_back(value);
  }
  return found;
}

/// All that a file says, before anything is changed by it.
struct loaded_training {
  training_progress reached;
  list<float> weights;
  list<float> kept;
  list<float> values;  ///< of the runs
  bool has_rate = false;
  float rate = 0;
  epoch_rates epoch;
  bool has_data = false;
  feed_position data;
  bool is_backup = false;
  bool has_place = false;
  training_place place;  ///< without the position of its data
};

/// How a sentence ends that refuses training of another program.
inline constexpr const char* cannot_go_on =
    ", so that it cannot go on as it would have. Hint: load_by_name(run.weights(), path, "
    "{.partly = true}) takes its weights alone.";

/// Throws `error` for the first array that the optimizer of a session keeps and a file has not, and
/// for a file of another optimizer, whose arrays may have the same names. An older file does not
/// say which it was.
inline void check_kept(opened_training& file, session_engine& engine) {
  const std::string optimizer = file.text(optimizer_name);
  const parameters& kept = engine.kept();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!file.has(kept.name(i))) {
      raise_error({"The file ", file.path, " has no array ", kept.name(i),
                   ", which the optimizer of this session keeps: it was saved with another one. "
                   "Hint: load_by_name(run.weights(), path, {.partly = true}) takes its weights "
                   "alone."});
    }
  }
  if (!optimizer.empty() && optimizer != engine.identity().optimizer) {
    raise_error({"The training in ", file.path, " was saved with the optimizer ",
                 printable(optimizer), ", this session has ", engine.identity().optimizer,
                 cannot_go_on});
  }
}

/// Throws `error` for a file of a model or of updates whose arrays have the same names and shapes,
/// and whose numbers are others. An older file does not say.
inline void check_identity(opened_training& file, const session_engine& engine) {
  if (!file.has(identity_name)) {
    return;
  }
  const list<std::uint64_t> saved = file.words(identity_name);
  if (saved.size() != 2) {
    file.refuse_array(identity_name, "2 numbers: that of the model and the samples of an update");
  }
  const training_identity here = engine.identity();
  if (saved[0] != here.model) {
    raise_error({"The training in ", file.path,
                 " is of another model: its arrays are the same, but a layer, an option of one, a "
                 "loss or mean_gradients is not",
                 cannot_go_on});
  }
  if (saved[1] != static_cast<std::uint64_t>(here.samples_of_update)) {
    raise_error({"The training in ", file.path, " has ", saved[1],
                 " samples in an update, this session has ", here.samples_of_update, cannot_go_on});
  }
}

/// Reads a file. Throws `error` unless all of it belongs to the training of this engine.
inline loaded_training read_training(opened_training& file, session_engine& engine,
                                     non_finite floats) {
  loaded_training found;
  found.reached = read_progress(file, engine.seed());
  found.weights = read_all(engine.weights(), file.archive, file.path, floats);
  check_kept(file, engine);
  check_identity(file, engine);
  found.kept = read_all(engine.kept(), file.archive, file.path, floats);
  found.values = read_run_values(file, engine);
  file.used += engine.weights().size() + engine.kept().size();
  found.is_backup = !file.text(backup_name).empty();
  found.has_rate = file.has(rate_name);
  found.has_data = file.has(data_name);
  found.has_place = file.has(place_name) && found.has_data;
  if (found.has_rate) {
    found.rate = file.number(rate_name);
  }
  if (file.has(epoch_rates_name)) {
    found.epoch = rates_of(file.words(epoch_rates_name), file);
  }
  if (found.has_data) {
    found.data = file.words(data_name);
  }
  if (found.has_place) {
    found.place = place_of(file.words(place_name), file);
  }
  const std::size_t expected = file.used + (file.has(architecture_name) ? 1U : 0U);
  if (file.archive.size() != expected) {
    raise_error({"The file ", file.path, " has ", file.archive.size(),
                 " arrays, training of this model has ", expected, "."});
  }
  return found;
}

/// Puts a feed where it was. Throws `error` for one of other data.
inline void go_on_in_data(const training_beside& beside, const loaded_training& found,
                          const std::string& path) {
  if (beside.of_fit && !found.has_place) {
    raise_error(
        {"The file ", path, " does not say where a fit stood: it was saved outside of one."});
  }
  if (beside.backup && !found.is_backup) {
    raise_error({"The file ", path,
                 " was not written by backup_and_restore, which removes its file when training has "
                 "ended. Hint: give it a file of its own."});
  }
  if (beside.source != nullptr) {
    if (!found.has_data) {
      raise_error(
          {"The file ", path, " does not say where its data stood: it was saved without a feed."});
    }
    beside.source->put_feed_at(found.data);
  }
}

/// Takes over what was read. Throws `error` before anything is changed if the fit that is about to
/// begin cannot go on there.
inline void take_over(session_engine& engine, const training_beside& beside,
                      loaded_training& found) {
  if (found.has_place) {
    found.place.data = std::move(found.data);
    engine.go_on_at(std::move(found.place));
  }
  if (beside.rate != nullptr && beside.rate->is_constant() && found.has_rate) {
    *beside.rate = learning_rate_schedule(found.rate);
  }
  if (beside.epoch != nullptr) {
    *beside.epoch = found.epoch;
  }
  set_all(engine.weights(), found.weights);
  set_all(engine.kept(), found.kept);
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    if (!is_non_finite(found.values[i])) {
      engine.set_value(static_cast<std::int32_t>(i), found.values[i]);
    }
  }
  engine.go_on_from(found.reached);
}

inline void require_position(const training_beside& beside) {
  if (beside.source != nullptr) {
    beside.source->require_position();
  }
}

}  // namespace checkpoint

IPU_DSL_INLINE void save_training(session_engine& engine, const std::string& path,
                                  non_finite floats, const training_beside& beside) {
  engine.require_weights("save_training");
  engine.require_whole_update("save_training");
  checkpoint::require_position(beside);
  files::check_archive_path(path);
  zips::archive_writer archive;
  checkpoint::add_all(archive, engine.weights(), path, floats);
  checkpoint::add_all(archive, engine.kept(), path, floats);
  const training_progress reached = engine.progress();
  checkpoint::add_words(archive, checkpoint::version_name, {&checkpoint::training_version, 1});
  const std::uint64_t progress[] = {reached.updates, reached.samples, engine.seed()};
  checkpoint::add_words(archive, checkpoint::progress_name, {progress, 3});
  for (std::size_t i = 0; i < engine.run_values().size(); ++i) {
    checkpoint::add_float(archive, checkpoint::name_of_value(engine.run_values()[i]),
                          engine.value(static_cast<std::int32_t>(i)));
  }
  if (beside.rate != nullptr && beside.rate->is_constant()) {
    checkpoint::add_float(archive, checkpoint::rate_name, static_cast<float>(beside.rate->at(0)));
  }
  if (beside.epoch != nullptr && beside.epoch->known) {
    checkpoint::add_words(archive, checkpoint::epoch_rates_name,
                          checkpoint::words_of(*beside.epoch));
  }
  checkpoint::add_place(archive, engine, beside);
  if (beside.backup) {
    checkpoint::add_text(archive, checkpoint::backup_name, "backup_and_restore");
  }
  const training_identity known_by = engine.identity();
  const std::uint64_t identity[] = {known_by.model,
                                    static_cast<std::uint64_t>(known_by.samples_of_update)};
  checkpoint::add_words(archive, checkpoint::identity_name, {identity, 2});
  checkpoint::add_text(archive, checkpoint::optimizer_name, known_by.optimizer);
  checkpoint::add_text(archive, checkpoint::architecture_name, checkpoint::architecture_of(engine));
  write_file_atomically(path, archive.finish());
}

IPU_DSL_INLINE void load_training(session_engine& engine, const std::string& path,
                                  non_finite floats, const training_beside& beside) {
  engine.require_loadable("load_training");
  checkpoint::require_position(beside);
  const std::vector<std::uint8_t> bytes = read_file(path);
  checkpoint::refuse_other_formats(bytes, path);
  zips::archive_reader archive(bytes, path, refuse_deflated, default_unpacked_limit);
  checkpoint::opened_training file{archive, path};
  checkpoint::loaded_training found = checkpoint::read_training(file, engine, floats);
  checkpoint::go_on_in_data(beside, found, path);
  checkpoint::take_over(engine, beside, found);
}

}  // namespace ipu_dsl
