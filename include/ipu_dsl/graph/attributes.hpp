// SPDX-License-Identifier: MIT
// What a layer's options said, carried by a node that does not know its family's types.
#pragma once

#include <ipu_dsl/graph/packed_words.hpp>

namespace ipu_dsl {

/// A family's own plain struct of options.
using attributes = packed_words;

}  // namespace ipu_dsl
