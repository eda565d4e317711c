// SPDX-License-Identifier: MIT
// The parameters of a model with the layers that own them, and the orders of features that differ
// where images have their channels first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/exchange/array_part.hpp>
#include <ipu_dsl/exchange/loading.hpp>
#include <ipu_dsl/graph/graph.hpp>
#include <ipu_dsl/model/layer_name.hpp>
#include <ipu_dsl/runtime/parameters.hpp>
#include <ipu_dsl/vocabulary/layers/conv1d.hpp>
#include <ipu_dsl/vocabulary/layers/conv1d_transpose.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d.hpp>
#include <ipu_dsl/vocabulary/layers/conv2d_transpose.hpp>
#include <ipu_dsl/vocabulary/layers/conv3d.hpp>
#include <ipu_dsl/vocabulary/layers/dense.hpp>
#include <ipu_dsl/vocabulary/layers/flatten.hpp>
#include <ipu_dsl/vocabulary/layers/locally_connected1d.hpp>
#include <ipu_dsl/vocabulary/layers/multi_head_attention.hpp>
#include <ipu_dsl/vocabulary/layers/permute.hpp>
#include <ipu_dsl/vocabulary/layers/recurrence.hpp>
#include <ipu_dsl/vocabulary/layers/separable_conv2d.hpp>

