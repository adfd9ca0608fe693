#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "capi/reading/handles.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "document/comparison.h"
#include "document/labels.h"
#include "document/reliability.h"
#include "document/results.h"
#include "document/score.h"
#include "munja/tools/evaluate.h"

using munja::InvalidArgument;
using munja::Malformed;
using munja::Status;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::document::Document;
using munja::document::Figures;
using munja::document::LabeledImage;
using munja::document::Reliability;

struct munja_evaluation {
  std::vector<LabeledImage> labels;
  std::filesystem::path root;      // Image paths are relative to it.
  std::vector<std::string> paths;  // Image paths.
  std::vector<Document> results;   // From munja_evaluation_load_results().
  munja::document::Score score;
  int64_t missing = 0;  // Images without a result.
};

namespace {

constexpr size_t kMaxLabelBytes = size_t{1} << 30;

// The text of a file of labels or results.
munja::Result<std::string> ReadText(const char* path) {
  MUNJA_ASSIGN_OR_RETURN(const auto bytes,
                         munja::ReadStream(path, kMaxLabelBytes));
  return std::string(bytes.begin(), bytes.end());
}

bool InRange(const munja_evaluation* evaluation, int32_t index) {
  return evaluation != nullptr && index >= 0 &&
         static_cast<size_t>(index) < evaluation->labels.size();
}

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

void FindPictures(munja_evaluation* evaluation) {
  evaluation->paths.clear();
  for (const LabeledImage& label : evaluation->labels)
    evaluation->paths.push_back(
        (evaluation->root / label.image).lexically_normal().string());
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

extern "C" {

munja_status munja_evaluation_create(const char* labels,
                                     munja_evaluation** evaluation) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(labels, evaluation));
    MUNJA_ASSIGN_OR_RETURN(const std::string text, ReadText(labels));
    auto made = std::make_unique<munja_evaluation>();
    MUNJA_ASSIGN_OR_RETURN(made->labels,
                           munja::document::ParseLabels(text).With(labels));
    if (made->labels.empty())
      return Malformed(std::string(labels) +
                       ": the file holds no labels; one JSON object a line is "
                       "expected");
    made->root = std::filesystem::path(labels).parent_path() / "..";
    FindPictures(made.get());
    *evaluation = made.release();
    return Status();
  });
}

void munja_evaluation_free(munja_evaluation* evaluation) { delete evaluation; }

int32_t munja_evaluation_count(const munja_evaluation* evaluation) {
  return evaluation ? static_cast<int32_t>(evaluation->labels.size()) : 0;
}

const char* munja_evaluation_image(const munja_evaluation* evaluation,
                                   int32_t index) {
  if (!InRange(evaluation, index)) return nullptr;
  return evaluation->paths[static_cast<size_t>(index)].c_str();
}

int32_t munja_evaluation_is_crop(const munja_evaluation* evaluation,
                                 int32_t index) {
  return InRange(evaluation, index) &&
         evaluation->labels[static_cast<size_t>(index)].is_crop;
}

munja_status munja_evaluation_ignore_text(munja_evaluation* evaluation,
                                          const char* text) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(evaluation, text));
    if (evaluation->score.figures().images > 0)
      return InvalidArgument(
          "texts are ignored before the first entry is scored");
    munja::document::IgnoreText(text, &evaluation->labels);
    FindPictures(evaluation);
    return Status();
  });
}

munja_status munja_evaluation_load_results(munja_evaluation* evaluation,
                                           const char* path) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(evaluation, path));
    MUNJA_ASSIGN_OR_RETURN(const std::string text, ReadText(path));
    MUNJA_ASSIGN_OR_RETURN(evaluation->results,
                           munja::document::ParseResults(text).With(path));
    return Status();
  });
}

munja_status munja_evaluation_result(const munja_evaluation* evaluation,
                                     int32_t index, munja_document** document) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(evaluation, document));
    if (!InRange(evaluation, index))
      return InvalidArgument("there is no entry " + std::to_string(index));
    const Document* found = munja::document::FindResult(
        evaluation->results,
        evaluation->labels[static_cast<size_t>(index)].image);
    *document = found ? new munja_document(*found) : nullptr;
    return Status();
  });
}

munja_status munja_evaluation_add(munja_evaluation* evaluation, int32_t index,
                                  const munja_document* document) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(evaluation));
    if (!InRange(evaluation, index))
      return InvalidArgument("there is no entry " + std::to_string(index));
    const LabeledImage& label = evaluation->labels[static_cast<size_t>(index)];
    const Document nothing;
    const Document& read = document ? document->document : nothing;
    if (document == nullptr) ++evaluation->missing;
    if (label.is_crop) {
      evaluation->score.AddCrop(label, munja::document::JoinLines(read));
    } else {
      evaluation->score.AddPicture(label, read);
    }
    return Status();
  });
}

munja_status munja_evaluation_compare(const munja_evaluation* evaluation,
                                      int32_t index,
                                      const munja_document* document,
                                      char** json) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(evaluation, json));
    if (!InRange(evaluation, index))
      return InvalidArgument("there is no entry " + std::to_string(index));
    const Document nothing;
    auto lines = nlohmann::ordered_json::array();
    for (const munja::document::ComparedLine& line : munja::document::Compare(
             evaluation->labels[static_cast<size_t>(index)],
             document ? document->document : nothing)) {
      nlohmann::ordered_json& out = lines.emplace_back();
      if (line.label) out["label"] = *line.label;
      if (!line.outline.empty()) out["outline"] = Coordinates(line.outline);
      if (line.read) {
        out["read"] = *line.read;
        out["polygon"] = Coordinates(line.polygon);
        out["confidence"] = line.confidence;
      }
      out["right"] = line.is_right;
    }
    return munja::capi::CopyText(
        lines.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
        json);
  });
}

munja_status munja_evaluation_figures(const munja_evaluation* evaluation,
                                      char** json) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(evaluation, json));
    const Figures f = evaluation->score.figures();
    nlohmann::ordered_json out = {{"images", f.images},
                                  {"missing_results", evaluation->missing}};
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
      AddReliability(evaluation->score.reliability(), &out);
    }
    return munja::capi::CopyText(out.dump(), json);
  });
}

}  // extern "C"
