// SPDX-License-Identifier: MIT
// Opt-in, needs Boost.Hana: the library as values of Hana's, docs/hana.md. Included by no other
// header.
#pragma once

#include <ipu_dsl/hana/layers.hpp>
#include <ipu_dsl/hana/literals.hpp>
#include <ipu_dsl/hana/structs.hpp>
#include <ipu_dsl/hana/variants.hpp>
#include <ipu_dsl/hana/weights.hpp>
