// Scores of documents against labels.
#include <string>

#include "capi/reading/evaluation.h"
#include "capi/reading/handles.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "document/comparison.h"
#include "document/evaluation_json.h"
#include "document/results.h"

using munja::InvalidArgument;
using munja::Status;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::document::Document;
using munja::document::LabeledImage;

extern "C" {

munja_status munja_evaluation_result(const munja_evaluation* evaluation,
                                     int32_t index, munja_document** document) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(evaluation, document));
    if (!evaluation->Has(index))
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
    if (!evaluation->Has(index))
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
    if (!evaluation->Has(index))
      return InvalidArgument("there is no entry " + std::to_string(index));
    const Document nothing;
    const auto lines =
        munja::document::Compare(evaluation->labels[static_cast<size_t>(index)],
                                 document ? document->document : nothing);
    return munja::capi::CopyText(munja::document::ToJson(lines), json);
  });
}

munja_status munja_evaluation_figures(const munja_evaluation* evaluation,
                                      char** json) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(evaluation, json));
    return munja::capi::CopyText(
        munja::document::ToJson(evaluation->score, evaluation->missing), json);
  });
}

}  // extern "C"