namespace ipu_dsl {

namespace exchange {

/// A parameter or a state, the node that owns it, and how its layer is called in a file.
struct owned_parameter {
  std::size_t index = 0;  ///< among the weights
  const node* owner = nullptr;
  std::string_view name;  ///< "kernel"
  shape extents;
  layer_pair layer;
};

/// All parameters and states of a model, in its order. Throws `error` unless they are `weights`.
inline std::vector<owned_parameter> owned_parameters(const graph_view& model,
                                                     const parameters& weights,
                                                     const std::vector<layer_pair>& names) {
  std::vector<owned_parameter> found;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    const node& here = model.nodes[i];
    for (std::int32_t number = 0; number < here.parameters; ++number) {
      const tensor& owned = model.at(model.parameter_of(here, number));
      if (owned.owner == static_cast<std::int32_t>(i) && here.layer >= 0) {
        const std::string layer = layer_name(model.layers[here.layer]);
        found.push_back({weights.find(layer, owned.name), &here, owned.name, owned.extents,
                         pair_of(layer, names)});
      }
    }
  }
  if (found.size() != weights.size()) {
    raise_error({"The weights have ", weights.size(), " parameters and the model ", found.size(),
                 ": they are not those of this model."});
  }
  for (const owned_parameter& each : found) {
    const shape& extents = weights.at(each.index).extents;
    if (extents != each.extents) {
      raise_error({"The ", weights.name(each.index), " of the weights is ", describe(extents),
                   ", that of the model ", describe(each.extents),
                   ": they are not those of this model."});
    }
  }
  return found;
}

/// Whether a node looks at the same elements in another shape.
inline bool reshapes(const node& here) {
  return here.rule == &flatten_family || here.rule == &reshape_family;
}

/// Whether each feature that a layer makes is one of its own, made of all that it reads.
inline bool mixes_features(const node& here) {
  return here.rule == &dense_family || here.rule == &multi_head_attention_family ||
         here.rule == &locally_connected1d_family || is_recurrent(here.rule->name);
}

/// Whether a node hands each number of a vector on in its place, with parameters of its own or not.
inline bool keeps_places(const graph_view& model, const node& here) {
  return here.inputs == 1 && here.outputs == 1 && !mixes_features(here) &&
         here.rule != &permute_family &&
         model.at(model.output_of(here, 0)).extents == model.at(model.input_of(here, 0)).extents;
}

/// Whether a layer leaves the channels of a sequence where they are: pooling, joins, what works on
/// numbers or channels.
inline bool keeps_channels(const graph_view& model, const node& here) {
  const shape& read = model.at(model.input_of(here, 0)).extents;
  const shape& made = model.at(model.output_of(here, 0)).extents;
  return !mixes_features(here) && !reshapes(here) && read.rank == 2 && made.rank == 2;
}

/// Whether a layer makes channels of its own: a convolution that mixes those that it reads.
inline bool makes_channels(const node& here) {
  for (const family* rule :
       {&conv1d_family, &conv2d_family, &conv3d_family, &conv1d_transpose_family,
        &conv2d_transpose_family, &separable_conv2d_family}) {
    if (here.rule == rule) {
      return true;
    }
  }
  return false;
}

/// Whether a sequence comes out of a convolution, which in PyTorch has its channels first.
inline bool comes_from_convolution(const graph_view& model, std::int32_t sequence) {
  std::int32_t producer = model.at(sequence).producer;
  while (producer >= 0) {
    const node& here = model.node_at(producer);
    if (here.rule == &conv1d_family || here.rule == &conv1d_transpose_family) {
      return true;
    }
    producer = keeps_channels(model, here) ? model.at(model.input_of(here, 0)).producer : -1;
  }
  return false;
}

/// Whether a convolution reads a sequence, directly or behind what keeps its places.
inline bool goes_to_convolution(const graph_view& model, std::int32_t sequence) {
  for (const node& here : model.nodes) {
    if (here.inputs == 1 && here.outputs == 1 && model.input_of(here, 0) == sequence) {
      return here.rule == &conv1d_family || here.rule == &conv1d_transpose_family ||
             (keeps_places(model, here) && goes_to_convolution(model, model.output_of(here, 0)));
    }
  }
  return false;
}

/// Throws `error` if a vector is joined of several, of which one has the order of an image.
inline void check_join(const graph_view& model, const node& join);

/// The image, volume or sequence that a vector is the elements of, if PyTorch has the channels of
/// that first; otherwise of rank 0.
inline shape image_behind(const graph_view& model, std::int32_t vector) {
  std::int32_t here = vector;
  while (model.at(here).extents.rank == 1 && model.at(here).producer >= 0) {
    const node& producer = model.node_at(model.at(here).producer);
    const std::int32_t read = producer.inputs > 0 ? model.input_of(producer, 0) : -1;
    if (read < 0 || (!reshapes(producer) && !keeps_places(model, producer))) {
      check_join(model, producer);
      return {};
    }
    const shape& extents = model.at(read).extents;
    if (extents.rank > 2 || (extents.rank == 2 && comes_from_convolution(model, read))) {
      return extents;
    }
    here = read;
  }
  return {};
}

inline void check_join(const graph_view& model, const node& join) {
  for (std::int32_t input = 0; join.inputs > 1 && input < join.inputs; ++input) {
    const std::int32_t read = model.input_of(join, input);
    if (image_behind(model, read).rank > 0) {
      raise_error({"What ", model.place_of(join), " joins was an image ",
                   describe(image_behind(model, read)),
                   ", whose order behind the join is not known of PyTorch's. Hint: join before "
                   "Flatten, or load the layer that reads it by hand."});
    }
  }
}

/// Whether PyTorch has the numbers of a tensor in another order when their shape changes: it is an
/// image, or a sequence that a convolution made, of several channels and several places.
inline bool has_channels_first(const graph_view& model, std::int32_t which) {
  const shape& extents = model.at(which).extents;
  const bool image =
      extents.rank > 2 || (extents.rank == 2 && comes_from_convolution(model, which));
  const std::int32_t channels = image ? extents[extents.rank - 1] : 1;
  return channels > 1 && extents.elements() > channels;
}

/// Whether the features of a tensor are numbers of an image whose channels no longer stand last:
/// it was reshaped, or one of those that it is made of, and nothing behind that makes features of
/// its own.
inline bool was_image(const graph_view& model, std::int32_t which) {
  const std::int32_t producer = model.at(which).producer;
  if (producer < 0) {
    return false;
  }
  const node& here = model.node_at(producer);
  if (mixes_features(here) || makes_channels(here)) {
    return false;
  }
  const shape& behind = model.at(which).extents;
  for (std::int32_t input = 0; input < here.inputs; ++input) {
    const std::int32_t read = model.input_of(here, input);
    const shape& before = model.at(read).extents;
    const bool moved =
        behind.rank == 0 || before.rank == 0 || behind[behind.rank - 1] != before[before.rank - 1];
    if ((reshapes(here) && moved && has_channels_first(model, read)) || was_image(model, read)) {
      return true;
    }
  }
  return false;
}

/// Whether an image that is flattened had its axes in another order before.
inline bool was_permuted(const graph_view& model, std::int32_t which) {
  const std::int32_t producer = model.at(which).producer;
  if (producer < 0) {
    return false;
  }
  const node& here = model.node_at(producer);
  const bool ends = here.inputs == 0 || mixes_features(here) || makes_channels(here);
  return here.rule == &permute_family || (!ends && was_permuted(model, model.input_of(here, 0)));
}

/// Whether the values of a parameter belong to features that its layer reads, so that their order
/// counts.
inline bool belongs_to_features(const owned_parameter& of) {
  if (!mixes_features(*of.owner) && !makes_channels(*of.owner)) {
    return true;
  }
  return of.name.ends_with("kernel") && of.name != "recurrent_kernel" && of.name != "output_kernel";
}

/// Whether a parameter belongs to features that were an image, in an order that is not known of
/// PyTorch's: `image_behind` knows that of vectors.
inline bool has_unknown_order(const graph_view& model, const owned_parameter& of) {
  for (std::int32_t input = 0; belongs_to_features(of) && input < of.owner->inputs; ++input) {
    const std::int32_t read = model.input_of(*of.owner, input);
    const bool known = image_behind(model, read).rank > 0 && !was_permuted(model, read);
    if (was_image(model, read) && !known) {
      return true;
    }
  }
  return false;
}

/// The same of what is made of a vector behind it.
inline shape image_ahead(const graph_view& model, std::int32_t vector) {
  for (const node& here : model.nodes) {
    if (here.inputs == 0 || here.outputs != 1 || model.input_of(here, 0) != vector) {
      continue;
    }
    const std::int32_t made = model.output_of(here, 0);
    const shape& extents = model.at(made).extents;
    if (reshapes(here) && extents.rank > 1) {
      return extents.rank > 2 || goes_to_convolution(model, made) ? extents : shape{};
    }
    return keeps_places(model, here) || reshapes(here) ? image_ahead(model, made) : shape{};
  }
  return {};
}

/// The axes of a vector of `count` features that an array has `stride` elements apart, and in the
/// order of an image with its channels first if `image` is one.
inline std::vector<walked_axis> feature_axes(std::int64_t count, const shape& image,
                                             std::int64_t stride) {
  if (image.rank == 0) {
    return {{count, stride}};
  }
  std::vector<walked_axis> axes(static_cast<std::size_t>(image.rank));
  std::int64_t pixels = 1;
  for (std::int32_t axis = image.rank - 1; axis-- > 0;) {
    axes[static_cast<std::size_t>(axis)] = {image[axis], pixels * stride};
    pixels *= image[axis];
  }
  axes.back() = {image[image.rank - 1], pixels * stride};
  return axes;
}

}  // namespace exchange

}  // namespace ipu_dsl
