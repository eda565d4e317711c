// SPDX-License-Identifier: MIT
// How libtorch is set up, whatever it is asked.
#pragma once

#include <torch/torch.h>

namespace peers {

/// One thread, which takes subnormals for zeros as ours does: what Adam keeps of pixels that are
/// always black becomes such numbers after some thousand steps, and torch's step 20 times as slow.
inline void settle() {
  at::set_num_threads(1);
  at::globalContext().setFlushDenormal(true);
}

}  // namespace peers
