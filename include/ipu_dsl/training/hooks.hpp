// SPDX-License-Identifier: MIT
// Which hooks a type of callbacks has, how they are called, and what is wrong with them.
// Over 300 lines: one table of all hooks, the names that people write for them, and their forms.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ipu_dsl/core/arrays.hpp>
#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/text.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/training/callback_list.hpp>
#include <ipu_dsl/training/history.hpp>

namespace ipu_dsl {

/// Of a hook that is told nothing but the run.
struct no_report {};

namespace hooks {

// A name of a member can be given to nothing but a macro: these are the hooks that there are, what
// each of them is told, and whether it may end the training.
#define IPU_DSL_HOOK(kind, told, judges)                                                   \
  struct kind {                                                                            \
    using report = told;                                                                   \
    static constexpr hook when = hook::kind;                                               \
    static constexpr const char* name = "on_" #kind;                                       \
    static constexpr const char* report_name = #told;                                      \
    static constexpr bool may_stop = judges;                                               \
    template <typename T>                                                                  \
    static constexpr bool names = requires { &T::on_##kind; };                             \
    template <typename T, typename... Given>                                               \
    static auto call(T& object, Given&... given) -> decltype(object.on_##kind(given...)) { \
      return object.on_##kind(given...);                                                   \
    }                                                                                      \
  }

IPU_DSL_HOOK(train_begin, no_report, true);
IPU_DSL_HOOK(train_end, no_report, false);
IPU_DSL_HOOK(train_failed, no_report, false);
IPU_DSL_HOOK(epoch_begin, const std::int32_t, true);
IPU_DSL_HOOK(epoch_end, const epoch_record, true);
IPU_DSL_HOOK(train_batch_begin, const execution_record, true);
IPU_DSL_HOOK(train_batch_end, const execution_record, true);
IPU_DSL_HOOK(update_end, const execution_record, true);
IPU_DSL_HOOK(test_begin, no_report, false);
IPU_DSL_HOOK(test_end, const evaluation, false);
IPU_DSL_HOOK(test_batch_begin, const std::int64_t, false);
IPU_DSL_HOOK(test_batch_end, const evaluation, false);
IPU_DSL_HOOK(predict_begin, no_report, false);
IPU_DSL_HOOK(predict_end, no_report, false);
IPU_DSL_HOOK(predict_batch_begin, const std::int64_t, false);
IPU_DSL_HOOK(predict_batch_end, const std::int64_t, false);

#undef IPU_DSL_HOOK

/// A function object is a callback with the hook on_epoch_end.
struct called_after_epoch : epoch_end {
  static constexpr const char* name = "the callable";
  template <typename T>
  static constexpr bool names = false;

