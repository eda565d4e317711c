// SPDX-License-Identifier: MIT
// How fast data come: so many elements through an infeed with nobody computing on them.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/data/feed.hpp>
#include <ipu_dsl/queues/infeed_queue.hpp>
#include <ipu_dsl/runtime/host_clock.hpp>

namespace ipu_dsl {

struct benchmark_options {
  std::int64_t number_of_epochs = 1;
  std::int64_t elements_per_epoch = 1;  ///< an element is a micro-batch
  bool print_stats = true;              ///< a line an epoch and number, on stderr
  bool do_memcpy = true;                ///< elements are copied out of the queue, as for a model
};

/// One epoch, all as the reference names and means it.
struct benchmark_epoch {
  double elements_processed = 0;
  double total_bytes_processed = 0;
  double time_elapsed = 0;  ///< seconds
  double elements_per_second = 0;
  double bandwidth = 0;  ///< 10^9 bytes a second
};

struct benchmark_result {
  std::vector<benchmark_epoch> epochs;

  /// {"epochs":[{"elements_processed":..., "total_bytes_processed":..., "time_elapsed":...,
  /// "elements_per_second":..., "bandwidth":...}, ...]}, all numbers being floats.
  std::string json() const {
    std::string made = "{\"epochs\":[";
    for (std::size_t i = 0; i < epochs.size(); ++i) {
      made += i == 0 ? "{" : ",{";
      append(made, "\"elements_processed\":", epochs[i].elements_processed);
      append(made, ",\"total_bytes_processed\":", epochs[i].total_bytes_processed);
      append(made, ",\"time_elapsed\":", epochs[i].time_elapsed);
      append(made, ",\"elements_per_second\":", epochs[i].elements_per_second);
      append(made, ",\"bandwidth\":", epochs[i].bandwidth);
      made += "}";
    }
    return made + "]}";
  }

 private:
  static void append(std::string& made, const char* key, double value) {
    char written[32];
    std::snprintf(written, sizeof written, "%.15g", value);
    const std::string number = written;
    made += key + number + (number.find_first_of(".en") == std::string::npos ? ".0" : "");
  }
};

/// Takes elements out of an infeed as fast as it gives them; the time includes the thread that
/// fills it. Throws `error` for fewer epochs or elements than 1, or if the data end.
inline benchmark_result infeed_benchmark(infeed_queue& infeed, const benchmark_options& wanted) {
  if (wanted.number_of_epochs < 1) {
    raise_error(
        {"A benchmark has a number_of_epochs of at least 1, got ", wanted.number_of_epochs, "."});
  }
  if (wanted.elements_per_epoch < 1) {
    raise_error(
        {"A benchmark has elements_per_epoch of at least 1, got ", wanted.elements_per_epoch, "."});
  }
  std::vector<std::vector<std::byte>> memory;
  std::vector<source_rows> sources;
  std::size_t bytes = 0;
  for (const source_form& each : infeed.sources()) {
    const auto elements = static_cast<std::int32_t>(each.elements);
    memory.emplace_back(static_cast<std::size_t>(bytes_of(each.type)) *
                        static_cast<std::size_t>(infeed.micro_batch()) *
                        static_cast<std::size_t>(each.elements));
    bytes += memory.back().size();
    sources.push_back({each.type, memory.back().data(), elements, elements});
  }
  const feed_rows rows{
      wanted.do_memcpy ? std::span<const source_rows>(sources) : std::span<const source_rows>(),
      infeed.micro_batch()};
  benchmark_result found;
  for (std::int64_t epoch = 0; epoch < wanted.number_of_epochs; ++epoch) {
    const std::int64_t begin = steady_nanoseconds();
    for (std::int64_t element = 0; element < wanted.elements_per_epoch; ++element) {
      if (infeed.next(rows) != infeed.micro_batch()) {
        raise_error({"The data ended behind ", element, " of ", wanted.elements_per_epoch,
                     " elements of epoch ", epoch, ". Hint: repeat them."});
      }
    }
    benchmark_epoch made;
    made.elements_processed = static_cast<double>(wanted.elements_per_epoch);
    made.total_bytes_processed = made.elements_processed * static_cast<double>(bytes);
    made.time_elapsed = std::fmax(static_cast<double>(steady_nanoseconds() - begin), 1.0) * 1e-9;
    made.elements_per_second = made.elements_processed / made.time_elapsed;
    made.bandwidth = made.total_bytes_processed * 1e-9 / made.time_elapsed;
    found.epochs.push_back(made);
    if (wanted.print_stats) {
      std::fprintf(stderr, "Processed: %g elements/second.\nBandwidth: %g GB/s.\n",
                   made.elements_per_second, made.bandwidth);
    }
  }
  return found;
}

/// The same of data, `digits | shuffled(10'000) | repeated()`, or of a feed, behind an infeed that
/// is made for it. Data must be repeated where they have fewer elements than are asked for.
template <typename Source>
benchmark_result dataset_benchmark(Source&& source, const infeed_options& shape,
                                   const benchmark_options& wanted) {
  if constexpr (feed<std::remove_reference_t<Source>>) {
    infeed_queue infeed(source, shape);
    return infeed_benchmark(infeed, wanted);
  } else {
    auto made = make_feed(std::as_const(source), 1);
    infeed_queue infeed(made, shape);
    return infeed_benchmark(infeed, wanted);
  }
}

}  // namespace ipu_dsl
