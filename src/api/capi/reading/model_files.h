// Files of models that callers pass in memory or by descriptor.
#ifndef MUNJA_CAPI_READING_MODEL_FILES_H_
#define MUNJA_CAPI_READING_MODEL_FILES_H_

#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"
#include "bundle/files.h"
#include "munja/ocr.h"
#include "text/word_list.h"

namespace munja::capi {

// Copies of the files of a model that is not in a directory.
Result<std::shared_ptr<const bundle::Files>> FilesOf(const munja_file* files,
                                                     int32_t count);

Result<std::shared_ptr<const text::WordList>> ReadWordList(
    const std::string& path);

}  // namespace munja::capi

#endif  // MUNJA_CAPI_READING_MODEL_FILES_H_
