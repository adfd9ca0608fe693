#include "document/score.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "geometry/iou.h"
#include "text/edit_distance.h"
#include "text/normalize.h"

namespace munja::document {
namespace {

constexpr double kMatchingIou = 0.5;

// matches.label[i]: the box that label i got, or -1; and the other way round.
struct Matches {
  std::vector<int> label, box;
};

Matches Match(const LabeledImage& label, const Document& read) {
  std::vector<std::tuple<double, int, int>> pairs;
  for (size_t i = 0; i < label.lines.size(); ++i) {
    if (label.lines[i].polygon.empty()) continue;
    for (size_t j = 0; j < read.lines.size(); ++j) {
      std::vector<geometry::PointD> box;
      for (const geometry::Point& p : read.lines[j].polygon)
        box.push_back({p.x, p.y});
      const double iou =
          geometry::IntersectionOverUnion(label.lines[i].polygon, box);
      if (iou >= kMatchingIou)
        pairs.emplace_back(iou, static_cast<int>(i), static_cast<int>(j));
    }
  }
  std::sort(pairs.rbegin(), pairs.rend());
  Matches matches{std::vector<int>(label.lines.size(), -1),
                  std::vector<int>(read.lines.size(), -1)};
  for (const auto& [iou, i, j] : pairs) {
    if (matches.label[i] != -1 || matches.box[j] != -1) continue;
    matches.label[i] = j;
    matches.box[j] = i;
  }
  return matches;
}

// The number of items that two multisets have in common.
template <class Items>
int64_t InCommon(const Items& a, const Items& b) {
  std::map<typename Items::value_type, int64_t> counts;
  for (const auto& item : a) ++counts[item];
  int64_t common = 0;
  for (const auto& item : b) {
    if (const auto it = counts.find(item);
        it != counts.end() && it->second > 0) {
      --it->second;
      ++common;
    }
  }
  return common;
}

double Ratio(int64_t part, int64_t whole) {
  return static_cast<double>(part) /
         static_cast<double>(std::max<int64_t>(whole, 1));
}

double F1(int64_t hits, int64_t labeled, int64_t read) {
  if (labeled + read == 0) return 1.0;
  return 2.0 * static_cast<double>(hits) / static_cast<double>(labeled + read);
}

}  // namespace

void Score::AddPicture(const LabeledImage& label, const Document& read) {
  ++images_;
  const Matches matches = Match(label, read);
  bool has_real = false, has_boxed = false;
  int64_t labeled = 0, hits = 0;
  std::string label_text, read_text;
  for (size_t i = 0; i < label.lines.size(); ++i) {
    const LabeledLine& line = label.lines[i];
    if (line.is_ignored) continue;
    if (has_real) label_text += ' ';
    label_text += line.text;
    has_real = true;
    if (!line.polygon.empty()) {
      has_boxed = true;
      ++labeled;
    }
    if (matches.label[i] < 0) continue;
    ++hits;
    const std::u32string want = text::Squeeze(line.text);
    const std::u32string got =
        text::Squeeze(read.lines[static_cast<size_t>(matches.label[i])].text);
    equal_lines_ += want == got;
    matched_edits_ += static_cast<int64_t>(text::EditDistance(want, got));
    matched_characters_ += static_cast<int64_t>(want.size());
  }
  int64_t boxes = 0;
  for (size_t j = 0; j < read.lines.size(); ++j) {
    if (matches.box[j] >= 0 &&
        label.lines[static_cast<size_t>(matches.box[j])].is_ignored)
      continue;
    if (boxes++ > 0) read_text += ' ';
    read_text += read.lines[j].text;
  }
  // Where real lines are labeled without polygons, boxes are neither right
  // nor wrong.
  if (has_boxed || !has_real) {
    labeled_boxes_ += labeled;
    read_boxes_ += boxes;
    matched_boxes_ += hits;
  }
  const auto add = [](Overlap& sum, const auto& want, const auto& got) {
    sum.hits += InCommon(want, got);
    sum.labeled += static_cast<int64_t>(want.size());
    sum.read += static_cast<int64_t>(got.size());
  };
  add(words_, text::Words(label_text), text::Words(read_text));
  add(characters_, text::LettersAndNumbers(label_text),
      text::LettersAndNumbers(read_text));
}

void Score::AddCrop(const LabeledImage& label, std::string_view read) {
  ++images_;
  ++crops_;
  const std::u32string want = text::Squeeze(label.text);
  const std::u32string got = text::Squeeze(read);
  equal_crops_ += want == got;
  relaxed_crops_ +=
      text::LettersAndNumbers(label.text) == text::LettersAndNumbers(read);
  crop_edits_ += static_cast<int64_t>(text::EditDistance(want, got));
  crop_characters_ += static_cast<int64_t>(want.size());
}

Figures Score::figures() const {
  Figures f;
  f.images = images_;
  f.has_crops = crops_ > 0;
  if (f.has_crops) {
    f.accuracy = Ratio(equal_crops_, crops_);
    f.accuracy_relaxed = Ratio(relaxed_crops_, crops_);
    f.cer = Ratio(crop_edits_, crop_characters_);
    f.characters = crop_characters_;
  }
  f.has_pictures =
      words_.labeled > 0 || characters_.labeled > 0 || read_boxes_ > 0;
  if (f.has_pictures) {
    f.lines = labeled_boxes_;
    f.boxes = read_boxes_;
    f.det_precision = Ratio(matched_boxes_, read_boxes_);
    f.det_recall = Ratio(matched_boxes_, labeled_boxes_);
    f.det_hmean = F1(matched_boxes_, labeled_boxes_, read_boxes_);
    f.line_recall = Ratio(equal_lines_, labeled_boxes_);
    f.cer_matched = Ratio(matched_edits_, matched_characters_);
    f.word_f1 = F1(words_.hits, words_.labeled, words_.read);
    f.char_f1 = F1(characters_.hits, characters_.labeled, characters_.read);
  }
  return f;
}

}  // namespace munja::document
