// The options of this library's own custom operators: a FlexBuffers map of
// numbers, texts and lists, as custom operators of .tflite have it.
#ifndef MUNJA_OPS_SUPPORT_CUSTOM_OPTIONS_H_
#define MUNJA_OPS_SUPPORT_CUSTOM_OPTIONS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "graph/attributes.h"

namespace munja::ops {

std::vector<uint8_t> EncodeCustomOptions(const graph::Attributes& attributes);

// kMalformed for other bytes; none at all are no options.
Result<graph::Attributes> DecodeCustomOptions(std::span<const uint8_t> bytes);

}  // namespace munja::ops

#endif  // MUNJA_OPS_SUPPORT_CUSTOM_OPTIONS_H_
