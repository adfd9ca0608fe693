#include "document/score.h"

#include <algorithm>
#include <string>
#include <vector>

#include "document/comparison.h"
#include "text/edit_distance.h"
#include "text/normalize.h"

namespace munja::document {
namespace {

// The size of what two sorted multisets share.
template <class Multiset>
int64_t Shared(Multiset& a, Multiset& b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  int64_t shared = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) ++shared;
    const bool step_a = a[i] <= b[j], step_b = b[j] <= a[i];
    i += step_a;
    j += step_b;
  }
  return shared;
}

void AppendWithSpace(const std::string& part, bool is_first,
                     std::string& text) {
  if (!is_first) text += ' ';
  text += part;
}

// The text that is compared when confidences are judged.
std::u32string WithoutCaseAndSpaces(const std::u32string& squeezed) {
  std::u32string text = text::FoldCase(squeezed);
  std::erase(text, U' ');
  return text;
}

double Ratio(int64_t part, int64_t whole) {
  return static_cast<double>(part) /
         static_cast<double>(std::max<int64_t>(1, whole));
}

double F1(int64_t hits, int64_t labeled, int64_t read) {
  if (labeled + read == 0) return 1;
  return 2.0 * static_cast<double>(hits) / static_cast<double>(labeled + read);
}

}  // namespace

void Score::AddCrop(const LabeledImage& label, std::string_view read) {
  ++images_;
  ++crops_;
  const std::u32string a = text::Squeeze(label.text);
  const std::u32string b = text::Squeeze(read);
  crops_equal_ += a == b;
  crops_relaxed_ +=
      text::LettersAndDigits(label.text) == text::LettersAndDigits(read);
  crop_edits_ += static_cast<int64_t>(text::EditDistance(a, b));
  crop_characters_ += static_cast<int64_t>(a.size());
}

void Score::AddPicture(const LabeledImage& label, const Document& read) {
  ++images_;
  const std::vector<LabeledLine>& labels = label.lines;
  const std::vector<Line>& result = read.lines;
  const Matches matches = MatchLines(labels, result);
  std::string labeled_text, read_text;
  bool is_first = true;
  int64_t real = 0, boxed = 0, boxed_hits = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i].is_ignored) continue;
    const size_t match = matches.of_label[i];
    ++real;
    AppendWithSpace(labels[i].text, is_first, labeled_text);
    is_first = false;
    if (!labels[i].polygon.empty()) {
      ++boxed;
      boxed_hits += match != kNoMatch;
    }
    if (match == kNoMatch) continue;
    const std::u32string a = text::Squeeze(labels[i].text);
    const std::u32string b = text::Squeeze(result[match].text);
    lines_equal_ += a == b;
    matched_edits_ += static_cast<int64_t>(text::EditDistance(a, b));
    matched_characters_ += static_cast<int64_t>(a.size());
    if (result[match].unknown_writing.empty())
      reliability_.Add(result[match].confidence,
                       WithoutCaseAndSpaces(a) == WithoutCaseAndSpaces(b));
  }
  int64_t counted_boxes = 0;
  is_first = true;
  for (size_t j = 0; j < result.size(); ++j) {
    const size_t match = matches.of_box[j];
    if (match != kNoMatch && labels[match].is_ignored) continue;
    ++counted_boxes;
    AppendWithSpace(result[j].text, is_first, read_text);
    is_first = false;
  }
  // Where no outline is known boxes are neither right nor wrong.
  if (boxed > 0 || real == 0) {
    labeled_ += boxed;
    found_ += counted_boxes;
    hits_ += boxed_hits;
  }
  std::vector<std::u32string> label_words = text::Words(labeled_text);
  std::vector<std::u32string> read_words = text::Words(read_text);
  word_hits_ += Shared(label_words, read_words);
  words_labeled_ += static_cast<int64_t>(label_words.size());
  words_read_ += static_cast<int64_t>(read_words.size());
  std::u32string label_chars = text::LettersAndDigits(labeled_text);
  std::u32string read_chars = text::LettersAndDigits(read_text);
  char_hits_ += Shared(label_chars, read_chars);
  chars_labeled_ += static_cast<int64_t>(label_chars.size());
  chars_read_ += static_cast<int64_t>(read_chars.size());
}

Figures Score::figures() const {
  Figures f;
  f.images = images_;
  f.has_crops = crops_ > 0;
  if (f.has_crops) {
    f.accuracy = Ratio(crops_equal_, crops_);
    f.accuracy_relaxed = Ratio(crops_relaxed_, crops_);
    f.cer = Ratio(crop_edits_, crop_characters_);
    f.characters = crop_characters_;
  }
  f.has_pictures = words_labeled_ > 0 || chars_labeled_ > 0 || found_ > 0;
  if (f.has_pictures) {
    f.lines = labeled_;
    f.boxes = found_;
    f.det_precision = Ratio(hits_, found_);
    f.det_recall = Ratio(hits_, labeled_);
    // Without outlines precision and recall are 0, and so is their mean.
    f.det_hmean = labeled_ + found_ > 0 ? F1(hits_, labeled_, found_) : 0;
    f.line_recall = Ratio(lines_equal_, labeled_);
    f.cer_matched = Ratio(matched_edits_, matched_characters_);
    f.word_f1 = F1(word_hits_, words_labeled_, words_read_);
    f.char_f1 = F1(char_hits_, chars_labeled_, chars_read_);
  }
  return f;
}

}  // namespace munja::document