  template <typename T, typename... Given>
  static auto call(T& object, Given&... given) -> decltype(object(given...)) {
    return object(given...);
  }
};

/// Whether an object has the hook in one of its forms: told what there is and the run, one of them,
/// or nothing.
template <typename Hook, typename T>
concept heard_by =
    requires(T& object, typename Hook::report& report, training_run& run) {
      Hook::call(object, report, run);
    } || requires(T& object, typename Hook::report& report) { Hook::call(object, report); } ||
    requires(T& object, training_run& run) { Hook::call(object, run); } ||
    requires(T& object) { Hook::call(object); };

/// Calls the hook in the form that it has.
template <typename Hook, typename T>
decltype(auto) call(T& object, typename Hook::report& report, training_run& run) {
  if constexpr (requires { Hook::call(object, report, run); }) {
    return Hook::call(object, report, run);
  } else if constexpr (requires { Hook::call(object, report); }) {
    return Hook::call(object, report);
  } else if constexpr (requires { Hook::call(object, run); }) {
    return Hook::call(object, run);
  } else {
    return Hook::call(object);
  }
}

template <typename Hook, typename T>
using result_of = decltype(hooks::call<Hook>(
    std::declval<T&>(), std::declval<typename Hook::report&>(), std::declval<training_run&>()));

/// What the hook returns is something that it may return.
template <typename Hook, typename T>
concept returns_well = std::same_as<result_of<Hook, T>, void> ||
                       (Hook::may_stop && std::same_as<result_of<Hook, T>, stop_request>);

/// What a reference refers to: an object, or a function.
template <typename T>
T& called_at(void* object) {
  if constexpr (std::is_function_v<T>) {
    return *reinterpret_cast<T*>(object);
  } else {
    return *static_cast<T*>(object);
  }
}

/// A pointer to a function, or a std::function, which may call nothing.
template <typename T>
concept may_be_null = (std::is_pointer_v<T> || (std::is_class_v<T> && requires { T(nullptr); })) &&
                      requires(T& object) { static_cast<bool>(object == nullptr); };

/// The hook of a `T` without its type.
template <typename Hook, typename T>
stop_request call_erased(void* object, training_run& run, const void* report) {
  T& called = called_at<T>(object);
  no_report nothing;
  auto& told = [&]() -> typename Hook::report& {
    if constexpr (std::same_as<typename Hook::report, no_report>) {
      return nothing;
    } else {
      return *static_cast<typename Hook::report*>(report);
    }
  }();
  if constexpr (std::same_as<result_of<Hook, T>, stop_request>) {
    return hooks::call<Hook>(called, told, run);
  } else {
    hooks::call<Hook>(called, told, run);
    return stop_request::no;
  }
}

/// All hooks as a list of types.
template <typename... Hooks>
struct hook_types {};

using every =
    hook_types<train_begin, train_end, train_failed, epoch_begin, epoch_end, train_batch_begin,
               train_batch_end, update_end, test_begin, test_end, test_batch_begin, test_batch_end,
               predict_begin, predict_end, predict_batch_begin, predict_batch_end>;

template <typename T, typename... Hooks>
constexpr hook_table table_of(hook_types<Hooks...>) {
  hook_table made;
  const auto add = [&made]<typename Hook>(Hook) {
    if constexpr (heard_by<Hook, T>) {
      made.of[static_cast<std::size_t>(Hook::when)] = &call_erased<Hook, T>;
    }
  };
  (add(Hooks{}), ...);
  return made;
}

template <typename T, typename... Hooks>
constexpr bool has_any(hook_types<Hooks...>) {
  return (heard_by<Hooks, T> || ...) || (Hooks::template names<std::remove_const_t<T>> || ...);
}

/// Names that people write for hooks, and the hooks that they mean.
#define IPU_DSL_MISSPELT(written, meant)        \
  if constexpr (requires { &T::written; }) {    \
    return misspelling{#written, "on_" #meant}; \
  }

struct misspelling {
  const char* written = nullptr;  ///< null: none was found
  const char* meant = nullptr;
};

template <typename T>
constexpr misspelling find_misspelling() {
  IPU_DSL_MISSPELT(on_epoch_ends, epoch_end)
  IPU_DSL_MISSPELT(on_epoch_ended, epoch_end)
  IPU_DSL_MISSPELT(on_epoch_finish, epoch_end)
  IPU_DSL_MISSPELT(on_epoch_finished, epoch_end)
  IPU_DSL_MISSPELT(on_epochs_end, epoch_end)
  IPU_DSL_MISSPELT(on_epoch, epoch_end)
  IPU_DSL_MISSPELT(epoch_end, epoch_end)
  IPU_DSL_MISSPELT(on_train_epoch_end, epoch_end)
  IPU_DSL_MISSPELT(on_epoch_begins, epoch_begin)
  IPU_DSL_MISSPELT(on_epoch_start, epoch_begin)
  IPU_DSL_MISSPELT(on_train_epoch_start, epoch_begin)
  IPU_DSL_MISSPELT(epoch_begin, epoch_begin)
  IPU_DSL_MISSPELT(on_train_start, train_begin)
  IPU_DSL_MISSPELT(on_training_begin, train_begin)
  IPU_DSL_MISSPELT(on_fit_begin, train_begin)
  IPU_DSL_MISSPELT(on_fit_start, train_begin)
  IPU_DSL_MISSPELT(on_training_end, train_end)
  IPU_DSL_MISSPELT(on_train_finish, train_end)
  IPU_DSL_MISSPELT(on_fit_end, train_end)
  IPU_DSL_MISSPELT(on_batch_begin, train_batch_begin)
  IPU_DSL_MISSPELT(on_batch_end, train_batch_end)
  IPU_DSL_MISSPELT(on_train_batch_start, train_batch_begin)
  IPU_DSL_MISSPELT(on_execution_begin, train_batch_begin)
  IPU_DSL_MISSPELT(on_execution_end, train_batch_end)
  IPU_DSL_MISSPELT(on_step_end, train_batch_end)
  IPU_DSL_MISSPELT(on_validation_begin, test_begin)
  IPU_DSL_MISSPELT(on_validation_end, test_end)
  IPU_DSL_MISSPELT(on_evaluate_begin, test_begin)
  IPU_DSL_MISSPELT(on_evaluate_end, test_end)
  IPU_DSL_MISSPELT(on_predict_start, predict_begin)
  IPU_DSL_MISSPELT(on_test_start, test_begin)
  IPU_DSL_MISSPELT(on_eval_end, test_end)
  IPU_DSL_MISSPELT(on_val_end, test_end)
  IPU_DSL_MISSPELT(on_validation_epoch_end, test_end)
  IPU_DSL_MISSPELT(on_prediction_end, predict_end)
  IPU_DSL_MISSPELT(on_train_batch_ends, train_batch_end)
  IPU_DSL_MISSPELT(on_update, update_end)
  IPU_DSL_MISSPELT(on_update_begin, train_batch_begin)
  IPU_DSL_MISSPELT(on_exception, train_failed)
  IPU_DSL_MISSPELT(on_train_error, train_failed)
  IPU_DSL_MISSPELT(on_train_fail, train_failed)
  IPU_DSL_MISSPELT(on_train_failure, train_failed)
  IPU_DSL_MISSPELT(onEpochBegin, epoch_begin)
  IPU_DSL_MISSPELT(onEpochEnd, epoch_end)
  IPU_DSL_MISSPELT(onTrainBegin, train_begin)
  IPU_DSL_MISSPELT(onTrainEnd, train_end)
  IPU_DSL_MISSPELT(onTrainBatchEnd, train_batch_end)
  IPU_DSL_MISSPELT(onBatchEnd, train_batch_end)
  IPU_DSL_MISSPELT(onUpdateEnd, update_end)
  return misspelling{};
}

#undef IPU_DSL_MISSPELT

/// What is wrong with one hook of a type; nothing if it has none.
template <typename Hook, typename T>
constexpr problem find_fault() {
  if constexpr (heard_by<Hook, T>) {
    if constexpr (!returns_well<Hook, T>) {
      return refuse(label(Hook::name) << (Hook::may_stop ? " to return nothing or a stop_request"
                                                         : " to return nothing"),
                    type_name<result_of<Hook, T>>(),
                    Hook::may_stop
                        ? "return stop_request::yes to end the training, stop_request::no "
                          "otherwise"
                        : "only hooks of training end it");
    }
  } else if constexpr (Hook::template names<std::remove_const_t<T>>) {
    constexpr bool told = !std::same_as<typename Hook::report, no_report>;
    return refuse(label(Hook::name) << "(" << (told ? Hook::report_name : "training_run") << "&"
                                    << (told ? ", training_run&" : "") << "), or less of it",
                  std::is_const_v<T> ? "another one, or one that is not const"
                                     : "one that takes something else");
  }
  return {};
}

template <typename T, typename... Hooks>
constexpr problem find_fault(hook_types<Hooks...>) {
  problem found;
  ((found = found.found() ? found : find_fault<Hooks, T>()), ...);
  return found;
}

}  // namespace hooks

/// What `fit` takes behind its options: an object with at least one hook by its name, or a callable
/// that takes an `epoch_record`, as on_epoch_end does. An xtensor, which can be called with
/// whatever there is, is none.
template <typename T>
concept callback = !knows_extents<T> && (hooks::heard_by<hooks::called_after_epoch, T> ||
                                         hooks::has_any<T>(hooks::every{}));

/// What looks like data rather than like a callback: it has a size, or is a pair.
template <typename T>
concept looks_like_data =
    knows_extents<T> || requires(const T& given) { given.size(); } || requires(const T& given) {
      given.first;
      given.second;
    };

/// What is wrong with a callback; `Call` is fit, evaluate or predict.
template <typename T>
struct callback_fault_of {
  static constexpr problem find() {
    problem found = find_any();
    found.where = "fit";
    return found;
  }

