// SPDX-License-Identifier: MIT
// A model and its options, compiled: three programs that share their parameters.
#pragma once

#include <cstdint>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/model/model.hpp>
#include <ipu_dsl/plan/automatic_stages.hpp>
#include <ipu_dsl/plan/loss.hpp>
#include <ipu_dsl/plan/options.hpp>
#include <ipu_dsl/plan/proven_slots.hpp>

namespace ipu_dsl {

template <typename C>
struct training_timeline;

/// What the options of a compilation say, as values.
struct compile_settings {
  std::int32_t micro_batch = 32;
  std::int32_t gradient_accumulation = 1;
  std::int32_t devices = 1;
  bool mean_gradients = false;
  const family* loss = nullptr;  ///< none: predict only
  requested_scores scores = requested_scores::logits;
  const family* optimizer = nullptr;
};

/// A model compiled with options, in any order, all of them optional. Derive from it:
/// `struct training : compile<mlp, micro_batch<32>, grouped, ...> {};`
template <model_type M, typename... Options>
struct compile {
  using compiled = compile;
  using model_type = M;

 private:
  static constexpr const option_list<sizeof...(Options)>& given = compile_options_of<Options...>;

  template <const option_key* Key, typename Otherwise>
  using chosen = typename option_about<Key, Otherwise, Options...>::type;

  struct no_loss {
    static constexpr const family* rule = nullptr;
    static constexpr option_list<0> options{};
    static constexpr problem fault{};
  };

 public:
  static constexpr std::int32_t stages = static_cast<std::int32_t>(fold<M>().stages);
  using default_schedule = std::conditional_t<stages == 1, sequential_schedule, grouped>;
  using schedule_type = chosen<&schedule_key, default_schedule>;
  using loss_type = chosen<&loss_key, no_loss>;
  using optimizer_option = chosen<&optimizer_key, optimizer<sgd<>>>;
  using optimizer_type = typename optimizer_option::type;

  static constexpr compile_settings settings{
      .micro_batch = given.integer(micro_batch_key, 32),
      .gradient_accumulation = given.integer(gradient_accumulation_key, 1),
      .devices = given.integer(devices_key, default_devices<schedule_type>(stages)),
      .mean_gradients = given.integer(reduction_key, 0) != 0,
      .loss = loss_type::rule,
      .scores = static_cast<requested_scores>(loss_type::options.integer(scores_key, 0)),
      .optimizer = optimizer_type::rule};

  /// The facts of training, modelled in multiply-adds, with devices that wait for nothing but data
  /// and slots: `static_assert(training::timeline.speedup_bound() > 1.3)`.
  static constexpr const facts& timeline = training_timeline<compile>::asynchronous;

  /// The same with a barrier after every time slot, as on IPUs.
  static constexpr const facts& lockstep_timeline = training_timeline<compile>::lockstep;

