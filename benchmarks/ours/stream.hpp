// SPDX-License-Identifier: MIT
// The two calls of a predictor of single samples.
#pragma once

#include <memory>

#include "peers/network.hpp"

namespace ours {

/// Two predictors that share their weights, as predictors may.
struct stream_calls {
  std::unique_ptr<peers::predictor_contestant> push;     ///< results stay in its memory
  std::unique_ptr<peers::predictor_contestant> predict;  ///< writes results to the caller's memory
};

/// For questions of one sample, which must outlive them.
stream_calls make_stream_calls(const peers::network_question& question);

}  // namespace ours
