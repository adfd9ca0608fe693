// The type behind munja_evaluation.
#ifndef MUNJA_CAPI_READING_EVALUATION_H_
#define MUNJA_CAPI_READING_EVALUATION_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "document/document.h"
#include "document/labels.h"
#include "document/score.h"
#include "munja/tools/evaluate.h"

struct munja_evaluation {
  std::vector<munja::document::LabeledImage> labels;
  std::filesystem::path root;      // Image paths are relative to it.
  std::vector<std::string> paths;  // Image paths.
  // From munja_evaluation_load_results().
  std::vector<munja::document::Document> results;
  munja::document::Score score;
  int64_t missing = 0;  // Images without a result.

  bool Has(int32_t index) const {
    return index >= 0 && static_cast<size_t>(index) < labels.size();
  }
};

#endif  // MUNJA_CAPI_READING_EVALUATION_H_
