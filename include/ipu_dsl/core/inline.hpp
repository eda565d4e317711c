// SPDX-License-Identifier: MIT
// Where that is defined which depends on no model: in every source that uses it, or once in the
// library ipu_dsl::compiled, whose users have IPU_DSL_COMPILED defined.
#pragma once

#include <ipu_dsl/core/standard.hpp>

#ifdef IPU_DSL_COMPILED
/// Of functions that are declared in one header and defined in another.
#define IPU_DSL_INLINE
#else
#define IPU_DSL_INLINE inline
#endif
