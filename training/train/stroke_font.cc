#include "train/stroke_font.h"

#include <array>
#include <vector>

namespace munja::train {
namespace {

// On a grid of 4 x 6: pairs of digits x y, y down; a space starts a stroke.
std::string_view Strokes(char c) {
  if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  static constexpr std::array<std::string_view, 26> kLetters = {
      "0602204246 0444",
      "06003041423303 3344453606",
      "4130100105163645",
      "06003041453606",
      "40000646 0333",
      "400006 0333",
      "41301001051636454323",
      "0006 4046 0343",
      "2026 1030 1636",
      "404536160504",
      "0006 400346",
      "000646",
      "0600234046",
      "06004640",
      "103041453616050110",
      "06003041423303",
      "103041453616050110 2446",
      "06003041423303 2346",
      "413010010213334445361605",
      "0040 2026",
      "000516364540",
      "002640",
      "0016233640",
      "0046 4006",
      "002340 2326",
      "00400646"};
  static constexpr std::array<std::string_view, 10> kDigits = {
      "103041453616050110",
      "112026 1636",
      "01103041420646",
      "01103041423313 334445361605",
      "36300444",
      "4000033344453606",
      "4130100105163645443303",
      "004016",
      "13020110304142331304051636454433",
      "0516364541301001021343"};
  if (c >= 'A' && c <= 'Z') return kLetters[static_cast<size_t>(c - 'A')];
  if (c >= '0' && c <= '9') return kDigits[static_cast<size_t>(c - '0')];
  switch (c) {
    case '.':
      return "26";
    case ',':
      return "2516";
    case ':':
      return "22 25";
    case '-':
      return "0343";
    case '+':
      return "0343 2125";
    case '_':
      return "0646";
    case '/':
      return "0640";
    case '%':
      return "0640 0110 3645";
    default:
      return {};
  }
}

constexpr float kAdvance = 1.0f;  // From letter to letter, in heights.

}  // namespace

float StrokeTextWidth(std::string_view text, float height) {
  return kAdvance * height * static_cast<float>(text.size());
}

void DrawStrokeText(image::Image& image, std::string_view text, float x,
                    float y, float height, const image::LineStyle& style) {
  const float unit = height / 6;
  for (char c : text) {
    std::vector<std::array<float, 2>> stroke;
    const auto finish = [&] {
      if (!stroke.empty()) image::DrawPolyline(image, stroke, false, style);
      stroke.clear();
    };
    const std::string_view strokes = Strokes(c);
    for (size_t i = 0; i + 1 < strokes.size();) {
      if (strokes[i] == ' ') {
        finish();
        ++i;
        continue;
      }
      stroke.push_back({x + unit * static_cast<float>(strokes[i] - '0'),
                        y + unit * static_cast<float>(strokes[i + 1] - '0')});
      i += 2;
    }
    finish();
    x += kAdvance * height;
  }
}

}  // namespace munja::train
