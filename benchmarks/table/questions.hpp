// SPDX-License-Identifier: MIT
// The network with random weights and samples, and how results of libraries are compared.
#pragma once

#include "peers/network.hpp"
#include "peers/update.hpp"
#include "table/contest.hpp"

namespace table {

/// A network and `micro_batches` micro-batches of samples, the same in every run.
peers::network_question make_question(int micro_batch, int micro_batches);

/// At least so many parameters, whole vectors of them. No gradient is so small that it matters
/// where a library adds epsilon.
peers::update_question make_update_question(std::size_t elements, int sets);

/// How far parameters are apart: the largest difference over all, relative to the largest change
/// from `start`.
double largest_difference(const peers::network_weights& a, const peers::network_weights& b,
                          const peers::network_weights& start);

/// The same of all differences together: the root of the sum of their squares, relative to that of
/// the changes.
double usual_difference(const peers::network_weights& a, const peers::network_weights& b,
                        const peers::network_weights& start);

/// Parameters of the network.
std::size_t elements_of(const peers::network_weights& weights);

}  // namespace table
