// SPDX-License-Identifier: MIT
// The kernels and the plan of the session that session_elsewhere.cpp uses.
#include "training/session_elsewhere.hpp"

template struct ipu_dsl::session_code<ipu_dsl::tests::compiled_elsewhere>;
