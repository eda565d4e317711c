// SPDX-License-Identifier: MIT
// Tests of formats/hdf5.hpp.
#include <ipu_dsl/formats/hdf5.hpp>

#include "formats/sentence_of.hpp"
#include "support/catch2.hpp"

namespace {

using namespace ipu_dsl;

TEST_CASE("HDF5 is refused with what to do, and nothing else is") {
  CHECK(tests::sentence_of([] { refuse_hdf5("\x89HDF\r\n\x1a\n", "model.h5"); }) ==
        "model.h5 is HDF5, which is not read; save its weights as NPZ or safetensors, "
        "docs/weights.md has the lines.");
  CHECK(tests::sentence_of([] { refuse_hdf5("\x89HD", "cut.h5"); }).empty());
  CHECK(tests::sentence_of([] { refuse_hdf5("PK\3\4", "weights.npz"); }).empty());
}

}  // namespace
