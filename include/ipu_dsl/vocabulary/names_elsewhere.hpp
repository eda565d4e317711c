// SPDX-License-Identifier: MIT
// What Keras and PyTorch call what has another name or another place here. Declared, so that the
// library says what is wanted instead, in one sentence; a name that is not declared makes an error
// of its own at every level of a model. Layers that are missing here are not among them: those are
// what people write themselves, under those names.
#pragma once

namespace ipu_dsl {

/// Here: `sequential<...>`.
template <typename... Layers>
struct Sequential;

/// Here: `Dense<Units>`, which finds out the number of its inputs.
template <auto Inputs, auto Units, typename... Options>
struct Linear;

/// Here: `relu`.
struct ReLU;

/// Here: `init<he_uniform>`.
template <typename Initializer>
struct kernel_initializer;

/// Here: `sparse_categorical_crossentropy`.
struct SparseCategoricalCrossentropy;

/// Here: `sgd<...>`.
template <typename... Options>
struct SGD;

/// Here: `adam`, and the others below in small letters as well; `amsgrad` for `Adam(amsgrad=True)`.
struct Adam;
struct AdamW;
struct Adamax;
struct Nadam;
struct Adagrad;
struct Adadelta;
struct Ftrl;
struct Lion;

/// Here: `rmsprop<...>`.
template <typename... Options>
struct RMSprop;

/// Here: `run.fit(data, {.steps_per_execution = 10})`.
template <auto Steps>
struct steps_per_execution;

}  // namespace ipu_dsl
