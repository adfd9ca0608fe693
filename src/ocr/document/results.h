// Results: what an engine, this one or another, says that it has read.
#ifndef MUNJA_DOCUMENT_RESULTS_H_
#define MUNJA_DOCUMENT_RESULTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "document/document.h"

namespace munja::document {

// JSON Lines as WriteJson() prints them, empty ones skipped. Of a line, only
// "text" and "polygon" (four points) are needed, of a document "source" and
// either "lines" or, for an image of one line, "text"; other members than
// "confidence" and "timing_ms" are skipped. kMalformed names the line of the
// file.
Result<std::vector<Document>> ParseResults(std::string_view bytes);

// The last of `results` whose source is `image` or a path that ends in it, in
// whole components; null if there is none.
const Document* FindResult(const std::vector<Document>& results,
                           std::string_view image);

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_RESULTS_H_
