#include "document/comparison.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "document/decimal.h"
#include "geometry/iou.h"
#include "text/normalize.h"

namespace munja::document {
namespace {

constexpr double kMatchIou = 0.5;

// The corners as a reader of WriteJson()'s text sees them.
std::array<geometry::PointD, 4> PrintedCorners(const geometry::Quad& quad) {
  std::array<geometry::PointD, 4> corners;
  for (size_t i = 0; i < 4; ++i) {
    corners[i] = {RoundedDecimal(quad[i].x, kCoordinateDigits),
                  RoundedDecimal(quad[i].y, kCoordinateDigits)};
  }
  return corners;
}

void SetRead(const Line& line, ComparedLine* compared) {
  compared->read = line.text;
  compared->polygon = line.polygon;
  compared->confidence = line.confidence;
}

bool SameText(const std::string& a, const std::string& b) {
  return text::Squeeze(a) == text::Squeeze(b);
}

ComparedLine CompareCrop(const LabeledImage& label, const Document& read) {
  ComparedLine line;
  line.label = label.text;
  line.read = JoinLines(read);
  line.is_right = SameText(label.text, *line.read);
  // As sure as the least sure of its pieces.
  line.confidence = read.lines.empty() ? 0.0f : 1.0f;
  for (const Line& piece : read.lines)
    line.confidence = std::min(line.confidence, piece.confidence);
  const auto right = static_cast<float>(read.width),
             bottom = static_cast<float>(read.height);
  line.polygon = {{{0, 0}, {right, 0}, {right, bottom}, {0, bottom}}};
  return line;
}

}  // namespace

Matches MatchLines(const std::vector<LabeledLine>& labels,
                   const std::vector<Line>& boxes) {
  std::vector<std::array<geometry::PointD, 4>> corners;
  for (const Line& box : boxes) corners.push_back(PrintedCorners(box.polygon));
  // (overlap, label, box); of equal overlaps the later lines come first.
  std::vector<std::tuple<double, size_t, size_t>> pairs;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].polygon.empty()) continue;
    for (size_t j = 0; j < boxes.size(); ++j) {
      const double iou =
          geometry::IntersectionOverUnion(labels[i].polygon, corners[j]);
      if (iou >= kMatchIou) pairs.emplace_back(iou, i, j);
    }
  }
  std::sort(pairs.rbegin(), pairs.rend());
  Matches matches;
  matches.of_label.assign(labels.size(), kNoMatch);
  matches.of_box.assign(boxes.size(), kNoMatch);
  for (const auto& [iou, i, j] : pairs) {
    if (matches.of_label[i] != kNoMatch || matches.of_box[j] != kNoMatch)
      continue;
    matches.of_label[i] = j;
    matches.of_box[j] = i;
  }
  return matches;
}

std::string JoinLines(const Document& document) {
  std::string text;
  for (const Line& line : document.lines)
    text += (text.empty() ? "" : " ") + line.text;
  return text;
}

std::vector<ComparedLine> Compare(const LabeledImage& label,
                                  const Document& read) {
  if (label.is_crop) return {CompareCrop(label, read)};
  const Matches matches = MatchLines(label.lines, read.lines);
  std::vector<ComparedLine> compared;
  for (size_t i = 0; i < label.lines.size(); ++i) {
    const LabeledLine& labeled = label.lines[i];
    if (labeled.is_ignored) continue;
    ComparedLine& line = compared.emplace_back();
    line.label = labeled.text;
    line.outline = labeled.polygon;
    if (matches.of_label[i] == kNoMatch) continue;
    SetRead(read.lines[matches.of_label[i]], &line);
    line.is_right = SameText(*line.label, *line.read);
  }
  for (size_t j = 0; j < read.lines.size(); ++j)
    if (matches.of_box[j] == kNoMatch)
      SetRead(read.lines[j], &compared.emplace_back());
  return compared;
}

}  // namespace munja::document
