#include "document/evaluation_json.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "document/reliability.h"

namespace munja::document {
namespace {

// [x0, y0, x1, y1, ...]
template <class Points>
nlohmann::ordered_json Coordinates(const Points& points) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& p : points) {
    list.push_back(p.x);
    list.push_back(p.y);
  }
  return list;
}

void AddReliability(const Reliability& reliability,
                    nlohmann::ordered_json* out) {
  if (reliability.lines() == 0) return;
  (*out)["confidence_error"] = reliability.Error();
  auto bins = nlohmann::ordered_json::array();
  for (const Reliability::Bin& bin : reliability.Bins())
    bins.push_back(
        {{"lines", bin.lines}, {"right", bin.right}, {"said", bin.said}});
  (*out)["confidence_bins"] = std::move(bins);
  if (const auto fit = reliability.Fit())
    (*out)["confidence_fit"] = {{"slope", fit->slope}, {"offset", fit->offset}};
}

}  // namespace

std::string ToJson(std::span<const ComparedLine> lines) {
  auto list = nlohmann::ordered_json::array();
  for (const ComparedLine& line : lines) {
    nlohmann::ordered_json& out = list.emplace_back();
    if (line.label) out["label"] = *line.label;
    if (!line.outline.empty()) out["outline"] = Coordinates(line.outline);
    if (line.read) {
      out["read"] = *line.read;
      out["polygon"] = Coordinates(line.polygon);
      out["confidence"] = line.confidence;
    }
    out["right"] = line.is_right;
  }
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string ToJson(const Score& score, int64_t missing) {
  const Figures f = score.figures();
  nlohmann::ordered_json out = {{"images", f.images},
                                {"missing_results", missing}};
  if (f.has_crops) {
    out["accuracy"] = f.accuracy;
    out["accuracy_relaxed"] = f.accuracy_relaxed;
    out["cer"] = f.cer;
    out["characters"] = f.characters;
  }
  if (f.has_pictures) {
    out["lines"] = f.lines;
    out["boxes"] = f.boxes;
    out["det_precision"] = f.det_precision;
    out["det_recall"] = f.det_recall;
    out["det_hmean"] = f.det_hmean;
    out["line_recall"] = f.line_recall;
    out["cer_matched"] = f.cer_matched;
    out["word_f1"] = f.word_f1;
    out["char_f1"] = f.char_f1;
    AddReliability(score.reliability(), &out);
  }
  return out.dump();
}

}  // namespace munja::document