  /// What is wrong with the options themselves.
  static constexpr problem check_options() {
    constexpr const option_key* accepted[] = {&micro_batch_key, &gradient_accumulation_key,
                                              &schedule_key,    &devices_key,
                                              &loss_key,        &optimizer_key,
                                              &reduction_key};
    constexpr const option_key* accepted_by_loss[] = {&scores_key};
    problem found = given.check(accepted);
    if (!found.found()) {
      found = loss_type::fault;
    }
    if (!found.found()) {
      found = loss_type::options.check(accepted_by_loss);
    }
    if (!found.found()) {
      found = optimizer_option::fault;
    }
    if (!found.found() && settings.loss == nullptr &&
        (given.given(optimizer_key) || given.given(reduction_key))) {
      found = refuse("loss<...> beside what only training needs", "none",
                     "without a loss a model predicts: take the optimizer out, or give a loss");
    }
    if (!found.found() && stages > action_set::max_stages) {
      found = refuse(label("at most ") << action_set::max_stages << " stages", label() << stages);
    }
    if (!found.found() && settings.micro_batch < 1) {
      found = refuse("a micro_batch of at least 1 sample", label() << settings.micro_batch);
    }
    if (!found.found() && settings.loss != nullptr && stages > 1 &&
        !given.given(gradient_accumulation_key)) {
      found = refuse("gradient_accumulation<...> for training in a pipeline", "none",
                     "say how many micro-batches make one update");
    }
    if (found.found()) {
      found.where = "compile";
    }
    return found;
  }
};

template <typename T>
concept compiled_model = requires {
  typename T::compiled;
  typename T::schedule_type;
  T::settings;
};

/// The model's graph with its loss and metrics, stages as the model has them.
template <compiled_model C>
constexpr graph fold_with_loss() {
  graph model = fold<typename C::model_type>();
  if (!model.fault.found()) {
    model.fault = C::check_options();
  }
  if (!model.fault.found() && C::settings.loss != nullptr) {
    model.fault = attach_loss(model, *C::settings.loss, C::settings.scores);
  }
  return model;
}

/// The stages of the layers of an `auto_pipeline`: [layers]; empty for other models.
template <compiled_model C>
constexpr list<int> automatic_stages() {
  const graph model = fold_with_loss<C>();
  if (!model.automatic || model.fault.found()) {
    return {};
  }
  const program_kind kind =
      C::settings.loss != nullptr ? program_kind::train : program_kind::predict;
  const graph_view view = model.view();
  const lowered_program lowered =
      lowering(view, kind, C::settings.micro_batch, C::settings.optimizer).lower();
  return choose_stages<typename C::schedule_type>(costs_of_layers(view, lowered), model.stages,
                                                  C::settings.devices,
                                                  C::settings.gradient_accumulation);
}

/// How many layers that are: [layers] of the above without choosing.
template <compiled_model C>
constexpr std::size_t count_automatic_layers() {
  const graph model = fold_with_loss<C>();
  return model.automatic && !model.fault.found() ? listed_layers(model.view()) : 0;
}

template <compiled_model C>
inline constexpr std::size_t automatic_layers = count_automatic_layers<C>();

/// Chosen once: everything else about the model asks for them.
template <compiled_model C>
inline constexpr frozen_list<int, automatic_layers<C>> automatic_stages_of =
    freeze_list<automatic_layers<C>>(automatic_stages<C>());

/// The graph that is planned. `fault` holds the first mistake.
template <compiled_model C>
constexpr graph fold_compiled() {
  graph model = fold_with_loss<C>();
  if (model.automatic && !model.fault.found()) {
    assign_stages(model, automatic_stages_of<typename C::compiled>.view());
  }
  return model;
}

/// What the schedule is asked for.
constexpr purpose purpose_of(program_kind kind) {
  return kind == program_kind::train ? purpose::training : purpose::inference;
}

/// Micro-batches of one run of a forward program: those of training, or as few as the schedule
/// takes.
template <compiled_model C>
constexpr int forward_micro_batches() {
  const int trained = C::settings.gradient_accumulation;
  const bool allowed =
      !C::schedule_type::allows(C::settings.devices, C::stages, trained, purpose::inference)
           .found();
  return allowed ? trained : C::stages;
}

/// Everything about the three programs that does not depend on which one it is.
struct planned_parameters {
  lowered_program trained;
  parameter_layout lasting;
};

constexpr planned_parameters plan_parameters(const graph_view& model,
                                             const compile_settings& settings,
                                             const program& actions) {
  planned_parameters made;
  if (settings.loss != nullptr) {
    const backward_form form =
        splits_backward(actions.view()) ? backward_form::halves : backward_form::whole;
    made.trained =
        lowering(model, program_kind::train, settings.micro_batch, settings.optimizer, form)
            .lower();
  }
  made.lasting =
      lay_out_parameters(model, actions.device_of_stage, actions.devices, made.trained.made);
  return made;
}

/// One program of a compiled model, while the compiler evaluates.
constexpr program_plan plan_program(const graph_view& model, const compile_settings& settings,
                                    program_kind kind, const program& actions) {
  planned_parameters parameters = plan_parameters(model, settings, actions);
  if (kind == program_kind::train) {
    return plan_calls(model, std::move(parameters.trained), actions, settings.micro_batch,
                      parameters.lasting);
  }
  return plan_calls(model, lowering(model, kind, settings.micro_batch, settings.optimizer).lower(),
                    actions, settings.micro_batch, parameters.lasting);
}

/// The program of actions, for all devices. A schedule that looks at costs is shown those of the
/// stages, and the edges between them as they are when every stage has a device.
template <compiled_model C>
constexpr program actions_of(program_kind kind, const graph_view& model) {
  using schedule = typename C::schedule_type;
  const bool trains = kind == program_kind::train;
  const int micro_batches = trains ? C::settings.gradient_accumulation : forward_micro_batches<C>();
  if constexpr (costed_schedule<schedule>) {
    if (trains) {
      const program plain = rotate(C::stages, neighbouring_placement(C::stages, C::stages), 1,
                                   overlap::none, purpose::training);
      const program_plan made = plan_program(model, C::settings, kind, plain);
      return schedule::make_for(C::settings.devices, micro_batches,
                                {C::stages, made.memory.edges, made.costs});
    }
  }
  return make_program<schedule>(C::settings.devices, C::stages, micro_batches, purpose_of(kind));
}

/// A program without its slots, not yet proven.
template <compiled_model C>
constexpr program_plan unproven_plan_of(program_kind kind) {
  const graph model = fold_compiled<C>();
  const graph_view view = model.view();
  return plan_program(view, C::settings, kind, actions_of<C>(kind, view));
}

/// A program with its slots, proven.
template <compiled_model C>
constexpr program_plan plan_of(program_kind kind) {
  program_plan made = unproven_plan_of<C>(kind);
  prove_with_slots<typename C::schedule_type>(made, purpose_of(kind));
  return made;
}

/// Where a parameter or a state lies.
struct parameter_place {
  std::int32_t tensor = 0;
  std::int32_t region = 0;
  std::int64_t offset = 0;  ///< bytes
};

/// Where all parameters and states of a model lie, in order of tensors.
constexpr list<parameter_place> parameter_places(const graph_view& model,
                                                 const compile_settings& settings,
                                                 const program& actions) {
  const planned_parameters parameters = plan_parameters(model, settings, actions);
  list<parameter_place> places;
  for (std::size_t i = 0; i < model.tensors.size(); ++i) {
    if (parameters.lasting.value[i] >= 0) {
      const auto stage = static_cast<std::size_t>(model.node_at(model.tensors[i].owner).stage);
      places.push_back({.tensor = static_cast<std::int32_t>(i),
                        .region = actions.device_of_stage[stage],
                        .offset = parameters.lasting.value[i]});
    }
  }
  return places;
}

template <compiled_model C>
constexpr list<parameter_place> parameter_places_for() {
  const graph model = fold_compiled<C>();
  const graph_view view = model.view();
  const program actions = actions_of<C>(program_kind::predict, view);
  return parameter_places(view, C::settings, actions);
}

template <compiled_model C, program_kind Kind>
inline constexpr program_plan_sizes plan_sizes_of = sizes_of(unproven_plan_of<C>(Kind));

template <compiled_model C, program_kind Kind>
inline constexpr frozen_program_plan<plan_sizes_of<C, Kind>> frozen_plan_of{plan_of<C>(Kind)};

/// The first mistake of a compiled model: in the model, in the options, in what the schedule
/// allows, in the proof.
template <compiled_model C>
struct compile_fault_of {
  static constexpr problem find() {
    const graph model = fold_compiled<C>();
    if (model.fault.found() || C::settings.loss == nullptr) {
      return model.fault;
    }
    return C::schedule_type::allows(C::settings.devices, C::stages,
                                    C::settings.gradient_accumulation, purpose::training);
  }

