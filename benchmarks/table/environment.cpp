// SPDX-License-Identifier: MIT
#include "table/environment.hpp"

#include <cstdlib>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "measure/machine.hpp"

namespace table {
namespace {

struct variable {
  const char* name;
  const char* value;
};

std::vector<variable> wanted() {
  std::vector<variable> all{
      {"OMP_NUM_THREADS", "1"}, {"OPENBLAS_NUM_THREADS", "1"}, {"MKL_NUM_THREADS", "1"}};
  if (measure::vector_unit() == "AVX-512") {
    // OpenBLAS takes a processor that is newer than itself for one without AVX, and libtorch and
    // dlib multiply by it: one step of theirs took three times as long.
    const std::vector<variable> avx512{{"OPENBLAS_CORETYPE", "SkylakeX"},
                                       {"ATEN_CPU_CAPABILITY", "avx512"}};
    all.insert(all.end(), avx512.begin(), avx512.end());
  }
  if (measure::vector_unit() == "AVX2") {
    const std::vector<variable> avx2{{"OPENBLAS_CORETYPE", "Haswell"},
                                     {"ONEDNN_MAX_CPU_ISA", "AVX2"},
                                     {"DNNL_MAX_CPU_ISA", "AVX2"},
                                     {"LIBXSMM_TARGET", "hsw"},
                                     {"ATEN_CPU_CAPABILITY", "avx2"}};
    all.insert(all.end(), avx2.begin(), avx2.end());
  }
  return all;
}

}  // namespace

void restrict_peers(char** arguments) {
  bool changed = false;
  for (const variable& each : wanted()) {
    const char* const now = std::getenv(each.name);
    if (now == nullptr || std::string_view(now) != each.value) {
      changed = true;
      setenv(each.name, each.value, 1);
    }
  }
  if (changed) {
    execv("/proc/self/exe", arguments);
  }
}

}  // namespace table
