// SPDX-License-Identifier: MIT
// Options of layers and of compilation, in any order: types at the edge, values at once.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include <ipu_dsl/core/addresses.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/problem.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/core/whole_number.hpp>

namespace ipu_dsl {

struct initializer;
struct parameter_rules;

/// What an option is about. Two options are about the same thing if their keys have the same name:
/// g++ 12 with UBSan refuses to compare addresses during constant evaluation.
struct option_key {
  std::string_view name;        ///< "activation"
  std::string_view place = {};  ///< what to write, if it is put into a wrong place
  std::string_view usual = {};  ///< what most layers call it: "kernel_regularizer"

  friend constexpr bool operator==(const option_key&, const option_key&) = default;
};

/// One option as a value: `relu` is {&activation_key, relu}. An option type offers it as
/// `static constexpr option as_option`.
struct option {
  const option_key* key = nullptr;
  std::int32_t integer = 0;
  float number = 0;
  const problem* fault = nullptr;      ///< what is wrong with its template argument, if anything
  const initializer* start = nullptr;  ///< of options that say how a parameter starts
  /// Of options that ask something of a parameter, or of an output.
  const parameter_rules* rules = nullptr;
  /// Of options of one to three numbers the last of three; `two_numbers`; 0 if there is one.
  std::int32_t third = 0;
};

/// In place of a third number where two are written.
inline constexpr std::int32_t two_numbers = -1;

/// The option of a whole number: `micro_batch<32>`.
template <typename T>
constexpr option whole_option(const option_key* key, const T& value) {
  const whole_number read = read_whole(value);
  return {key, read.value, 0, read.fault};
}

/// The option of a number: `alpha<0.1>`.
template <typename T>
constexpr option real_option(const option_key* key, const T& value) {
  const real_number read = real(value);
  return {key, 0, read.value, read.fault};
}

/// The option of a truth value: `use_bias<false>`. A number is refused; until then the layer is
/// called after what C++ makes of it.
template <auto Value>
constexpr option bool_option(const option_key* key) {
  if constexpr (std::same_as<decltype(Value), bool>) {
    return {key, Value ? 1 : 0};
  } else if constexpr (requires { static_cast<bool>(Value); }) {
    return {key, static_cast<bool>(Value) ? 1 : 0, 0, &not_a_truth_value<Value>};
  } else {
    return {key, 0, 0, &not_a_truth_value<Value>};
  }
}

/// The key of a type that is no option.
inline constexpr option_key foreign_key{"an option of ipu_dsl"};

/// The key of an initializer where an option belongs.
inline constexpr option_key initializer_key{"an initializer",
                                            "init<...> around it, such as init<he_normal>"};

/// Says how parameters start: `he_normal`. Not one: `relu`, an option.
template <typename T>
concept initializer_type = requires {
  { (T::start) } -> std::same_as<const initializer&>;
};

template <typename T>
concept option_type = requires {
  { T::as_option.key } -> std::convertible_to<const option_key*>;
};

/// One entry of an option list: the option, and the name of its type for a message.
struct named_option {
  option value;
  std::string_view type;
};

template <typename T>
consteval named_option read_option() {
  if constexpr (option_type<T>) {
    return {T::as_option, type_name<T>()};
  } else if constexpr (initializer_type<T>) {
    return {{&initializer_key}, type_name<T>()};
  } else {
    return {{&foreign_key}, type_name<T>()};
  }
}

/// The options of a layer, read. Options that were not given keep what `given` is asked with.
template <std::size_t Count>
struct option_list {
  named_option options[Count + 1] = {};

  constexpr bool given(const option_key& key) const {
    for (std::size_t i = 0; i < Count; ++i) {
      if (*options[i].value.key == key) {
        return true;
      }
    }
    return false;
  }

  constexpr std::int32_t integer(const option_key& key, std::int32_t otherwise) const {
    for (std::size_t i = 0; i < Count; ++i) {
      if (*options[i].value.key == key) {
        return options[i].value.integer;
      }
    }
    return otherwise;
  }

  constexpr float number(const option_key& key, float otherwise) const {
    for (std::size_t i = 0; i < Count; ++i) {
      if (*options[i].value.key == key) {
        return options[i].value.number;
      }
    }
    return otherwise;
  }

  /// The last of three numbers; `two_numbers`; 0 if there is one.
  constexpr std::int32_t third(const option_key& key) const {
    for (std::size_t i = 0; i < Count; ++i) {
      if (*options[i].value.key == key) {
        return options[i].value.third;
      }
    }
    return 0;
  }

  constexpr const initializer* start(const option_key& key, const initializer* otherwise) const {
    for (std::size_t i = 0; i < Count; ++i) {
      if (*options[i].value.key == key && !is_null(options[i].value.start)) {
        return options[i].value.start;
      }
    }
    return otherwise;
  }

