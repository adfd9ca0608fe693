// Labels and results of an evaluation.
#include "capi/reading/evaluation.h"

#include <filesystem>
#include <memory>
#include <string>

#include "base/file.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "document/results.h"

using munja::InvalidArgument;
using munja::Malformed;
using munja::Status;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::document::LabeledImage;

namespace {

constexpr size_t kMaxLabelBytes = size_t{1} << 30;

// The text of a file of labels or results.
munja::Result<std::string> ReadText(const char* path) {
  MUNJA_ASSIGN_OR_RETURN(const auto bytes,
                         munja::ReadStream(path, kMaxLabelBytes));
  return std::string(bytes.begin(), bytes.end());
}

void FindImages(munja_evaluation* evaluation) {
  evaluation->paths.clear();
  for (const LabeledImage& label : evaluation->labels)
    evaluation->paths.push_back(
        (evaluation->root / label.image).lexically_normal().string());
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
    FindImages(made.get());
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
  if (evaluation == nullptr || !evaluation->Has(index)) return nullptr;
  return evaluation->paths[static_cast<size_t>(index)].c_str();
}

int32_t munja_evaluation_is_crop(const munja_evaluation* evaluation,
                                 int32_t index) {
  return evaluation != nullptr && evaluation->Has(index) &&
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
    FindImages(evaluation);
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

}  // extern "C"
