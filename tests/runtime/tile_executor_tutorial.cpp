// SPDX-License-Identifier: MIT
// The tutorial's model on the tiles of a whole device, and what the model of memory says of it.
#include <cstdio>

#include <ipu_dsl/vocabulary/layers/flatten.hpp>

#include "runtime/tile_checks.hpp"

namespace {

using namespace ipu_dsl;

struct mlp : model<input<28, 28>, sequential<Flatten, Dense<256, relu>, Dense<128, relu>,
                                             Dense<64, relu>, Dense<32, relu>, Dense<10>>> {};

struct training : compile<mlp, micro_batch<32>, on<ipu2>, loss<sparse_categorical_crossentropy>,
                          optimizer<sgd<momentum>>> {};

TEST_CASE("one update of the tutorial's model has the same bits on 1472 tiles") {
  const auto data = tests::drawn_samples<shape{28, 28}, 10>(32, 2);
  const tests::tile_check<training, labelled_dataset<shape{28, 28}, 10, float>> check(data);
  tile_account account;
  const tests::trained_bits found = check.by_tiles(1, ipu2.tiles, &account);
  CHECK(found == check.by_kernels(1));
  CHECK(account.blocks > ipu2.tiles);
  // What a tile holds while it computes is less than the model of its memory says, which counts
  // homes as well.
  CHECK(account.most_bytes <= training::memory.devices[0].total());
  CHECK(training::memory.fits());
  std::printf("checked %lld blocks, at most %lld bytes on a tile of the %lld of the model\n",
              static_cast<long long>(account.blocks), static_cast<long long>(account.most_bytes),
              static_cast<long long>(training::memory.devices[0].total()));
}

}  // namespace
