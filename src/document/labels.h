// Labels: what is truly written in a set of pictures.
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
  std::vector<geometry::PointD> polygon;  // Empty: only the text is known.
  bool is_ignored = false;  // Neither right nor wrong, whatever is read there.
};

// A picture with its lines, or a crop that is one line.
struct LabeledImage {
  std::string image;  // Path relative to the folder above the labels' one.
  bool is_crop = false;
  std::string text;                // Of a crop.
  std::vector<LabeledLine> lines;  // Of a picture.
};

// JSON, one object a line: {"image": ..., "lines": [{"poly": [[x, y], ...] or
// null, "text": ..., "ignore": true or absent}]} for pictures, {"image": ...,
// "text": ...} for crops. kMalformed names the line.
Result<std::vector<LabeledImage>> ParseLabels(std::string_view jsonl);

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_LABELS_H_
