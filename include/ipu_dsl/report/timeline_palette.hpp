// SPDX-License-Identifier: MIT
// The colours of actions.
#pragma once

#include <cstddef>
#include <string>

#include <ipu_dsl/report/drawn_timeline.hpp>

namespace ipu_dsl::drawing {

/// A colour as its three parts, each in [0, 255].
struct colour {
  int red = 0;
  int green = 0;
  int blue = 0;

  friend constexpr bool operator==(const colour&, const colour&) = default;
};

/// "#0072b2"
inline std::string hexadecimal(const colour& shown) {
  std::string words = "#";
  for (const int part : {shown.red, shown.green, shown.blue}) {
    words += "0123456789abcdef"[part / 16];
    words += "0123456789abcdef"[part % 16];
  }
  return words;
}

/// The colour of a kind, for the first stage of a device. What computes has colours that people
/// with any kind of colour vision tell apart (Okabe and Ito, "Color Universal Design", 2008);
/// updates and transfers are greys.
constexpr colour colour_of(action_kind kind) {
  switch (kind) {
    case action_kind::forward:
      return {0x00, 0x72, 0xB2};
    case action_kind::backward:
      return {0xD5, 0x5E, 0x00};
    case action_kind::input_gradient:
      return {0xE6, 0x9F, 0x00};
    case action_kind::weight_gradient:
      return {0x00, 0x9E, 0x73};
    case action_kind::recompute:
      return {0xCC, 0x79, 0xA7};
    case action_kind::update:
      return {0x26, 0x26, 0x26};
    case action_kind::offload:
      return {0x6E, 0x76, 0x7E};
    case action_kind::fetch:
      return {0xAD, 0xB5, 0xBD};
  }
  return {};
}

/// The same for another stage of the device: lighter from stage to stage, the last of them
/// half the way to white.
constexpr colour shaded(const colour& first, const stage_shade& shade) {
  if (shade.of < 2) {
    return first;
  }
  const int parts = 2 * (shade.of - 1);
  const auto lighter = [&](int part) { return part + (255 - part) * shade.place / parts; };
  return {lighter(first.red), lighter(first.green), lighter(first.blue)};
}

/// The colour of an action: shades tell the stages of a device apart, but for updates and
/// transfers, whose greys would be taken for each other.
constexpr colour colour_of(action_kind kind, const stage_shade& shade) {
  const bool computes = kind < action_kind::update;
  return computes ? shaded(colour_of(kind), shade) : colour_of(kind);
}

/// Black or white, whichever is easier to read on a colour (the luma of ITU-R BT.601).
constexpr colour text_on(const colour& ground) {
  const int luma = (299 * ground.red + 587 * ground.green + 114 * ground.blue) / 1'000;
  return luma > 122 ? colour{0x11, 0x11, 0x11} : colour{0xFF, 0xFF, 0xFF};
}

}  // namespace ipu_dsl::drawing
