// Labels: what a set of images truly says.
#ifndef MUNJA_DOCUMENT_LABELS_H_
#define MUNJA_DOCUMENT_LABELS_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "geometry/iou.h"

namespace munja::document {

struct LabeledLine {
  std::string text;
  // Empty where only the text is known.
  std::vector<geometry::PointD> polygon;
  bool is_ignored = false;  // Neither right nor wrong.
};

// An image with lines, or a crop, which is the image of one text.
struct LabeledImage {
  std::string image;  // Path relative to the folder above the labels' one.
  bool is_crop = false;
  std::string text;                // Label of a crop.
  std::vector<LabeledLine> lines;  // Labels of an image.
};

using LabelSet = std::vector<LabeledImage>;

// JSON Lines, empty ones skipped:
//   {"image": "...", "lines": [{"text": "...", "poly": [[x, y], ...]}, ...]}
//   {"image": "...", "text": "..."}
// "poly" may be missing or null, "ignore": true takes a line out; other
// members are skipped. kMalformed names the line of the file.
Result<LabelSet> ParseLabels(std::string_view bytes);
// The same from a file; messages name it.
Result<LabelSet> ReadLabels(const std::string& path);

// Removes labels with exactly this text, which data sets use for illegible
// text: lines are ignored from then on, crops leave the set.
void IgnoreText(std::string_view text, LabelSet* labels);

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_LABELS_H_
