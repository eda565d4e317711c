// SPDX-License-Identifier: MIT
// The code of all layers that we bring: the one list of it.
#pragma once

#include <ipu_dsl/operators/activation.hpp>
#include <ipu_dsl/operators/batch_normalization.hpp>
#include <ipu_dsl/operators/conv2d.hpp>
#include <ipu_dsl/operators/conv3d.hpp>
#include <ipu_dsl/operators/dense.hpp>
#include <ipu_dsl/operators/dot.hpp>
#include <ipu_dsl/operators/dropout.hpp>
#include <ipu_dsl/operators/embedding.hpp>
#include <ipu_dsl/operators/group_normalization.hpp>
#include <ipu_dsl/operators/gru.hpp>
#include <ipu_dsl/operators/join.hpp>
#include <ipu_dsl/operators/layer_normalization.hpp>
#include <ipu_dsl/operators/locally_connected1d.hpp>
#include <ipu_dsl/operators/lstm.hpp>
#include <ipu_dsl/operators/masked_steps.hpp>
#include <ipu_dsl/operators/merge.hpp>
#include <ipu_dsl/operators/multi_head_attention.hpp>
#include <ipu_dsl/operators/noise.hpp>
#include <ipu_dsl/operators/permute.hpp>
#include <ipu_dsl/operators/pooling.hpp>
#include <ipu_dsl/operators/position_embedding.hpp>
#include <ipu_dsl/operators/prelu.hpp>
#include <ipu_dsl/operators/repack.hpp>
#include <ipu_dsl/operators/rescaling.hpp>
#include <ipu_dsl/operators/resize.hpp>
#include <ipu_dsl/operators/sequence_ends.hpp>
#include <ipu_dsl/operators/simple_rnn.hpp>
