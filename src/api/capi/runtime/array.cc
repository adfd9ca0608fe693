#include "munja/tools/array.h"
#include "base/file.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "capi/runtime/handles.h"
#include "capi/runtime/tensor_args.h"
#include "tensor/npy.h"

using munja::MappedFile;
using munja::Status;
using munja::capi::Guard;
using munja::capi::RequireAll;

namespace {

// Limit for pipes. Files are mapped and may be of any size.
constexpr size_t kMaxStreamBytes = size_t{2} << 30;

munja::Result<munja::NpyArray> Read(const char* path) {
  if (munja::IsRegularFile(path) || !munja::Exists(path)) {
    MUNJA_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
    return munja::ReadNpy(file->bytes()).With(path);
  }
  MUNJA_ASSIGN_OR_RETURN(const auto bytes,
                         munja::ReadStream(path, kMaxStreamBytes));
  return munja::ReadNpy(bytes).With(path);
}

}  // namespace

extern "C" {

munja_status munja_array_load(const char* path, munja_array** array) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(path, array));
    munja::Result<munja::NpyArray> read = Read(path);
    if (!read.ok()) return std::move(read).TakeStatus();
    *array = new munja_array{std::move(*read)};
    return Status();
  });
}

void munja_array_free(munja_array* array) { delete array; }

munja_status munja_array_tensor(const munja_array* array,
                                munja_tensor* tensor) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(array, tensor));
    // The view is not const, as that of any tensor; the caller owns the array.
    *tensor =
        munja::capi::TensorOf(const_cast<munja_array*>(array)->array.view());
    return Status();
  });
}

munja_status munja_array_save(const char* path, const munja_tensor* tensor) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(path, tensor));
    MUNJA_ASSIGN_OR_RETURN(const auto views, munja::capi::ViewsOf({tensor, 1}));
    if (views[0].data == nullptr && views[0].shape.elements() > 0)
      return munja::InvalidArgument("the tensor has no data");
    MUNJA_ASSIGN_OR_RETURN(const auto bytes, munja::WriteNpy(views[0]));
    return munja::WriteFile(path, bytes);
  });
}

}  // extern "C"