  /// What is asked; null if the option was not given, or has a fault.
  constexpr const parameter_rules* rules(const option_key& key) const {
    for (std::size_t i = 0; i < Count; ++i) {
      if (*options[i].value.key == key) {
        return options[i].value.rules;
      }
    }
    return nullptr;
  }

  /// Every option must be about one of `accepted`, and no two about the same.
  constexpr problem find_fault(list_view<const option_key*> accepted) const {
    for (std::size_t i = 0; i < Count; ++i) {
      bool known = false;
      for (const option_key* key : accepted) {
        known = known || *key == *options[i].value.key;
      }
      if (!known && options[i].value.key->place.empty() && !is_null(options[i].value.fault)) {
        return *options[i].value.fault;
      }
      if (!known) {
        return unknown(i, accepted);
      }
      if (!is_null(options[i].value.fault)) {
        return unfit(options[i].value);
      }
      for (std::size_t earlier = 0; earlier < i; ++earlier) {
        if (*options[earlier].value.key == *options[i].value.key) {
          return set_twice(earlier, i);
        }
      }
    }
    return {};
  }

 private:
  /// "a whole number in micro_batch<...>"
  static constexpr problem unfit(const option& wrong) {
    problem found = *wrong.fault;
    found.expected << " in " << wrong.key->name << "<...>";
    return found;
  }

  constexpr problem unknown(std::size_t index, list_view<const option_key*> accepted) const {
    constexpr std::size_t room = 80;
    label got = shortened(options[index].type, room);
    got << " as option " << index + 1;
    const option_key& written = *options[index].value.key;
    const std::string_view longer = longer_name(written.name, accepted);
    if (!longer.empty()) {
      return refuse("an option that it takes", got,
                    text<191>("write ") << longer << "<...>, as what a layer takes is called");
    }
    const text<191> own_names = own_names_of(written.name, accepted);
    if (!own_names.view().empty()) {
      return refuse("an option that it takes", got, text<191>("write ") << own_names.view());
    }
    const std::string_view place = written.place;
    if (!place.empty()) {
      return refuse("an option that it takes", got, text<191>("write ") << place);
    }
    if (accepted.empty()) {
      return refuse("no options", got, "take it out");
    }
    return refuse("an option that it takes", got, list_of(accepted));
  }

  /// What is accepted by the same name with words before it: "running_momentum" of "momentum";
  /// empty if nothing is.
  static constexpr std::string_view longer_name(std::string_view name,
                                                list_view<const option_key*> accepted) {
    for (const option_key* key : accepted) {
      const bool longer = key->name.size() > name.size() + 1 && key->name.ends_with(name);
      if (longer && key->name[key->name.size() - name.size() - 1] == '_') {
        return key->name;
      }
    }
    return {};
  }

  /// What a layer accepts that calls "kernel_regularizer" by names of its own:
  /// "depthwise_regularizer<...>"; empty if it accepts nothing of the kind.
  static constexpr text<191> own_names_of(std::string_view usual,
                                          list_view<const option_key*> accepted) {
    text<191> words;
    for (const option_key* key : accepted) {
      if (key->usual == usual) {
        words << (words.view().empty() ? "" : " or ") << key->name << "<...>";
      }
    }
    return words;
  }

  /// A type as far as there is room beside other words: "loss<sparse_categorical_cross...".
  static constexpr label shortened(const label& type, std::size_t room) {
    constexpr std::string_view more = "...";
    if (type.length <= room) {
      return type;
    }
    return label(type.view().substr(0, room - more.size())) << more;
  }

  /// All of them, or as many as there is room for.
  static constexpr text<191> list_of(list_view<const option_key*> accepted) {
    constexpr std::size_t room = 170;
    text<191> words = "it takes ";
    for (std::size_t i = 0; i < accepted.size(); ++i) {
      if (words.view().size() + accepted[i]->name.size() > room) {
        words << " and others";
        break;
      }
      words << (i == 0 ? "" : i + 1 == accepted.size() ? " and " : ", ") << accepted[i]->name;
    }
    return words;
  }

  constexpr problem set_twice(std::size_t earlier, std::size_t later) const {
    label expected = "one option for ";
    expected << options[later].value.key->name;
    constexpr std::size_t room = 32;
    label got = shortened(options[earlier].type, room);
    got << " as option " << earlier + 1 << " and " << shortened(options[later].type, room)
        << " as option " << later + 1;
    return refuse(expected, got, "keep one of them");
  }
};

/// The pack, read once into values.
template <typename... Options>
inline constexpr option_list<sizeof...(Options)> options_of = {{read_option<Options>()...}};

}  // namespace ipu_dsl
