// Access to the parts of documents by index.
#ifndef MUNJA_CAPI_READING_DOCUMENT_PARTS_H_
#define MUNJA_CAPI_READING_DOCUMENT_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "capi/reading/handles.h"

namespace munja::capi {

// kInvalidArgument: there is no such line.
inline Result<size_t> LineIndex(const munja_document* document, int32_t index) {
  if (index < 0 ||
      static_cast<size_t>(index) >= document->document.lines.size())
    return InvalidArgument("there is no line " + std::to_string(index));
  return static_cast<size_t>(index);
}

// The part of a line with this number.
template <class Part>
Result<const Part*> At(const std::vector<Part>& parts, int32_t index,
                       const char* what) {
  if (index < 0 || static_cast<size_t>(index) >= parts.size())
    return InvalidArgument(std::string("there is no ") + what + " " +
                           std::to_string(index));
  return &parts[static_cast<size_t>(index)];
}

}  // namespace munja::capi

#endif  // MUNJA_CAPI_READING_DOCUMENT_PARTS_H_
