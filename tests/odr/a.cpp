// SPDX-License-Identifier: MIT
// Two translation units include the whole library and are linked into one program: a function that
// is not inline would be defined twice. Each proves that it saw the library.
#include <cstdio>
#include <cstring>

#include "odr/everything.hpp"

const char* version_of_the_other();

int main() {
  const bool same = std::strcmp(ipu_dsl::version, version_of_the_other()) == 0;
  std::printf("checked 2 translation units against each other: %s\n", same ? "same" : "different");
  return same ? 0 : 1;
}
