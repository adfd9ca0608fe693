#include "cli/input_data.h"

#include <algorithm>
#include <cstring>

#include "cli/exit_code.h"
#include "cli/limits.h"
#include "cli/model_arguments.h"
#include "cli/output.h"

namespace munja::cli {

int InputData::Make(const std::vector<munja::TensorInfo>& infos,
                    const std::vector<std::string>& given) {
  std::vector<std::string> shapes;
  if (const int code = AssignToInputs(infos, given, "--shape", &shapes);
      code != kSuccess)
    return code;
  for (size_t i = 0; i < infos.size(); ++i) {
    if (const int code = AddInput(infos[i], shapes[i]); code != kSuccess)
      return code;
  }
  return kSuccess;
}

int InputData::Fill() {
  size_t bytes = 0;
  for (const size_t size : sizes_)
    if (__builtin_add_overflow(bytes, size, &bytes)) bytes = SIZE_MAX;
  if (const int code = CheckMemory(bytes, "the inputs"); code != kSuccess)
    return code;
  data_.resize(tensors_.size());
  for (size_t i = 0; i < tensors_.size(); ++i) {
    munja::Tensor& t = tensors_[i];
    data_[i].resize(sizes_[i]);
    t = munja::Tensor::Of<uint8_t>(t.type(), t.dims(), data_[i]);
    if (const int code = FillOne(t.type(), &data_[i]); code != kSuccess)
      return code;
  }
  return kSuccess;
}

int InputData::AddInput(const munja::TensorInfo& info,
                        const std::string& shape) {
  std::vector<int32_t> dims = info.dims;
  if (!shape.empty() && !ParseShape(shape, &dims))
    return UsageError("--shape '" + shape +
                      "' is not a shape such as 1x640x640x3");
  size_t bytes = ElementBytes(info.type);
  if (bytes == 0) {
    PrintError(info.name, "bench cannot fill an input of type " +
                              munja::NameOf(info.type));
    return kUnsupported;
  }
  // The batch size is 1 unless a shape is given.
  if (!dims.empty() && dims[0] < 0) dims[0] = 1;
  for (const int32_t dim : dims) {
    if (dim < 0)
      return UsageError(
          "the input '" + info.name + "' has free sizes (" +
          ShapeText(info.dims) + "): give them, for example --shape " +
          (info.name.empty() ? "" : info.name + "=") + ExampleShape(info));
    if (__builtin_mul_overflow(bytes, static_cast<size_t>(dim), &bytes) ||
        bytes > (size_t{1} << 34))
      return UsageError("--shape '" + shape +
                        "' is too large: an input may have 16 GiB");
  }
  sizes_.push_back(bytes);
  tensors_.push_back(munja::Tensor::Of<uint8_t>(info.type, dims, {}));
  return kSuccess;
}

int InputData::FillOne(munja_element_type type, std::vector<uint8_t>* data) {
  constexpr size_t kStep = size_t{1} << 20;
  for (size_t at = 0; at < data->size(); at += kStep) {
    if (const munja::Status status = CheckLimits(); !status.ok())
      return Fail(status, Subject::kInput, "");
    const size_t end = std::min(data->size(), at + kStep);
    FillPart(type, at, end, data);
  }
  return kSuccess;
}

void InputData::FillPart(munja_element_type type, size_t begin, size_t end,
                         std::vector<uint8_t>* data) {
  const size_t size = ElementBytes(type);
  for (size_t i = begin; i + size <= end; i += size) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    const uint32_t bits = static_cast<uint32_t>(state_ >> 40);  // 24 bits
    uint8_t* element = data->data() + i;
    if (type == MUNJA_TYPE_FLOAT32) {
      const float value = static_cast<float>(bits) * 0x1p-24f;
      std::memcpy(element, &value, sizeof value);
    } else if (type == MUNJA_TYPE_FLOAT64) {
      const double value = static_cast<double>(bits) * 0x1p-24;
      std::memcpy(element, &value, sizeof value);
    } else if (type == MUNJA_TYPE_FLOAT16) {
      const uint16_t value = static_cast<uint16_t>(0x2c00 + (bits & 0x0fff));
      std::memcpy(element, &value, sizeof value);
    } else if (size == 1 && type != MUNJA_TYPE_BOOL) {
      *element = static_cast<uint8_t>(bits >> 16);
    } else {
      // Whole numbers may be indices: 0 and 1 are the safest.
      std::memset(element, 0, size);
      *element = static_cast<uint8_t>(bits >> 23);
    }
  }
}

}  // namespace munja::cli
