// SPDX-License-Identifier: MIT
// Opt-in, needs Boost.Hana: the layers of a model as a tuple of Hana's types, and back to a model.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/hana/concept/foldable.hpp>
#include <boost/hana/equal.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>
#include <boost/hana/unpack.hpp>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/model/model.hpp>

namespace ipu_dsl {

namespace layers_as_types {

template <typename... Layers>
using tuple_of = std::remove_const_t<decltype(boost::hana::tuple_t<Layers...>)>;

/// The elements of tuples, one tuple behind the other.
template <typename... Tuples>
struct joined {
  using type = boost::hana::tuple<>;
};

template <typename... Elements>
struct joined<boost::hana::tuple<Elements...>> {
  using type = boost::hana::tuple<Elements...>;
};

template <typename... First, typename... Second, typename... Rest>
struct joined<boost::hana::tuple<First...>, boost::hana::tuple<Second...>, Rest...>
    : joined<boost::hana::tuple<First..., Second...>, Rest...> {};

/// What a body lists, stage by stage. What is made of layers in another way, a residual say, is one
/// layer.
template <typename Body>
struct listed {
  using layers = tuple_of<Body>;
  using stages = boost::hana::tuple<layers>;
};

template <typename... Layers>
struct listed<sequential<Layers...>> {
  using layers = tuple_of<Layers...>;
  using stages = boost::hana::tuple<layers>;
};

template <typename... Layers>
struct listed<stage<Layers...>> : listed<sequential<Layers...>> {};

template <typename Sequence, auto Stages>
struct listed<auto_pipeline<Sequence, Stages>> : listed<Sequence> {};

template <typename... Stages>
struct listed<pipeline<Stages...>> {
  using layers = typename joined<typename listed<Stages>::layers...>::type;
  using stages = boost::hana::tuple<typename listed<Stages>::layers...>;
};

/// What is wrong with a type whose layers are asked for.
template <typename M>
struct fault_of_layers {
  static constexpr problem find() {
    problem found;
    if (!layered_model<M>) {
      found = refuse("a model that lists its layers, model<input<...>, ...>", type_name<M>());
      found.where = "layers_of and stages_of";
      found.hint << (model_type<M> ? "a functional model has calls, in any order"
                                   : "give them the model itself: layers_of<mlp>");
    }
    return found;
  }

  static constexpr problem value = find();
};

template <typename M>
constexpr auto find() {
  if constexpr (layered_model<M>) {
    return listed<typename M::body_type>();
  } else {
    static_assert(diagnose<fault_of_layers<M>>());
    return listed<sequential<>>();
  }
}

/// A type of Hana's, whatever it is of.
template <typename Piece>
concept type_of_layer =
    requires(Piece piece) { [](boost::hana::basic_type<typename Piece::type>) {}(piece); };

/// Whether something is a sequence of such types.
template <typename Piece>
constexpr bool find_types() {
  if constexpr (boost::hana::Foldable<Piece>::value) {
    return decltype(boost::hana::unpack(std::declval<const Piece&>(), [](auto... each) {
      return std::bool_constant<(type_of_layer<decltype(each)> && ...)>();
    }))::value;
  } else {
    return false;
  }
}

template <typename Piece>
concept types_of_layers = find_types<Piece>();

/// What is wrong with what a model is to be made of.
template <typename... Pieces>
struct fault_of_body {
  static constexpr problem find() {
    problem found;
    const bool sequence = (type_of_layer<Pieces> && ...);
    const bool stages = (types_of_layers<Pieces> && ...);
    if (!sequence && !stages) {
      found = refuse("layers as hana::types, or stages as tuples of them",
                     kinds_of({type_of_layer<Pieces>...}, {types_of_layers<Pieces>...}),
                     "write hana::tuple_t<Flatten, Dense<10>>");
      found.where = "model_of";
    }
    return found;
  }

  static constexpr label kinds_of(std::initializer_list<bool> layer,
                                  std::initializer_list<bool> stage) {
    label words;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      const std::string_view kind = layer.begin()[i] ? "a layer" : "a stage";
      const bool known = layer.begin()[i] || stage.begin()[i];
      words << (i == 0 ? "" : ", ") << (known ? kind : "something else");
    }
    return words;
  }

  static constexpr problem value = find();
};

template <typename... Layers>
constexpr auto stage_type(Layers...) {
  return boost::hana::type_c<stage<typename Layers::type...>>;
}

/// The body that is made of layers or of stages.
template <typename... Pieces>
constexpr auto body_type(Pieces... pieces) {
  if constexpr ((type_of_layer<Pieces> && ...)) {
    return boost::hana::type_c<sequential<typename Pieces::type...>>;
  } else if constexpr ((types_of_layers<Pieces> && ...)) {
    return boost::hana::type_c<pipeline<typename decltype(boost::hana::unpack(
        pieces, [](auto... each) { return stage_type(each...); }))::type...>>;
  } else {
    return boost::hana::type_c<sequential<>>;
  }
}

/// What is wrong with them, for what Hana unpacks. It is told outside of that, in fewer lines.
struct fault_among {
  template <typename... Pieces>
  constexpr auto operator()(const Pieces&...) const {
    return std::type_identity<fault_of_body<Pieces...>>();
  }
};

}  // namespace layers_as_types

/// The layers of a model in order, whatever stages they stand in: `layers_of<mlp>` is a
/// `hana::tuple_t<Flatten, Dense<256, relu>, ...>`. A residual, a concatenation, a name or what is
/// frozen is one of them, with all that it is made of. Refused: a functional model, which has
/// calls.
template <typename M>
inline constexpr auto layers_of = typename decltype(layers_as_types::find<M>())::layers();

/// The same stage by stage, a tuple of such tuples; of a model without stages one. What
/// `stage_assignment` says is no part of it.
template <typename M>
inline constexpr auto stages_of = typename decltype(layers_as_types::find<M>())::stages();

/// The model of layers, a sequence, or of stages, a pipeline, as a `hana::type`; any sequence of
/// Hana's holds them. What stands behind the input may be a `stage_assignment<...>`.
///
///   constexpr auto widths = hana::tuple_c<int, 16, 32, 64>;
///   constexpr auto models = hana::transform(widths, [](auto width) {
///     return model_of<input<8>>(hana::tuple_t<Dense<width(), relu>, Dense<4>>);
///   });
///
/// `model_of<mlp::input_type>(stages_of<mlp>)` is the model that mlp is derived from, if that is a
/// pipeline. What is wrong with the model is said by who checks or compiles it.
template <typename Input, typename... Assignment, typename Pieces>
constexpr auto model_of(const Pieces& pieces) {
  using unpacked = decltype(boost::hana::unpack(pieces, layers_as_types::fault_among()));
  static_assert(diagnose<typename unpacked::type>());
  using body = decltype(boost::hana::unpack(
      pieces, [](auto... each) { return layers_as_types::body_type(each...); }));
  return boost::hana::type_c<model<Input, typename body::type, Assignment...>>;
}

}  // namespace ipu_dsl
