#include "reading/find/low_score_boxes.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "geometry/quad.h"
#include "reading/read/cropper.h"
#include "text/utf8.h"

namespace munja::ocr {
namespace {

// Fewer letters and digits are read in any texture.
constexpr int kLeastCharacters = 4;

// Nor do so many fit into a line that is shorter than so many of its heights.
constexpr int kLeastHeights = 1;

// Of a box, within the upright frame of another: then it is a part of that.
constexpr float kMostCovered = 0.4f;

struct Frame {
  float left, top, right, bottom;
  float area() const {
    return std::max(right - left, 0.0f) * std::max(bottom - top, 0.0f);
  }
};

Frame FrameOf(const TextBox& box) {
  const geometry::Quad& quad = box.outline ? *box.outline : box.quad;
  Frame f = {quad[0].x, quad[0].y, quad[0].x, quad[0].y};
  for (const geometry::Point& p : quad) {
    f.left = std::min(f.left, p.x);
    f.right = std::max(f.right, p.x);
    f.top = std::min(f.top, p.y);
    f.bottom = std::max(f.bottom, p.y);
  }
  return f;
}

Frame Common(const Frame& a, const Frame& b) {
  return {std::max(a.left, b.left), std::max(a.top, b.top),
          std::min(a.right, b.right), std::min(a.bottom, b.bottom)};
}

int LettersAndDigits(std::string_view text) {
  int count = 0;
  while (!text.empty()) {
    const auto category = utf8proc_category(
        static_cast<utf8proc_int32_t>(text::NextCodePoint(text)));
    if ((category >= UTF8PROC_CATEGORY_LU &&
         category <= UTF8PROC_CATEGORY_LO) ||
        category == UTF8PROC_CATEGORY_ND)
      ++count;
  }
  return count;
}

}  // namespace

std::vector<TextBox> TakeFaint(const DetectorContract& contract,
                               std::vector<TextBox>* boxes) {
  std::vector<TextBox> faint;
  for (const TextBox& box : *boxes) {
    if (box.score >= contract.box_threshold ||
        box.score < contract.faint_threshold)
      continue;
    faint.push_back(box);
    faint.back().is_faint = true;
  }
  std::erase_if(*boxes, [&](const TextBox& box) {
    return box.score < contract.box_threshold;
  });
  return faint;
}

void AddFaint(const std::vector<TextBox>& faint, std::vector<TextBox>* boxes) {
  std::vector<Frame> frames;
  for (const TextBox& box : *boxes) frames.push_back(FrameOf(box));
  for (const TextBox& box : faint) {
    const Frame frame = FrameOf(box);
    const bool is_covered =
        std::any_of(frames.begin(), frames.end(), [&](const Frame& other) {
          return Common(frame, other).area() > kMostCovered * frame.area();
        });
    if (!is_covered) boxes->push_back(box);
  }
}

bool IsFaintSpeck(const TextBox& box, const RecognizerContract& contract) {
  return box.is_faint &&
         LineWidth(box.quad, contract) < kLeastHeights * contract.height;
}

void KeepWhatReads(const Contract& contract, std::vector<TextBox>* boxes,
                   std::vector<Reading>* readings) {
  size_t kept = 0;
  for (size_t i = 0; i < boxes->size(); ++i) {
    const text::CtcLine& text = (*readings)[i].text;
    if ((*boxes)[i].is_faint &&
        (text.confidence < contract.recognizer.faint_confidence ||
         LettersAndDigits(text.text) < kLeastCharacters))
      continue;
    if (kept != i) {
      (*boxes)[kept] = (*boxes)[i];
      std::swap((*readings)[kept], (*readings)[i]);
    }
    ++kept;
  }
  boxes->resize(kept);
  readings->resize(kept);
}

}  // namespace munja::ocr
