// PNG: the image with its words outlined, in the color of their confidence.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "document/words.h"
#include "document/writers/writer.h"
#include "image/draw.h"
#include "image/encode.h"
#include "image/image.h"

namespace munja::document {
namespace png {
namespace {

// From red, where it is in doubt, over yellow to green.
std::array<uint8_t, 3> ColorOf(float confidence) {
  constexpr float kMost = 200;
  const float sure = std::clamp(confidence, 0.0f, 1.0f);
  const auto part = [](float share) {
    return static_cast<uint8_t>(
        std::lround(kMost * std::clamp(share, 0.0f, 1.0f)));
  };
  return {part(2 - 2 * sure), part(2 * sure), 0};
}

class PngWriter : public PageWriter {
 public:
  Status Add(const WriterPage& page, std::string& out) override {
    if (has_page_)
      return InvalidArgument(
          "a PNG file holds one page: write a file for each picture");
    has_page_ = true;
    const Document& document = page.document;
    MUNJA_ASSIGN_OR_RETURN(image::Image drawn,
                           image::Image::Create(std::max(document.width, 1),
                                                std::max(document.height, 1)));
    for (int y = 0; y < drawn.height(); ++y) {
      if (page.picture.rgb != nullptr && document.width > 0) {
        std::memcpy(
            drawn.row(y),
            page.picture.rgb + static_cast<size_t>(y) * page.picture.stride,
            3 * static_cast<size_t>(drawn.width()));
      } else {
        std::memset(drawn.row(y), 0xFF, 3 * static_cast<size_t>(drawn.width()));
      }
    }
    image::LineStyle style;
    // Visible when a large page is looked at as a whole.
    style.thickness = static_cast<float>(
        std::max(2, std::max(document.width, document.height) / 600));
    for (const Line& line : document.lines) {
      if (line.text.empty()) continue;
      for (const Word& word : WordsOf(line)) {
        style.rgb = ColorOf(word.confidence);
        std::array<std::array<float, 2>, 4> points;
        for (size_t i = 0; i < 4; ++i)
          points[i] = {word.polygon[i].x, word.polygon[i].y};
        image::DrawPolyline(drawn, points, /*closed=*/true, style);
      }
    }
    MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                           image::EncodePng(drawn.view()));
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return Status();
  }

 private:
  bool has_page_ = false;
};

}  // namespace
}  // namespace png

std::unique_ptr<PageWriter> MakePngWriter() {
  return std::make_unique<png::PngWriter>();
}

}  // namespace munja::document
