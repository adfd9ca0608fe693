// Tensors of strings.
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/tensor_args.h"
#include "tensor/strings.h"

using munja::InvalidArgument;
using munja::OutOfMemory;
using munja::Status;
using munja::TensorView;
using munja::capi::Guard;
using munja::capi::RequireAll;

extern "C" {

munja_status munja_strings_pack(const char* const* texts, const size_t* lengths,
                                size_t count, void** bytes, size_t* size) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(bytes, size));
    if (count > 0 && texts == nullptr)
      return InvalidArgument("there are no texts");
    std::vector<std::string_view> views;
    for (size_t i = 0; i < count; ++i) {
      if (texts[i] == nullptr)
        return InvalidArgument("text " + std::to_string(i) + " is NULL");
      views.push_back(lengths != nullptr
                          ? std::string_view(texts[i], lengths[i])
                          : std::string_view(texts[i]));
    }
    const size_t total = munja::StringBytes(views);
    if (total > INT32_MAX)
      return InvalidArgument("the strings of a tensor take less than 2 GiB");
    void* const memory = std::malloc(total);
    if (memory == nullptr) return OutOfMemory("no memory for strings");
    munja::WriteStrings(views, memory);
    *bytes = memory;
    *size = total;
    return Status();
  });
}

munja_status munja_string_at(const munja_tensor* tensor, size_t index,
                             const char** text, size_t* length) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(tensor, text, length));
    if (tensor->type != MUNJA_TYPE_STRING)
      return InvalidArgument("the tensor holds no strings");
    MUNJA_ASSIGN_OR_RETURN(const auto views, munja::capi::ViewsOf({tensor, 1}));
    const TensorView& view = views[0];
    const int64_t count = view.shape.elements();
    if (view.data == nullptr || index >= static_cast<size_t>(count))
      return InvalidArgument("there is no string " + std::to_string(index));
    MUNJA_RETURN_IF_ERROR(
        munja::CheckStrings({view.as<uint8_t>(), view.bytes}, count));
    const std::string_view string = munja::StringAt(view, index);
    *text = string.data();
    *length = string.size();
    return Status();
  });
}

}  // extern "C"
