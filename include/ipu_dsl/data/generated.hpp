// SPDX-License-Identifier: MIT
// Data that a function makes: by number, as a data set; or one after the other, as a feed.
// Over 300 lines: both ways, each with what is said of a function that makes something else.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <ipu_dsl/core/diagnose.hpp>
#include <ipu_dsl/core/error.hpp>
#include <ipu_dsl/core/feed.hpp>
#include <ipu_dsl/core/list_view.hpp>
#include <ipu_dsl/core/type_name.hpp>
#include <ipu_dsl/data/batch_feed.hpp>
#include <ipu_dsl/data/element_form.hpp>
#include <ipu_dsl/data/feed.hpp>
#include <ipu_dsl/data/sample_reader.hpp>
#include <ipu_dsl/data/transform.hpp>

namespace ipu_dsl {

namespace datasets {

/// Whether a function takes arguments and a span of each source of a form.
template <typename Result, typename Function, typename Form, typename... First,
          std::size_t... Source>
constexpr bool makes_element(std::index_sequence<Source...>) {
  return std::is_invocable_r_v<Result, Function, First...,
                               typename source_spans<Form>::template written<Source>...>;
}

/// The same of all sources.
template <typename Result, typename Function, typename Form, typename... First>
constexpr bool makes_elements() {
  return makes_element<Result, Function, Form, First...>(
      std::make_index_sequence<source_spans<Form>::count>());
}

}  // namespace datasets

/// Samples that a function makes of their numbers, of the form of `Columns`. Owns the function.
template <typename Function, typename... Columns>
class generated_dataset {
  using form = element_form<Columns...>;
  using spans = datasets::source_spans<form>;

 public:
  static constexpr auto inputs = form::inputs;
  static constexpr auto targets = form::targets;
  static constexpr auto weights = form::weights;

  using scratch = datasets::sample_memory<form>;

  /// Throws `error` for fewer than 0 samples.
  generated_dataset(std::int64_t samples, Function function)
      : size_(samples), function_(std::move(function)) {
    if (samples < 0) {
      raise_error({"generated makes 0 samples or more, got ", samples, "."});
    }
  }

  /// How many samples there are.
  std::int64_t size() const { return size_; }

  /// Room for what nobody asks for.
  scratch make_scratch() const { return {}; }

  /// Writes sample `index` into a row of `to`.
  void read(scratch& room, std::uint32_t index, std::span<const source_rows> to,
            std::int32_t row) const {
    const std::array<source_rows, spans::count> rows =
        room.template complete<spans::count>(to, row);
    call(index, rows, std::make_index_sequence<spans::count>());
  }

 private:
  template <std::size_t... Source>
  void call(std::uint32_t index, const std::array<source_rows, spans::count>& rows,
            std::index_sequence<Source...>) const {
    function_(index, spans::template cleared<Source>(rows[Source])...);
  }

  std::int64_t size_;
  Function function_;
};

/// What is wrong with a function that makes elements.
template <typename Form, bool ByNumber>
struct generated_fault_of {
  static constexpr problem find() {
    problem found =
        refuse(label("a function of ")
                   << (ByNumber ? "std::uint32_t, " : "") << datasets::describe_spans<Form>(true)
                   << (ByNumber ? "" : " that returns a bool"),
               "one that is none",
               ByNumber ? "it makes sample number i, wherever it is asked for it; not "
                          "mutable"
                        : "it writes the next sample and returns true, or returns false at "
                          "the end; it can be copied");
    found.where = ByNumber ? "generated" : "from_generator";
    return found;
  }

  static constexpr problem value = find();
};

/// A data set of `samples` samples, each made of its number whenever it is read, by whatever thread
/// reads it; `uniform_unit(random_word(seed, 0, i))` gives it a random number that is always the
/// same. The columns say what an element is; the function gets a span of each source, inputs before
/// targets before weights, in which what it does not write is 0:
///
///   const auto waves = generated<feature_column<shape{64}>, label_column<2>>(
///       10'000, [](std::uint32_t i, std::span<float> wave, std::span<std::int32_t> kind) { ... });
///
/// Throws `error` for a negative number of samples.
template <typename... Columns, typename Function>
auto generated(std::int64_t samples, Function function) {
  using form = element_form<Columns...>;
  if constexpr (datasets::makes_elements<void, const Function&, form, std::uint32_t>()) {
    return generated_dataset<Function, Columns...>(samples, std::move(function));
  } else {
    static_assert(diagnose<generated_fault_of<form, true>>());
    return refused_data();
  }
}

/// What is wrong with a count behind the function.
template <typename Function>
struct generated_order_fault_of {
  static constexpr problem find() {
    problem found = refuse("the number of samples, then the function that makes one", "a function",
                           "write generated<feature_column<shape{64}>, label_column<2>>(10'000, "
                           "[](std::uint32_t i, std::span<float> wave, ...) { ... })");
    found.where = "generated";
    return found;
  }

  static constexpr problem value = find();
};

/// Refused with a sentence: the two in the other order.
template <typename... Columns, typename Function, std::integral Number>
  requires(!std::convertible_to<const Function&, std::int64_t>)
refused_data generated(const Function&, Number) {
  static_assert(diagnose<generated_order_fault_of<Function>>());
  return {};
}

/// A feed of what a function makes, one sample after the other. Owns the function, and a copy of it
/// as it was at the beginning.
template <typename Function, typename... Columns>
class generator_feed {
  using form = element_form<Columns...>;
  using spans = datasets::source_spans<form>;

