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

namespace munja::foreign::ncnn {

// Input shapes (NCHW, kUnknown allowed) by input name; they override what the
// file says or leaves open. Layers that cannot be translated are all named in
// one kUnsupported message.
Result<Model> Translate(std::string_view param, std::span<const uint8_t> bin,
                        const std::map<std::string, Dims>& input_shapes);

}  // namespace munja::foreign::ncnn

#endif  // MUNJA_IMPORT_NCNN_TRANSLATE_H_
