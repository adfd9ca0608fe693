#include "cli/live/drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace munja::cli {
namespace {

using Color = std::array<uint8_t, 3>;

void DrawDot(int x, int y, int radius, const Color& color, Canvas* canvas) {
  for (int v = std::max(0, y - radius);
       v <= std::min(canvas->height - 1, y + radius); ++v)
    for (int u = std::max(0, x - radius);
         u <= std::min(canvas->width - 1, x + radius); ++u)
      std::copy(
          color.begin(), color.end(),
          canvas->rgb.begin() + 3 * (std::ptrdiff_t{v} * canvas->width + u));
}

void DrawEdge(munja::Point a, munja::Point b, int radius, const Color& color,
              Canvas* canvas) {
  // Outlines may leave the frame, but not by much more than its size.
  const auto far = static_cast<float>(4 * (canvas->width + canvas->height));
  for (munja::Point* p : {&a, &b}) {
    if (!std::isfinite(p->x) || !std::isfinite(p->y)) return;
    p->x = std::clamp(p->x, -far, far);
    p->y = std::clamp(p->y, -far, far);
  }
  const float length = std::max(std::fabs(b.x - a.x), std::fabs(b.y - a.y));
  const int steps = std::max(1, static_cast<int>(std::ceil(length)));
  for (int i = 0; i <= steps; ++i) {
    const float t = static_cast<float>(i) / static_cast<float>(steps);
    DrawDot(static_cast<int>(std::lround(a.x + t * (b.x - a.x))),
            static_cast<int>(std::lround(a.y + t * (b.y - a.y))), radius, color,
            canvas);
  }
}

}  // namespace

void CopyTo(const munja::Image& image, Canvas* canvas) {
  canvas->width = image.width();
  canvas->height = image.height();
  const size_t row = static_cast<size_t>(image.width()) * 3;
  canvas->rgb.resize(row * static_cast<size_t>(image.height()));
  for (int y = 0; y < image.height(); ++y)
    std::copy_n(image.row(y), row,
                canvas->rgb.data() + row * static_cast<size_t>(y));
}

void DrawLines(const std::vector<DrawnLine>& lines, TextPainter* painter,
               Canvas* canvas) {
  constexpr int kPixelsOfADot = 700;
  const int radius = std::max(0, canvas->height / kPixelsOfADot);
  for (const DrawnLine& line : lines) {
    const Color color =
        line.is_final ? Color{40, 220, 80} : Color{255, 160, 30};
    for (size_t i = 0; i < 4; ++i)
      DrawEdge(line.outline[i], line.outline[(i + 1) % 4], radius, color,
               canvas);
  }
  if (painter == nullptr) return;
  for (const DrawnLine& line : lines) {
    if (line.text.empty()) continue;
    float left = line.outline[0].x, top = line.outline[0].y;
    for (const munja::Point& p : line.outline) {
      left = std::min(left, p.x);
      top = std::min(top, p.y);
    }
    const munja::Point &a = line.outline[0], &d = line.outline[3];
    const float height = std::hypot(d.x - a.x, d.y - a.y);
    if (!std::isfinite(left + top + height)) continue;
    const int size = std::clamp(static_cast<int>(height * 0.8F), 12,
                                std::max(12, canvas->height / 12));
    // A line at the upper edge has its text inside.
    const int y = std::max(size, static_cast<int>(top) - 2 - radius);
    painter->Draw(line.text, std::max(0, static_cast<int>(left)), y, size,
                  canvas->rgb.data(), canvas->width, canvas->height,
                  static_cast<size_t>(canvas->width) * 3);
  }
}

}  // namespace munja::cli
