// SPDX-License-Identifier: MIT
// The parts of an SVG file: lengths, escaped text, elements.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <ipu_dsl/core/standard.hpp>
#include <ipu_dsl/formats/printable.hpp>

namespace ipu_dsl::svg {

/// A length in hundredths of a pixel. Whole numbers, so that a picture is the same file on every
/// machine and by every compiler.
struct pixels {
  std::int64_t hundredths = 0;

  friend constexpr bool operator==(pixels, pixels) = default;
  friend constexpr auto operator<=>(pixels, pixels) = default;

  friend constexpr pixels operator+(pixels left, pixels right) {
    return {left.hundredths + right.hundredths};
  }

  friend constexpr pixels operator-(pixels left, pixels right) {
    return {left.hundredths - right.hundredths};
  }

  friend constexpr pixels operator*(std::int64_t factor, pixels length) {
    return {factor * length.hundredths};
  }

  friend constexpr pixels operator/(pixels length, std::int64_t parts) {
    return {length.hundredths / parts};
  }

  constexpr pixels& operator+=(pixels more) {
    hundredths += more.hundredths;
    return *this;
  }
};

constexpr pixels px(std::int64_t whole) {
  return {100 * whole};
}

constexpr pixels px_hundredths(std::int64_t hundredths) {
  return {hundredths};
}

/// "12.5"
inline std::string number(pixels length) {
  const std::int64_t size = length.hundredths < 0 ? -length.hundredths : length.hundredths;
  std::string words = (length.hundredths < 0 ? "-" : "") + std::to_string(size / 100);
  const std::int64_t rest = size % 100;
  if (rest != 0) {
    words += '.';
    words += static_cast<char>('0' + rest / 10);
    words += rest % 10 == 0 ? "" : std::string(1, static_cast<char>('0' + rest % 10));
  }
  return words;
}

/// Text as XML takes it, in elements and in attributes. Control characters and bytes that are no
/// UTF-8, which XML has no way to write, become question marks.
inline std::string escaped(std::string_view words) {
  std::string safe;
  for (const char letter : whole_characters(words)) {
    const bool control = static_cast<unsigned char>(letter) < 0x20 && letter != '\n' &&
                         letter != '\t' && letter != '\r';
    switch (letter) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += control ? '?' : letter;
    }
  }
  return safe;
}

/// One element, written attribute by attribute: `element("rect").with("x", px(3)).empty()`.
class element {
 public:
  explicit element(std::string_view name) : name_(name), text_("<" + name_) {}

  element& with(std::string_view attribute, std::string_view value) {
    text_ += " " + std::string(attribute) + "=\"" + escaped(value) + "\"";
    return *this;
  }

  element& with(std::string_view attribute, pixels value) { return with(attribute, number(value)); }

  /// Where it lies, for elements that have a corner.
  element& at(pixels x, pixels y) { return with("x", x).with("y", y); }

  element& sized(pixels width, pixels height) {
    return with("width", width).with("height", height);
  }

  std::string empty() const { return text_ + "/>\n"; }

  /// Around text, which is escaped here.
  std::string around_text(std::string_view words) const { return closed(escaped(words)); }

  /// Around elements, each of which ends its line.
  std::string around(std::string_view elements) const {
    return closed("\n" + std::string(elements));
  }

 private:
  std::string closed(const std::string& content) const {
    return text_ + ">" + content + "</" + name_ + ">\n";
  }

  std::string name_;
  std::string text_;
};

inline element rectangle(pixels x, pixels y, pixels width, pixels height) {
  element made("rect");
  made.at(x, y).sized(width, height);
  return made;
}

inline element line(pixels from_x, pixels from_y, pixels to_x, pixels to_y) {
  element made("line");
  made.with("x1", from_x).with("y1", from_y).with("x2", to_x).with("y2", to_y);
  return made;
}

inline element text_at(pixels x, pixels y, pixels size) {
  element made("text");
  made.at(x, y).with("font-size", size);
  return made;
}

/// About how wide text is in the sans-serif fonts that a viewer may have; fonts are not asked.
constexpr pixels text_width(std::size_t letters, pixels size) {
  return {static_cast<std::int64_t>(letters) * size.hundredths * 60 / 100};
}

}  // namespace ipu_dsl::svg
