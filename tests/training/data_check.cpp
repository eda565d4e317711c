// SPDX-License-Identifier: MIT
#include <ipu_dsl/graph/builder.hpp>
#include <ipu_dsl/plan/loss.hpp>
#include <ipu_dsl/training/data_check.hpp>

#include "support/catch2.hpp"
#include "support/checks.hpp"

using namespace ipu_dsl;
using tests::checks;

namespace {

/// Judged by labels of so many classes, or by floats of the output's shape if there are none.
constexpr family judge{.name = "judge", .shapes = [](node_draft& draft) {
                         const bool labels = draft.input(0).rank == 1;
                         draft.target(labels ? shape{} : draft.input(0),
                                      labels ? dtype::int32 : dtype::float32, draft.input(0)[0]);
                         draft.result(2);
                         return problem{};
                       }};

/// An input of one shape and an output of another, with nothing in between.
constexpr graph model_between(const shape& input, const shape& output,
                              dtype type = dtype::float32) {
  graph made;
  static_cast<void>(add_source(made, input, type, tensor_role::input));
  const std::int32_t scores[] = {add_source(made, output, dtype::float32, tensor_role::activation)};
  made.outputs.push_back({scores[0], -1});
  static_cast<void>(add_node(made, judge, {}, scores, 0, -1, -1, node_purpose::loss));
  return made;
}

constexpr sentence said_of(const graph& made, const data_form& data) {
  const problem found = check_data(made.view(), data);
  return found.found() ? found.message() : sentence();
}

constexpr sentence said_of_inputs(const graph& made, list_view<data_source> inputs) {
  const problem found = check_inputs(made.view(), inputs);
  return found.found() ? found.message() : sentence();
}

/// Of one input and one target.
constexpr sentence said_of(const graph& made, const data_source& input, const data_source& target) {
  return said_of(made, {{&input, 1}, {&target, 1}});
}

constexpr sentence said_of_data(const shape& input, const shape& sample, std::int32_t classes) {
  return said_of(model_between(input, {10}), {.extents = sample}, {{}, dtype::int32, classes});
}

constexpr sentence said_of_rank(const shape& input, std::int32_t rank) {
  const graph made = model_between(input, {10});
  const problem found = check_rank(made.view(), rank);
  return found.found() ? found.message() : sentence();
}

constexpr checks test_unit_extents() {
  checks done;
  done.that(without_unit_extents({28, 28, 1}) == shape{28, 28});
  done.that(without_unit_extents({1, 28, 1, 28}) == shape{28, 28});
  done.that(without_unit_extents({28, 28}) == shape{28, 28});
  done.that(without_unit_extents({1}) == shape{});
  done.that(without_unit_extents({}) == shape{});
  return done;
}

/// Of several inputs it says which.
constexpr checks test_columns_of_several() {
  graph made = model_between({4}, {10});
  static_cast<void>(add_source(made, {5}, dtype::int32, tensor_role::input));
  const data_source swapped[] = {{{5}, dtype::int32, 9}, {.extents = {4}}};
  const data_source second_too_long[] = {{.extents = {4}}, {{6}, dtype::int32, 9}};
  checks done;
  done.that(
      said_of_inputs(made, swapped).view().starts_with("input 0 of the data, counted from 0: "));
  done.that(said_of_inputs(made, second_too_long)
                .view()
                .starts_with("input 1 of the data, counted from 0: "));
  done.that(said_of_inputs(made, {swapped, 1}).view().starts_with("the data: expected 2 inputs"));
  return done;
}

constexpr checks test_data_that_fit() {
  checks done;
  done.that(said_of_data({28, 28}, {28, 28}, 10).empty());
  done.that(said_of_data({28, 28}, {28, 28, 1}, 10).empty());
  done.that(said_of_data({28, 28, 1}, {28, 28}, 10).empty());
  done.that(said_of_data({8}, {8}, 1).empty());
  return done;
}

constexpr bool test_rank_that_fits() {
  return said_of_rank({28, 28}, 3).empty() && said_of_rank({784}, 2).empty();
}

static_assert(test_unit_extents());
static_assert(test_data_that_fit());
static_assert(test_columns_of_several());
static_assert(test_rank_that_fits());

}  // namespace

TEST_CASE("a channel more or less makes no other image") {
  CHECK(test_unit_extents());
  CHECK(test_data_that_fit());
}

