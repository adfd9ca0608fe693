// Score: how well documents agree with labels.
#ifndef MUNJA_DOCUMENT_SCORE_H_
#define MUNJA_DOCUMENT_SCORE_H_

#include <cstdint>
#include <string_view>

#include "document/document.h"
#include "document/labels.h"

namespace munja::document {

// All of them summed over the set and then divided; nothing is averaged per
// picture. In [0, 1] but for the error rates, which may be more.
struct Figures {
  int64_t images = 0;

  // Pictures; has_pictures tells whether there were any.
  bool has_pictures = false;
  int64_t lines = 0;  // Labeled ones with a polygon.
  int64_t boxes = 0;  // Found ones, ignored ones not counted.
  // One-to-one matches at an intersection over union of at least 0.5, the
  // best first.
  double det_precision = 0, det_recall = 0, det_hmean = 0;
  // Labeled lines whose match has the same text (NFKC, white space squeezed).
  double line_recall = 0;
  double cer_matched = 0;  // Edits by label characters, over matched lines.
  // Of the multisets of words (case folded, no punctuation at the ends) and of
  // letters and numbers of the whole picture; orders and lines do not matter.
  double word_f1 = 0, char_f1 = 0;

  // Crops; has_crops tells whether there were any.
  bool has_crops = false;
  double accuracy = 0;          // Same text, NFKC and white space squeezed.
  double accuracy_relaxed = 0;  // Letters and numbers only, case folded.
  double cer = 0;
  int64_t characters = 0;  // Of the labels.
};

class Score {
 public:
  void AddPicture(const LabeledImage& label, const Document& read);
  void AddCrop(const LabeledImage& label, std::string_view read);
  Figures figures() const;

 private:
  // Hits, labeled, read: of a multiset comparison.
  struct Overlap {
    int64_t hits = 0, labeled = 0, read = 0;
  };

  int64_t images_ = 0;
  int64_t labeled_boxes_ = 0, read_boxes_ = 0, matched_boxes_ = 0;
  int64_t equal_lines_ = 0, matched_edits_ = 0, matched_characters_ = 0;
  Overlap words_, characters_;
  int64_t crops_ = 0, equal_crops_ = 0, relaxed_crops_ = 0;
  int64_t crop_edits_ = 0, crop_characters_ = 0;
};

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_SCORE_H_
