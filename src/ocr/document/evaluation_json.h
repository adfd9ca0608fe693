// Comparisons and figures of an evaluation as JSON.
#ifndef MUNJA_DOCUMENT_EVALUATION_JSON_H_
#define MUNJA_DOCUMENT_EVALUATION_JSON_H_

#include <cstdint>
#include <span>
#include <string>

#include "document/comparison.h"
#include "document/score.h"

namespace munja::document {

// An array with an object for each line.
std::string ToJson(std::span<const ComparedLine> lines);

// `missing`: labeled images without a result.
std::string ToJson(const Score& score, int64_t missing);

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_EVALUATION_JSON_H_