  static constexpr problem prove() {
    constexpr problem before = find();
    if constexpr (before.found()) {
      return before;
    } else if constexpr (C::settings.loss == nullptr) {
      return frozen_plan_of<C, program_kind::predict>.fault;
    } else {
      constexpr problem found = frozen_plan_of<C, program_kind::train>.fault;
      return found.found() ? found : refuse_other_placement();
    }
  }

  /// Parameters lie where training has them, so that the forward programs must agree.
  static constexpr problem refuse_other_placement() {
    const graph model = fold_compiled<C>();
    const program forward = actions_of<C>(program_kind::predict, model.view());
    const std::span<const int> trained =
        frozen_plan_of<C, program_kind::train>.view().actions.device_of_stage;
    for (std::size_t stage = 0; stage < trained.size(); ++stage) {
      if (forward.device_of_stage[stage] != trained[stage]) {
        problem found = refuse(
            label("stage ") << stage << " on device " << trained[stage] << ", as in training",
            label("device ") << forward.device_of_stage[stage] << " in make_forward");
        found.where = label("schedule ") << C::schedule_type::name;
        return found;
      }
    }
    return {};
  }

  static constexpr problem value = prove();
};

/// Whether model, options and schedule are right; never an error.
template <compiled_model C>
constexpr bool valid() {
  return !compile_fault_of<typename C::compiled>::value.found();
}

/// Makes one compile error with one sentence if something is wrong; always true.
template <compiled_model C>
constexpr bool check() {
  // A mistake of the model is the model's, so that it is reported once, however often it is
  // compiled.
  if constexpr (!valid<typename C::model_type>()) {
    return diagnose<fault_of<typename C::model_type>>();
  } else {
    return diagnose<compile_fault_of<typename C::compiled>>();
  }
}

/// See `compile::timeline`.
template <typename C>
struct training_timeline {
  static constexpr program_plan_view plan = frozen_plan_of<C, program_kind::train>.view();
  static constexpr facts asynchronous = modelled_facts(plan);
  static constexpr facts lockstep = modelled_lockstep_facts(plan);
};

template <compiled_model C>
inline constexpr std::size_t parameter_count_of = parameter_places_for<C>().size();

template <compiled_model C>
inline constexpr frozen_list<parameter_place, parameter_count_of<C>> parameter_places_of =
    freeze_list<parameter_count_of<C>>(parameter_places_for<C>());

template <compiled_model C>
inline constexpr graph_sizes compiled_graph_sizes_of = sizes_of(fold_compiled<C>());

template <compiled_model C>
inline constexpr frozen_graph<compiled_graph_sizes_of<C>.tensors, compiled_graph_sizes_of<C>.nodes,
                              compiled_graph_sizes_of<C>.operands,
                              compiled_graph_sizes_of<C>.layers>
    frozen_compiled_graph_of{fold_compiled<C>()};

}  // namespace ipu_dsl
