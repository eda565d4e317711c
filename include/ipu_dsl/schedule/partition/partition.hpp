// SPDX-License-Identifier: MIT
// Layers dealt out to stages, neighbours together, so that the most expensive stage is as cheap as
// can be.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ipu_dsl/core/list.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/problem.hpp>

namespace ipu_dsl {

/// Stage s holds the layers [first_layer_of_stage[s], first_layer_of_stage[s + 1]), at least one.
struct partition {
  list<int> first_layer_of_stage;  ///< [stages + 1], the last entry being the number of layers
  std::int64_t bottleneck = 0;     ///< cost of the most expensive stage, or of a cut above it

  /// 0 if there is no such partition.
  constexpr int stages() const {
    return first_layer_of_stage.empty() ? 0 : static_cast<int>(first_layer_of_stage.size()) - 1;
  }
};

namespace partitioning {

/// No bound on bytes.
inline constexpr std::int64_t unlimited = INT64_MAX;

/// 0, c0, c0 + c1, ..: what layers [begin, end) cost is sums[end] - sums[begin].
constexpr list<std::int64_t> running_sums(list_view<std::int64_t> costs) {
  list<std::int64_t> sums;
  sums.reserve(costs.size() + 1);
  std::int64_t sum = 0;
  sums.push_back(sum);
  for (const std::int64_t cost : costs) {
    sum += cost;
    sums.push_back(sum);
  }
  return sums;
}

/// What a search looks at. Raw pointers: an index costs one step of constant evaluation.
struct searched {
  const std::int64_t* cost;   ///< running sums, [layers + 1]
  const std::int64_t* bytes;  ///< running sums, [layers + 1]
  std::int64_t bytes_limit;   ///< of a stage
};

/// The end of the longest range that begins at `begin` and does not exceed the limit.
constexpr int longest_from(const std::int64_t* sums, int begin, int layers, std::int64_t limit) {
  int low = begin;
  int high = layers;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (sums[middle] - sums[begin] <= limit) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/// The begin of the longest range that ends at `end`, not before `least`.
constexpr int longest_to(const std::int64_t* sums, int end, int least, std::int64_t limit) {
  int low = least;
  int high = end - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (sums[end] - sums[middle] <= limit) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Fills stages from the left, each up to `bound`. Returns the bottleneck reached, or, if layers
/// are left over, -1 less the least bound that could change that (which saves the bisection most of
/// its steps).
constexpr std::int64_t fill_from_left(const searched& search, int layers, int stages,
                                      std::int64_t bound) {
  std::int64_t bottleneck = 0;
  std::int64_t next_bound = INT64_MAX - 1;
  int begin = 0;
  for (int stage = 0; stage < stages && begin < layers; ++stage) {
    int end = longest_from(search.cost, begin, layers, bound);
    const bool full = end < layers;
    if (search.bytes_limit != unlimited) {
      end = longest_from(search.bytes, begin, end, search.bytes_limit);
    }
    const std::int64_t cost = search.cost[end] - search.cost[begin];
    bottleneck = bottleneck < cost ? cost : bottleneck;
    if (full) {
      const std::int64_t more = search.cost[end + 1] - search.cost[begin];
      next_bound = more > bound && more < next_bound ? more : next_bound;
    }
    begin = end;
  }
  return begin == layers ? bottleneck : -1 - next_bound;
}

/// The least bottleneck of the first `layers` layers in `stages` stages, `enough` being possible.
constexpr std::int64_t least_bottleneck(const searched& search, int layers, int stages,
                                        std::int64_t enough) {
  std::int64_t low = (search.cost[layers] + stages - 1) / stages;
  std::int64_t high = enough;
  while (low < high) {
    const std::int64_t reached = fill_from_left(search, layers, stages, low + (high - low) / 2);
    if (reached >= 0) {
      high = reached;
    } else {
      low = -1 - reached;
    }
  }
  return high;
}

/// Cuts off the last stage again and again, as `min_max_partition` says.
constexpr partition cut_from_right(const searched& search, int layers, int stages) {
  partition cut;
  cut.first_layer_of_stage.resize(stages + 1);
  int* const first = cut.first_layer_of_stage.data();
  first[stages] = layers;
  cut.bottleneck = least_bottleneck(search, layers, stages, search.cost[layers]);
  std::int64_t bottleneck = cut.bottleneck;
  for (int stage = stages - 1; stage > 0; --stage) {
    const int end = first[stage + 1];
    int begin = longest_to(search.cost, end, stage, bottleneck);
    if (search.bytes_limit != unlimited) {
      begin = longest_to(search.bytes, end, begin, search.bytes_limit);
    }
    first[stage] = begin;
    bottleneck = least_bottleneck(search, begin, stage, bottleneck);
  }
  return cut;
}

}  // namespace partitioning

/// Why layers cannot be dealt out to so many stages, if they cannot: every stage gets a layer.
constexpr problem partition_problem(int layers, int stages) {
  problem found;
  if (stages < 1) {
    found.expected = "at least 1 stage";
    found.got << stages;
  } else if (layers < stages) {
    found.expected << "a layer for each of " << how_many(stages, "stage");
    found.got << how_many(layers, "layer");
    found.hint << "use at most " << how_many(layers, "stage");
  }
  return found;
}

/// The partition with the least bottleneck; exact, by bisection over bottlenecks. Costs are not
/// negative; their sum is below 2^62. Of several such partitions it is the one whose last stage is
/// longest and whose other stages, by the same rule, are a partition with the least bottleneck of
/// their own layers. Without any stage if `partition_problem` finds something.
constexpr partition min_max_partition(list_view<std::int64_t> costs, int stages) {
  const int layers = static_cast<int>(costs.size());
  if (partition_problem(layers, stages).found()) {
    return {};
  }
  const list<std::int64_t> sums = partitioning::running_sums(costs);
  return partitioning::cut_from_right({sums.data(), sums.data(), partitioning::unlimited}, layers,
                                      stages);
}

/// How many stages of at most `limit` each, from the left; -1 - layer if a layer alone exceeds it.
constexpr int stages_needed(list_view<std::int64_t> costs, std::int64_t limit) {
  int stages = 1;
  std::int64_t sum = 0;
  for (std::size_t layer = 0; layer < costs.size(); ++layer) {
    if (costs[layer] > limit) {
      return -1 - static_cast<int>(layer);
    }
    const bool full = costs[layer] > limit - sum;
    stages += full ? 1 : 0;
    sum = full ? costs[layer] : sum + costs[layer];
  }
  return stages;
}

/// Why layers cannot be dealt out to so many stages of at most `bytes_limit` bytes.
constexpr problem partition_problem(list_view<std::int64_t> bytes, std::int64_t bytes_limit,
                                    int stages) {
  problem found = partition_problem(static_cast<int>(bytes.size()), stages);
  if (found.found()) {
    return found;
  }
  const int needed = stages_needed(bytes, bytes_limit);
  if (needed < 0) {
    found.expected << "layers of at most " << bytes_limit << " bytes, the limit of a stage";
    found.got << "layer " << -1 - needed << " of " << bytes[-1 - needed] << " bytes";
  } else if (needed > stages) {
    found.expected << "at least " << needed << " stages of at most " << bytes_limit << " bytes";
    found.got << stages;
    found.hint << "use " << needed << " stages, or allow "
               << min_max_partition(bytes, stages).bottleneck << " bytes a stage";
  }
  return found;
}

/// The same with at most `bytes_limit` bytes a stage; bytes are [layers]. Without any stage if
/// `partition_problem` finds something.
constexpr partition min_max_partition(list_view<std::int64_t> costs, list_view<std::int64_t> bytes,
                                      std::int64_t bytes_limit, int stages) {
  if (partition_problem(bytes, bytes_limit, stages).found()) {
    return {};
  }
  const list<std::int64_t> cost_sums = partitioning::running_sums(costs);
  const list<std::int64_t> byte_sums = partitioning::running_sums(bytes);
  return partitioning::cut_from_right({cost_sums.data(), byte_sums.data(), bytes_limit},
                                      static_cast<int>(costs.size()), stages);
}

/// The same where a cut costs too: a cut before layer l takes `hops[l]` ([layers], the first one
/// unused), and the bottleneck is the most expensive stage or cut. Dynamic programming over
/// prefixes, O(layers^2 x stages) at worst; ties as above.
constexpr partition min_max_partition_with_hops(list_view<std::int64_t> costs,
                                                list_view<std::int64_t> hops, int stages) {
  const int layers = static_cast<int>(costs.size());
  if (partition_problem(layers, stages).found()) {
    return {};
  }
  const list<std::int64_t> sum_storage = partitioning::running_sums(costs);
  const std::int64_t* const sums = sum_storage.data();
  const std::int64_t* const hop = hops.data();
  // Of the first `end` layers in as many stages as were added: the bottleneck, and the last cut.
  list<std::int64_t> best_storage = sum_storage;
  std::int64_t* const best = best_storage.data();
  const int width = layers + 1;
  list<int> last_cut(stages * width);
  for (int stage = 1; stage < stages; ++stage) {
    // Downwards, because a longer prefix reads what shorter ones were a stage before.
    for (int end = layers; end > stage; --end) {
      std::int64_t least = INT64_MAX;
      for (int begin = end - 1; begin >= stage && sums[end] - sums[begin] <= least; --begin) {
        std::int64_t bottleneck = sums[end] - sums[begin];
        bottleneck = bottleneck < best[begin] ? best[begin] : bottleneck;
        bottleneck = bottleneck < hop[begin] ? hop[begin] : bottleneck;
        if (bottleneck <= least) {
          least = bottleneck;
          last_cut.data()[stage * width + end] = begin;
        }
      }
      best[end] = least;
    }
  }
  partition cut;
  cut.bottleneck = best[layers];
  cut.first_layer_of_stage.resize(stages + 1);
  int* const first = cut.first_layer_of_stage.data();
  first[stages] = layers;
  for (int stage = stages - 1; stage > 0; --stage) {
    first[stage] = last_cut.data()[stage * width + first[stage + 1]];
  }
  return cut;
}

}  // namespace ipu_dsl
