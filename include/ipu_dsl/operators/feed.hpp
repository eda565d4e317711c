// SPDX-License-Identifier: MIT
// What comes in and goes out of a program: infeed and outfeed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/graph/transfer.hpp>
#include <ipu_dsl/layout/padding.hpp>
#include <ipu_dsl/operators/operators.hpp>

namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE {

template <>
struct operators<&infeed_family> {
  using key = infeed_call;

  template <infeed_call Call>
  static void run(const run_context& context, void* const* operands, const float*) {
    source_rows sources[std::size_t{Call.sources}];
    for (std::size_t i = 0; i < std::size_t{Call.sources}; ++i) {
      sources[i] = rows_of(Call.source[i], operands[i]);
    }
    const feed_rows rows{.sources = sources, .micro_batch = Call.batch};
    const std::int32_t valid = context.feed->next(rows, context.stop);
    const std::span<const source_form> forms = context.feed->sources();
    for (std::size_t i = 0; i < std::size_t{Call.sources}; ++i) {
      if (Call.source[i].type == dtype::int32) {
        const char* const what = static_cast<std::int32_t>(i) < Call.inputs ? "input " : "label ";
        check_integers(sources[i], Call.batch, valid, {what, forms[i].classes});
      }
    }
    context.valid[context.micro_batch] = valid;
  }

 private:
  /// Only rows of floats are padded.
  static source_rows rows_of(const infeed_source& source, void* memory) {
    const bool padded = source.type == dtype::float32;
    return {.type = source.type,
            .first = memory,
            .elements = source.elements,
            .stride = padded ? layout::row_stride(source.elements) : source.elements};
  }

  /// What the integers of a source are, and how many of them there are.
  struct chosen_from {
    const char* what;
    std::int32_t classes;
  };

  /// An integer is an index: one that is no class would be read outside what it chooses from.
  static void check_integers(const source_rows& rows, std::int32_t batch, std::int32_t valid,
                             const chosen_from& source) {
    for (std::int32_t row = 0; row < batch; ++row) {
      for (const std::int32_t found : list_view<std::int32_t>(rows.integers(row))) {
        if (found < 0 || found >= source.classes) {
          refuse_integer(found, row < valid, valid, source);
        }
      }
    }
  }

  [[noreturn, gnu::noinline]] static void refuse_integer(std::int32_t found, bool of_sample,
                                                         std::int32_t valid,
                                                         const chosen_from& source) {
    if (of_sample) {
      raise_error(
          {"The data have the ", source.what, found, "; expected 0 to ", source.classes - 1, "."});
    }
    raise_error({"A feed left the ", source.what, found, " behind the ", valid,
                 " samples of a micro-batch; expected 0."});
  }
};

template <>
struct operators<&outfeed_family> {
  using key = outfeed_call;

  template <outfeed_call Call>
  static void run(const run_context& context, void* const* operands, const float*) noexcept {
    if (context.outputs == nullptr) {
      return;  // Of training, where nobody takes them.
    }
    constexpr std::int32_t elements = Call.elements;
    constexpr std::ptrdiff_t stride = layout::row_stride(elements);
    const float* read = floats(operands[0]);
    const std::uint64_t first = context.first_sample - context.first_handed_out;
    float* row = context.outputs[Call.output] + first * std::uint64_t{elements};
    for (std::int32_t sample = 0; sample < context.valid_samples(); ++sample) {
      for (std::int32_t i = 0; i < elements; ++i) {
        row[i] = read[sample * stride + i];
      }
      row += elements;
    }
  }
};

}  // namespace ipu_dsl::inline IPU_DSL_ARCHITECTURE