TEST_CASE("samples of another shape are refused, even of as many values") {
  CHECK(said_of_data({8, 6, 3}, {3, 8, 6}, 10).view() ==
        "the data: expected samples of shape (8, 6, 3), got (3, 8, 6). Hint: the data have the "
        "channels of an image in front: here they are the last axis, so transpose the data");
  CHECK(
      said_of_data({8, 6, 3}, {6, 8, 3}, 10).view() ==
      "the data: expected samples of shape (8, 6, 3), got (6, 8, 3). Hint: give the model's input "
      "the shape of the data");
  CHECK(said_of_data({28, 28}, {14, 56}, 10).view() ==
        "the data: expected samples of shape (28, 28), got (14, 56). Hint: give the model's input "
        "the shape of the data");
  CHECK(said_of_data({28, 28}, {784}, 10).view() ==
        "the data: expected samples of shape (28, 28), got (784). Hint: give the model's input "
        "the shape of the data");
}

TEST_CASE("what only predicts asks nothing of targets") {
  const graph model = model_between({8}, {10});
  const data_source fits{.extents = {8}};
  const data_source another{.extents = {9}};
  const data_source both[] = {fits, fits};
  CHECK(said_of_inputs(model, {&fits, 1}).empty());
  CHECK(said_of_inputs(model, {&another, 1}).view() ==
        "the data: expected samples of shape (8), got (9). Hint: give the model's input the shape "
        "of the data");
  const data_source batches{.extents = {4, 8}};
  CHECK(said_of_inputs(model, {&batches, 1}).view() ==
        "the data: expected samples of shape (8), got (4, 8). Hint: data are single samples, "
        "of which micro_batch<4> of compile makes batches; or give the model's input the shape of "
        "the data");
  CHECK(said_of_inputs(model, both).view() ==
        "the data: expected 1 input, got 2 inputs. Hint: take out what the model has no input for");
}

TEST_CASE("more classes than the model scores are refused") {
  CHECK(said_of_data({8}, {8}, 11).view() ==
        "the data: expected labels of at most 10 classes, as many as the model scores, got 11 "
        "classes. Hint: end the model in as many units as classes");
}

TEST_CASE("integers are of no more classes than the model knows") {
  graph of_words = model_between({3}, {10}, dtype::int32);
  for (tensor& atom : of_words.tensors) {
    atom.classes = atom.role == tensor_role::input ? 9 : atom.classes;
  }
  const data_source label{{}, dtype::int32, 10};
  CHECK(said_of(of_words, {{3}, dtype::int32, 9}, label).empty());
  CHECK(
      said_of(of_words, {{3}, dtype::int32, 20}, label).view() ==
      "the data: expected integers of at most 9 classes, got 20 classes. Hint: give the Embedding "
      "as many rows as the data have classes");
}

TEST_CASE("weights that no loss asks for are told how they would be asked for") {
  const graph unweighed = model_between({8}, {10});
  const problem found = check_array_count(unweighed.view(), tensor_role::weight, 1);
  CHECK(found.expected.view() == "no weights, since no loss asks for them");
  CHECK(found.hint.view() == "write loss<judge, sample_weights>, or take the weights out");
}

TEST_CASE("targets of outputs that nothing judges are not asked for again") {
  graph judged_once = model_between({8}, {10});
  const problem of_one = check_array_count(judged_once.view(), tensor_role::target, 2);
  CHECK(of_one.hint.view() == "give it all of them in one array");
  judged_once.outputs.push_back({0, -1});
  const problem found = check_array_count(judged_once.view(), tensor_role::target, 2);
  CHECK(found.expected.view() == "1 target");
  CHECK(found.got.view() == "2 targets");
  CHECK(found.hint.view() ==
        "losses and metrics judge 1 of the 2 outputs: give the targets of that one, or judge more "
        "by for_output<...>");
}

TEST_CASE("plain arrays of another type than the loss judges by are named by it") {
  const graph by_labels = model_between({8}, {10});
  CHECK(!check_array(by_labels.view(), tensor_role::target, dtype::int32).found());
  const problem bytes = check_array(by_labels.view(), tensor_role::target, dtype::uint8);
  CHECK(bytes.expected.view() == "labels, std::int32_t");
  CHECK(bytes.got.view() == "uint8");
  const problem floats = check_array(by_labels.view(), tensor_role::target, dtype::float32);
  CHECK(floats.got.view() == "floats");
}

TEST_CASE("targets are of the kind that the loss judges by") {
  const graph by_labels = model_between({8}, {10});
  const graph by_floats = model_between({8}, {2, 5});
  CHECK(said_of(by_floats, {.extents = {8}}, {.extents = {2, 5}}).empty());
  CHECK(said_of(by_labels, {.extents = {8}}, {.extents = {2, 5}}).view() ==
        "the data: expected labels, which the loss judge judges by, got float targets. Hint: give "
        "integers as a label_column<classes>, or take a loss of float targets: "
        "categorical_crossentropy of one-hot rows, mean_squared_error of numbers");
  CHECK(said_of(by_floats, {{8}, dtype::float32}, {{}, dtype::int32, 10}).view() ==
        "the data: expected float targets, which the loss judge judges by, got labels. Hint: take "
        "sparse_categorical_crossentropy, or give the data as a paired_dataset");
  CHECK(
      said_of(by_floats, {.extents = {8}}, {.extents = {5, 2}}).view() ==
      "the data: expected targets of shape (2, 5), got (5, 2). Hint: end the model in the shape of "
      "the targets");
}

