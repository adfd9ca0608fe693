// ncnn layers -> neutral model.
#ifndef MUNJA_IMPORT_NCNN_TRANSLATE_H_
#define MUNJA_IMPORT_NCNN_TRANSLATE_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "import/ir/model.h"

namespace munja::importer::ncnn {

// Input shapes (NCHW, kUnknown allowed) by input name; they override the file.
// Unsupported layers are all named in one kUnsupported message.
Result<Model> Translate(std::string_view param, std::span<const uint8_t> bin,
                        const std::map<std::string, Dims>& input_shapes);

}  // namespace munja::importer::ncnn

#endif  // MUNJA_IMPORT_NCNN_TRANSLATE_H_