  static constexpr problem value = find();

 private:
  static constexpr problem find_any() {
    using plain = std::remove_const_t<T>;
    if constexpr (requires { plain::fault_of_callbacks(); }) {
      constexpr problem within = plain::fault_of_callbacks();
      if constexpr (within.found()) {
        return within;
      }
    }
    if constexpr (std::is_class_v<plain>) {
      constexpr hooks::misspelling wrong = hooks::find_misspelling<plain>();
      if constexpr (wrong.written != nullptr) {
        return refuse(label("a hook ") << wrong.meant, wrong.written,
                      text<191>("write ") << wrong.meant << " for " << wrong.written);
      }
    }
    if constexpr (!callback<T> && looks_like_data<plain>) {
      return refuse("callbacks, or validation_data(...)", type_name<plain>(),
                    "write validation_data(unseen) of data, validation_data(features, labels) of "
                    "arrays");
    } else if constexpr (!callback<T>) {
      return refuse(
          "a callable that takes an epoch_record, or an object with hooks", type_name<plain>(),
          "write [](const epoch_record& passed) { ... }, or a struct with a public member "
          "on_epoch_end(const epoch_record&)");
    } else if constexpr (hooks::heard_by<hooks::called_after_epoch, T> &&
                         !hooks::has_any<T>(hooks::every{})) {
      return hooks::find_fault<hooks::called_after_epoch, T>();
    } else {
      return hooks::find_fault<T>(hooks::every{});
    }
  }
};

/// The hooks of a type of callbacks.
template <typename T>
constexpr hook_table make_hook_table() {
  if constexpr (callback_fault_of<T>::value.found()) {
    return {};
  } else if constexpr (hooks::has_any<T>(hooks::every{})) {
    return hooks::table_of<T>(hooks::every{});
  } else {
    return hooks::table_of<T>(hooks::hook_types<hooks::called_after_epoch>{});
  }
}

template <typename T>
inline constexpr hook_table hooks_of = make_hook_table<T>();

/// Refers to a callback. It may be const; then its hooks are. Throws `error` for one that calls
/// nothing.
template <typename T>
callback_reference refer_to(T& object) {
  if constexpr (hooks::may_be_null<T>) {
    if (object == nullptr) {
      raise_error("A callback calls nothing: it is an empty std::function or a null pointer.");
    }
  }
  if constexpr (std::is_function_v<T>) {
    return {reinterpret_cast<void*>(&object), &hooks_of<T>};
  } else {
    return {const_cast<void*>(static_cast<const void*>(__builtin_addressof(object))), &hooks_of<T>};
  }
}

}  // namespace ipu_dsl
