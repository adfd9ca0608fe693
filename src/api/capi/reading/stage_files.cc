#include "capi/reading/stage_files.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "image/draw.h"
#include "image/encode.h"

namespace munja::capi {

Result<std::unique_ptr<StageFiles>> StageFiles::Create(
    const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return IoError(folder + ": cannot make the folder: " + error.message());
  return std::unique_ptr<StageFiles>(new StageFiles(folder));
}

Status StageFiles::OnInput(const image::ImageView& input) {
  return image::WritePng(folder_ + "/1-input.png", input);
}

Status StageFiles::OnProbabilityMap(const ocr::ProbabilityMap& map) {
  std::vector<uint8_t> gray;
  for (const float value : map.values)
    gray.push_back(
        static_cast<uint8_t>(std::clamp(value, 0.0f, 1.0f) * 255.0f + 0.5f));
  return image::WriteGrayPng(folder_ + "/2-text-map.png", gray.data(),
                             map.width, map.height);
}

Status StageFiles::OnBoxes(const image::ImageView& page,
                           std::span<const ocr::TextBox> boxes) {
  std::vector<geometry::Quad> quads;
  for (const ocr::TextBox& box : boxes) quads.push_back(box.quad);
  MUNJA_ASSIGN_OR_RETURN(const image::Image drawn, DrawQuads(page, quads));
  return image::WritePng(folder_ + "/3-boxes.png", drawn.view());
}

Status StageFiles::OnLines(std::span<const ocr::PageLine> lines) {
  for (size_t i = 0; i < lines.size(); ++i) {
    char name[40];
    std::snprintf(name, sizeof name, "/4-line-%03zu.png", i + 1);
    MUNJA_RETURN_IF_ERROR(
        image::WritePng(folder_ + name, lines[i].crop.pixels.view()));
  }
  return Status();
}

Result<image::Image> DrawQuads(const image::ImageView& page,
                               std::span<const geometry::Quad> quads) {
  MUNJA_ASSIGN_OR_RETURN(image::Image copy,
                         image::Image::Create(page.width, page.height));
  for (int y = 0; y < page.height; ++y)
    std::memcpy(copy.row(y), page.row(y), copy.stride());
  image::LineStyle style;
  style.rgb = {230, 30, 30};
  // Visible when a large page is looked at as a whole.
  style.thickness =
      static_cast<float>(std::max(2, std::max(page.width, page.height) / 600));
  for (const geometry::Quad& quad : quads) {
    std::array<std::array<float, 2>, 4> points;
    for (size_t i = 0; i < 4; ++i) points[i] = {quad[i].x, quad[i].y};
    image::DrawPolyline(copy, points, /*closed=*/true, style);
  }
  return copy;
}

}  // namespace munja::capi
