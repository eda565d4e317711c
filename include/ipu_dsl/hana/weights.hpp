// SPDX-License-Identifier: MIT
// Opt-in, needs Boost.Hana: weights by names that the compiler knows, with extents that it knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/hana/pair.hpp>
#include <boost/hana/tuple.hpp>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/hana/literals.hpp>
#include <ipu_dsl/hana/weight_names.hpp>
#include <ipu_dsl/hana/weight_view.hpp>
#include <ipu_dsl/layout/architecture.hpp>
#include <ipu_dsl/plan/predictor_names.hpp>
#include <ipu_dsl/runtime/parameters.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

/// Include <ipu_dsl/interface.hpp> or <ipu_dsl/ipu_dsl.hpp>, which define it.
template <typename Compiled>
class session;

/// A name that stands between square brackets.
template <char... Letters>
struct written_name {
  static constexpr char letters[] = {Letters..., '\0'};

  static constexpr std::string_view name() { return {letters, sizeof...(Letters)}; }
};

/// A name as Hana's string; `Name::value` is a text.
template <typename Name>
constexpr auto string_of() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return boost::hana::string_c<Name::value.characters[I]...>;
  }(std::make_index_sequence<Name::value.length>());
}

/// The weights of a layer by name: `["kernel"_s]`. A `hana::Struct` as well, of names and views, so
/// that what works on those works on it: `hana::for_each`, `hana::keys`, `hana::to_map`.
template <typename M, std::int32_t Layer, typename Held>
class layer_weights {
 public:
  constexpr explicit layer_weights(Held& held) : held_(&held) {}

  /// The view of a weight. One error with one sentence if the layer has none of this name.
  template <char... Letters>
  auto operator[](const boost::hana::string<Letters...>&) const {
    using written = written_name<Letters...>;
    static_assert(diagnose<weight_name_fault_of<M, Layer, written>>());
    return at<find_weight(weight_entries_of<M>.view(), Layer, written::name())>();
  }

  /// Refused with a sentence: a name without `_s`, which the compiler does not know.
  template <std::size_t Length>
  auto operator[](const char (&)[Length]) const {
    static_assert(diagnose<plain_name_fault_of<M, Layer, Length>>());
    return at<-1>();
  }

  /// The view of the weight with this number among all.
  template <std::int32_t Number>
  auto at() const {
    if constexpr (Number >= 0) {
      return weight_view<weight_entries_of<M>[Number].extents, Held>(*held_, Number);
    } else {
      return refused_weight();
    }
  }

  /// Names and views, for Hana.
  struct hana_accessors_impl {
    static constexpr auto apply() {
      return []<std::size_t... I>(std::index_sequence<I...>) {
        return boost::hana::make_tuple(
            boost::hana::make_pair(string_of<called<numbers[I]>>(), reader<numbers[I]>())...);
      }(std::make_index_sequence<numbers.size()>());
    }
  };

 private:
  static constexpr list<std::int32_t> find_numbers() {
    list<std::int32_t> found;
    for (std::size_t i = 0; i < weight_count_of<M>; ++i) {
      if (weight_entries_of<M>[i].layer == Layer) {
        found.push_back(static_cast<std::int32_t>(i));
      }
    }
    return found;
  }

  static constexpr std::size_t count = find_numbers().size();
  static constexpr frozen_list<std::int32_t, count> numbers = freeze_list<count>(find_numbers());

  template <std::int32_t Number>
  struct called {
    static constexpr text<191> value = weight_entries_of<M>[Number].name;
  };

  template <std::int32_t Number>
  struct reader {
    auto operator()(const layer_weights& weights) const { return weights.template at<Number>(); }
  };

  Held* held_;
};

/// All weights of a model by the names of layers; see `weights`.
template <typename M, typename Held>
class named_weights {
 public:
  constexpr explicit named_weights(Held& held) : held_(&held) {}

  /// The weights of a layer. One error with one sentence if no layer of this name has any.
  template <char... Letters>
  auto operator[](const boost::hana::string<Letters...>&) const {
    using written = written_name<Letters...>;
    static_assert(diagnose<layer_name_fault_of<M, written>>());
    return layer_weights<M, find_layer<M>(written::name()), Held>(*held_);
  }

  /// Refused with a sentence: a name without `_s`.
  template <std::size_t Length>
  auto operator[](const char (&)[Length]) const {
    static_assert(diagnose<plain_name_fault_of<M, 0, Length>>());
    return layer_weights<M, -1, Held>(*held_);
  }

  /// Names and layers, for Hana.
  struct hana_accessors_impl {
    static constexpr auto apply() {
      return []<std::size_t... I>(std::index_sequence<I...>) {
        return boost::hana::make_tuple(
            boost::hana::make_pair(string_of<called<layers_with_weights_of<M>[I]>>(),
                                   reader<layers_with_weights_of<M>[I]>())...);
      }(std::make_index_sequence<layer_count_of<M>>());
    }
  };

 private:
  template <std::int32_t Layer>
  struct called {
    static constexpr text<191> value = name_of_layer<M>(Layer);
  };

  template <std::int32_t Layer>
  struct reader {
    auto operator()(const named_weights& weights) const {
      return layer_weights<M, Layer, Held>(*weights.held_);
    }
  };

  Held* held_;
};

/// The model that was compiled; void where that was none, which has been said.
template <typename Compiled>
struct model_behind {
  using type = void;
};

template <typename Compiled>
  requires requires { typename Compiled::compiled::model_type; }
struct model_behind<Compiled> {
  using type = typename Compiled::compiled::model_type;
};

/// The weights of a session by names that the compiler knows:
///
///   using namespace ipu_dsl::literals;
///   const auto kernel = weights(run)["logits"_s]["kernel"_s];
///   std::array<float, kernel.size> values;
///   kernel.get(values);
///   kernel.set(values);
///
/// Layers are called as in summaries and files, "dense_1" without a name. It refers to the session,
/// which must outlive it. A `hana::Struct`: `hana::to_map(weights(run))` is a `hana::map`.
template <typename Compiled>
named_weights<typename model_behind<Compiled>::type, parameters> weights(session<Compiled>& run) {
  return named_weights<typename model_behind<Compiled>::type, parameters>(run.weights());
}

/// The same to be read alone.
template <typename Compiled>
named_weights<typename model_behind<Compiled>::type, const parameters> weights(
    const session<Compiled>& run) {
  return named_weights<typename model_behind<Compiled>::type, const parameters>(run.weights());
}

/// The same of the weights of predictors.
template <typename M>
named_weights<M, parameters> weights(weights_of<M>& held) {
  return named_weights<M, parameters>(held);
}

template <typename M>
named_weights<M, const parameters> weights(const weights_of<M>& held) {
  return named_weights<M, const parameters>(held);
}

template <typename Compiled>
void weights(const session<Compiled>&&) = delete;

template <typename M>
void weights(const weights_of<M>&&) = delete;

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
