// SPDX-License-Identifier: MIT
// A function that returns something else for each of several variants.
#include <ipu_dsl/hana/variants.hpp>

using namespace ipu_dsl;

double test(int chosen) {
#ifdef WITH_MISTAKE
  return with_variant(boost::hana::tuple_t<float, double>, chosen,
                      [](auto variant) { return typename decltype(variant)::type(0); });
#else
  return with_variant(boost::hana::tuple_t<float, double>, chosen,
                      [](auto variant) -> double { return typename decltype(variant)::type(0); });
#endif
}
