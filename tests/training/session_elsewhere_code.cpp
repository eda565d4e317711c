// SPDX-License-Identifier: MIT
// The kernels and the plan of the session that session_elsewhere_use.cpp uses.
#include <ipu_dsl/training/session_definition.hpp>

#include "training/session_elsewhere.hpp"

template struct ipu_dsl::session_code<ipu_dsl::tests::compiled_elsewhere>;
