// Recognized text of an image compared with its label, line by line.
#ifndef MUNJA_DOCUMENT_COMPARISON_H_
#define MUNJA_DOCUMENT_COMPARISON_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "document/document.h"
#include "document/labels.h"

namespace munja::document {

inline constexpr size_t kNoMatch = static_cast<size_t>(-1);

// One-to-one matches of labels and boxes by intersection over union, best
// overlap first, from 1/2 up; kNoMatch where there is none. Outlines count as
// WriteJson() prints them.
struct Matches {
  std::vector<size_t> of_label, of_box;
};
Matches MatchLines(const std::vector<LabeledLine>& labels,
                   const std::vector<Line>& boxes);

// The lines of a crop that came apart, as one text.
std::string JoinLines(const Document& document);

struct ComparedLine {
  std::optional<std::string> label;       // None: nothing is labeled there.
  std::vector<geometry::PointD> outline;  // The label's; may be empty.
  std::optional<std::string> read;        // None: nothing was read there.
  geometry::Quad polygon{};               // The outline of the recognized line.
  float confidence = 0;
  bool is_right = false;  // The same text after text::Squeeze().
};

// The labels in their order, then what else was read; labels that do not count
// and what matches them are left out. A crop is one line.
std::vector<ComparedLine> Compare(const LabeledImage& label,
                                  const Document& read);

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_COMPARISON_H_
