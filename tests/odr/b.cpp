// SPDX-License-Identifier: MIT
// The other half of a.cpp.
#include "odr/everything.hpp"

const char* version_of_the_other();

const char* version_of_the_other() {
  return ipu_dsl::version;
}
