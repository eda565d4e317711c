// SPDX-License-Identifier: MIT
// Opt-in, needs Boost.Hana: the library as values of Hana's, docs/hana.md. Included by no other
// header. Hana's own headers come behind it, so that names can be written "logits"_s.
#pragma once

#include <ipu_dsl/hana/layers.hpp>
#include <ipu_dsl/hana/weights.hpp>
