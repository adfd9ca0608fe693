// The bytes of a string tensor, as the .tflite format has them: int32 count,
// count + 1 int32 offsets from the start of the bytes, characters.
#ifndef MUNJA_TENSOR_STRINGS_H_
#define MUNJA_TENSOR_STRINGS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tensor/view.h"

namespace munja {

// kMalformed unless the bytes hold that many strings, all inside of them.
// Nothing at all is good for no strings.
Status CheckStrings(std::span<const uint8_t> bytes, int64_t elements);

// String i of a tensor whose bytes passed CheckStrings.
std::string_view StringAt(const TensorView& tensor, size_t i);

// The size of a tensor of these strings, and its bytes. WriteStrings writes
// exactly that many.
size_t StringBytes(std::span<const std::string_view> strings);
void WriteStrings(std::span<const std::string_view> strings, void* out);

}  // namespace munja

#endif  // MUNJA_TENSOR_STRINGS_H_
