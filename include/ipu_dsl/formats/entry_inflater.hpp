// SPDX-License-Identifier: MIT
// What unpacks an entry of an archive, by its type alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <ipu_dsl/core/standard.hpp>

namespace ipu_dsl {

/// Unpacks raw deflated bytes to exactly `size`; `inflate_entry` of formats/gzip.hpp is one.
using entry_inflater = std::vector<std::uint8_t> (*)(std::span<const std::uint8_t> bytes,
                                                     std::size_t size, const std::string& name);

}  // namespace ipu_dsl
