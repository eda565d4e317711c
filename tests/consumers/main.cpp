// SPDX-License-Identifier: MIT
// What somebody else's program looks like to the build: it includes the library and says so.
#include <cstdio>

#include <ipu_dsl/core/version.hpp>
#if __has_include(<ipu_dsl/ipu_dsl.hpp>)
#include <ipu_dsl/ipu_dsl.hpp>
#endif

int main() {
  std::printf("consumed ipu_dsl %s\n", ipu_dsl::version);
}
