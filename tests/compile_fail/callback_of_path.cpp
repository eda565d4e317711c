// SPDX-License-Identifier: MIT
// A callback is given its file as Keras's are, without the name of the option.
#include <ipu_dsl/training/callbacks/csv_logger.hpp>

using namespace ipu_dsl;

csv_logger make_logger() {
#ifdef WITH_MISTAKE
  return csv_logger("training.csv");
#else
  return csv_logger({.filename = "training.csv"});
#endif
}