 public:
  /// Throws `error` for fewer than 0 samples.
  generator_feed(Function function, std::optional<std::int64_t> samples)
      : first_(std::move(function)), samples_(samples) {
    if (samples.value_or(0) < 0) {
      raise_error({"from_generator gives 0 samples or more, got ", *samples, "."});
    }
    now_.emplace(first_);
  }

  std::int32_t next(const feed_rows& rows) {
    std::int32_t valid = 0;
    while (valid < rows.micro_batch && given_ != samples_.value_or(-1) && make(rows, valid)) {
      ++valid;
      ++given_;
    }
    feeds::clear_unused(rows, valid);
    return valid;
  }

  void restart() {
    now_.emplace(first_);
    given_ = 0;
  }

  std::span<const source_form> sources() const { return forms; }

  std::optional<std::int64_t> length() const { return samples_; }

  feed_position position() const { return {static_cast<std::uint64_t>(given_)}; }

  /// Makes as many samples again and drops them. A function that comes to its end before, which is
  /// an `error`, leaves the feed there.
  void go_to(list_view<std::uint64_t> where) {
    const std::uint64_t most =
        static_cast<std::uint64_t>(samples_.value_or((std::numeric_limits<std::int64_t>::max)()));
    if (where.size() != 1 || where[0] > most) {
      raise_error("This is no position among the samples of this from_generator.");
    }
    restart();
    while (static_cast<std::uint64_t>(given_) < where[0]) {
      if (!make({}, 0)) {
        raise_error({"The function of from_generator ended behind ", given_,
                     " samples; it had made ", where[0], " before."});
      }
      ++given_;
    }
  }

 private:
  static constexpr auto forms = feeds::forms_of<generated_dataset<Function, Columns...>>();

  bool make(const feed_rows& rows, std::int32_t row) {
    const std::array<source_rows, spans::count> to =
        room_.template complete<spans::count>(rows.sources, row);
    return call(to, std::make_index_sequence<spans::count>());
  }

  template <std::size_t... Source>
  bool call(const std::array<source_rows, spans::count>& to, std::index_sequence<Source...>) {
    return (*now_)(spans::template cleared<Source>(to[Source])...);
  }

  Function first_;
  std::optional<Function> now_;
  std::optional<std::int64_t> samples_;
  std::int64_t given_ = 0;
  datasets::sample_memory<form> room_;
};

/// A feed of what a function makes, one sample after the other, as `Dataset.from_generator`. The
/// columns say what an element is; the function gets a span of each source, inputs before targets
/// before weights, writes them and returns true, or false at the end of its data; what it does not
/// write is 0. A pass has `samples` of them and begins with a copy of the function as it was given;
/// without a number it has no end, and a function that comes to one is an error of whoever trains.
/// Throws `error` for a negative number.
///
///   auto source = from_generator<feature_column<shape{2}>, target_column<shape{1}>>(
///       [t = 0](std::span<float> x, std::span<float> y) mutable { ...; return true; }, 1'000);
template <typename... Columns, typename Function>
auto from_generator(Function function, std::optional<std::int64_t> samples = std::nullopt) {
  using form = element_form<Columns...>;
  if constexpr (datasets::makes_elements<bool, Function&, form>() &&
                std::copy_constructible<Function>) {
    return generator_feed<Function, Columns...>(std::move(function), samples);
  } else {
    static_assert(diagnose<generated_fault_of<form, false>>());
    return refused_data();
  }
}

/// A feed whose micro-batches a function changes. Owns the function, and the feed if `Source` is no
/// reference.
template <typename Source, typename Function>
class batches_mapped_feed {
 public:
  batches_mapped_feed(Source source, Function function)
      : source_(static_cast<Source&&>(source)), function_(std::move(function)) {}

  std::int32_t next(const feed_rows& rows) {
    const std::int32_t valid = source_.next(rows);
    if (valid > 0 && valid <= rows.micro_batch) {
      function_(rows, valid);
    }
    return valid;
  }

  void restart() { source_.restart(); }

  std::span<const source_form> sources() const { return source_.sources(); }

  std::optional<std::int64_t> length() const { return source_.length(); }

  bool has_position() const
    requires placed_feed<std::remove_reference_t<Source>>
  {
    return says_position(source_);
  }

  /// That of the feed: the function is taken to keep nothing from micro-batch to micro-batch.
  feed_position position() const
    requires placed_feed<std::remove_reference_t<Source>>
  {
    return source_.position();
  }

  void go_to(list_view<std::uint64_t> where)
    requires placed_feed<std::remove_reference_t<Source>>
  {
    source_.go_to(where);
  }

 private:
  Source source_;
  Function function_;
};

/// A feed whose micro-batches a function changes where they are, all samples at once:
/// `[](const feed_rows& rows, std::int32_t samples) { ... rows.sources[0].floats(row) ... }`. It
/// leaves the padding behind samples zero, and rows behind the last sample. A feed with a name is
/// referred to and must outlive what is made, another is taken in.
template <typename Source, typename Function>
  requires feed<std::remove_reference_t<Source>> &&
           std::invocable<Function&, const feed_rows&, std::int32_t>
batches_mapped_feed<Source, Function> mapped_batches(Source&& source, Function function) {
  return {std::forward<Source>(source), std::move(function)};
}

}  // namespace ipu_dsl
