// SPDX-License-Identifier: MIT
// The entry point of every test program, for Catch2 v2 and v3 alike.
#define CATCH_CONFIG_RUNNER
#include "support/catch2.hpp"

int main(int count, char** arguments) {
  return Catch::Session().run(count, arguments);
}
