// SPDX-License-Identifier: MIT
#include <string>

#include <ipu_dsl/report/svg_element.hpp>

#include "support/catch2.hpp"

using namespace ipu_dsl::svg;

namespace {

constexpr bool test_lengths() {
  static_assert(px(3) + px_hundredths(25) == px_hundredths(325));
  static_assert(px(3) - px(4) == px(-1));
  static_assert(3 * px(5) / 2 == px_hundredths(750));
  static_assert(px(2) < px_hundredths(201));
  static_assert(text_width(10, px(11)) == px(66));
  return true;
}

static_assert(test_lengths());

}  // namespace

TEST_CASE("a length is written without zeros at its end") {
  CHECK(test_lengths());
  CHECK(number(px(12)) == "12");
  CHECK(number(px_hundredths(1250)) == "12.5");
  CHECK(number(px_hundredths(1205)) == "12.05");
  CHECK(number(px_hundredths(5)) == "0.05");
  CHECK(number(px_hundredths(-50)) == "-0.5");
  CHECK(number({}) == "0");
}

TEST_CASE("text is escaped in elements and in attributes") {
  CHECK(escaped("a<b> & \"c\"") == "a&lt;b&gt; &amp; &quot;c&quot;");
  CHECK(escaped("line\nline\ttab") == "line\nline\ttab");
  CHECK(escaped(std::string("\x01\x1F", 2)) == "??");
  CHECK(escaped("\xC3\xA9") == "\xC3\xA9");
  CHECK(escaped("gr\xFC\xDF<") == "gr??&lt;");  // Latin-1
  CHECK(element("text").with("class", "\"<").around_text("&") ==
        "<text class=\"&quot;&lt;\">&amp;</text>\n");
}

TEST_CASE("elements hold attributes, text or elements") {
  CHECK(rectangle(px(1), px(2), px(3), px(4)).empty() ==
        "<rect x=\"1\" y=\"2\" width=\"3\" height=\"4\"/>\n");
  CHECK(line(px(1), px(2), px(3), px(4)).empty() ==
        "<line x1=\"1\" y1=\"2\" x2=\"3\" y2=\"4\"/>\n");
  CHECK(element("g").around(text_at(px(1), px(2), px(9)).around_text("a")) ==
        "<g>\n<text x=\"1\" y=\"2\" font-size=\"9\">a</text>\n</g>\n");
}
