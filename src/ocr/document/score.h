// Score: how much of what was read is right.
#ifndef MUNJA_DOCUMENT_SCORE_H_
#define MUNJA_DOCUMENT_SCORE_H_

#include <cstdint>
#include <string_view>

#include "document/document.h"
#include "document/labels.h"
#include "document/reliability.h"

namespace munja::document {

// All counts are summed over the set before they are divided; nothing is
// averaged over images.
struct Figures {
  int64_t images = 0;  // Crops among them.

  bool has_crops = false;
  double accuracy = 0;          // Equal after Squeeze().
  double accuracy_relaxed = 0;  // Equal in LettersAndDigits().
  double cer = 0;               // Edits per labeled character.
  int64_t characters = 0;       // Labeled.

  bool has_pictures = false;
  int64_t lines = 0;  // Labeled with an outline.
  int64_t boxes = 0;  // Found.
  // Detection: matches of one label with one box, best overlap first, from 1/2
  // up.
  double det_precision = 0, det_recall = 0, det_hmean = 0;
  double line_recall = 0;  // Labeled lines with a match of the same text.
  double cer_matched = 0;  // Edits per labeled character over matches.
  // F1 of the multisets of Words() and LettersAndDigits() of whole images.
  double word_f1 = 0, char_f1 = 0;
};

// Counts images and crops, in any order.
class Score {
 public:
  // Counts the result for a labeled image; an empty document when nothing was
  // read. Outlines count as WriteJson() prints them, so that a score of
  // documents and one of files are the same.
  void AddPicture(const LabeledImage& label, const Document& read);
  // Counts the result for a labeled crop.
  void AddCrop(const LabeledImage& label, std::string_view read);

  Figures figures() const;
  // Confidences of lines that match a label of an image; right: the label's
  // letters and signs, whatever their case and spaces.
  const Reliability& reliability() const { return reliability_; }

 private:
  int64_t images_ = 0;
  int64_t crops_ = 0, crops_equal_ = 0, crops_relaxed_ = 0;
  int64_t crop_edits_ = 0, crop_characters_ = 0;
  int64_t labeled_ = 0, found_ = 0, hits_ = 0, lines_equal_ = 0;
  int64_t matched_edits_ = 0, matched_characters_ = 0;
  int64_t word_hits_ = 0, words_labeled_ = 0, words_read_ = 0;
  int64_t char_hits_ = 0, chars_labeled_ = 0, chars_read_ = 0;
  Reliability reliability_;
};

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_SCORE_H_