TEST_CASE("labels are one for each position of the scores") {
  const graph of_vectors = model_between({8}, {10});
  graph of_positions = model_between({8}, {10});
  for (tensor& atom : of_positions.tensors) {
    atom.extents = atom.role == tensor_role::target ? shape{6, 1} : atom.extents;
  }
  const data_source sample{.extents = {8}};
  CHECK(said_of(of_positions, sample, {{6}, dtype::int32, 10}).empty());
  CHECK(said_of(of_positions, sample, {{}, dtype::int32, 10}).view() ==
        "the data: expected labels of shape (6, 1), one at each position, got one a sample. Hint: "
        "for a class of the whole sample put Flatten before Dense, which multiplies the last axis "
        "alone; for others write label_column<classes, shape{...}>");
  CHECK(
      said_of(of_positions, sample, {{7}, dtype::int32, 10}).view() ==
      "the data: expected labels of shape (6, 1), got (7). Hint: give each position of the output "
      "a label");
  CHECK(said_of(of_vectors, sample, {{6}, dtype::int32, 10}).view() ==
        "the data: expected one label a sample, got labels of shape (6). Hint: end the model in "
        "scores at each position, or give one label");
}

namespace {

/// The same model with weights of these extents.
constexpr graph weighted_between(const shape& weights) {
  graph made = model_between({8}, {2, 5});
  static_cast<void>(add_source(made, weights, dtype::float32, tensor_role::weight));
  made.tensors.back().target_of = made.outputs[0].tensor;
  append_input(made, static_cast<std::int32_t>(made.tensors.size()) - 1);
  return made;
}

/// Data with so many columns of weights of these extents.
constexpr sentence said_of_weights(const graph& made, const shape& extents, std::size_t columns) {
  const data_source input{.extents = {8}};
  const data_source target{.extents = {2, 5}};
  const data_source weights[] = {{.extents = extents}, {.extents = extents}};
  return said_of(made, {{&input, 1}, {&target, 1}, {weights, columns}});
}

static_assert(said_of_weights(weighted_between({}), {}, 1).empty());
static_assert(said_of_weights(weighted_between({}), {1}, 1).empty());
static_assert(said_of_weights(weighted_between({2}), {2}, 1).empty());
static_assert(said_of_weights(model_between({8}, {2, 5}), {}, 0).empty());

}  // namespace

TEST_CASE("weights are there for a loss that asks for them, and for no other") {
  CHECK(said_of_weights(weighted_between({}), {}, 0).view() ==
        "the data: expected weights of the samples, which judge asks for, got none. Hint: zip them "
        "in: zipped(features, targets, weight_column(weights))");
  CHECK(said_of_weights(model_between({8}, {2, 5}), {}, 1).view() ==
        "the data: expected data without weights, since no loss asks for them, got a column of "
        "weights. Hint: write loss<judge, sample_weights>, or take the column out");
  CHECK(said_of_weights(weighted_between({}), {}, 2).view() ==
        "the data: expected 1 column of weights, got 2. Hint: one for each output whose loss has "
        "sample_weights");
  CHECK(said_of_weights(weighted_between({}), {2}, 1).view() ==
        "the data: expected weights of shape (), got (2). Hint: write weight_column(weights): one "
        "a sample");
  CHECK(said_of_weights(weighted_between({2}), {}, 1).view() ==
        "the data: expected weights of shape (2), got (). Hint: write "
        "weight_column<shape{...}>(weights)");
}

TEST_CASE("samples are of the type that the model takes") {
  const graph words = model_between({8}, {10}, dtype::int32);
  CHECK(said_of(words, {{8}, dtype::int32}, {{}, dtype::int32, 10}).empty());
  CHECK(
      said_of(words, {{8}, dtype::float32}, {{}, dtype::int32, 10}).view() ==
      "the data: expected samples of int32, got float32. Hint: give the model's input the type of "
      "the data; of several, data have their columns in the order of the inputs");
}

TEST_CASE("of several columns it is said which does not fit") {
  CHECK(test_columns_of_several());
}

TEST_CASE("a batch has one axis more than a sample") {
  CHECK(test_rank_that_fits());
  CHECK(said_of_rank({28, 28}, 2).view() ==
        "the batch: expected a tensor of rank 3: samples x (28, 28), got rank 2. Hint: the first "
        "axis counts the samples");
}
