#include "cli/input_data.h"

#include <algorithm>
#include <cstring>

#include "cli/exit_code.h"
#include "cli/limits.h"
#include "cli/model_arguments.h"
#include "cli/output.h"

namespace munja::cli {

int InputData::Make(const std::vector<munja_tensor_info>& infos,
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
  for (const munja_tensor& t : tensors_)
    if (__builtin_add_overflow(bytes, t.bytes, &bytes)) bytes = SIZE_MAX;
  if (const int code = CheckMemory(bytes, "the inputs"); code != kSuccess)
    return code;
  data_.resize(tensors_.size());
  for (size_t i = 0; i < tensors_.size(); ++i) {
    munja_tensor& t = tensors_[i];
    data_[i].resize(t.bytes);
    t.data = data_[i].data();
    if (const int code = FillOne(t.type, &data_[i]); code != kSuccess)
      return code;
  }
  return kSuccess;
}

int InputData::AddInput(const munja_tensor_info& info,
                        const std::string& shape) {
  munja_tensor t = {};
  t.type = info.type;
  t.rank = info.rank;
  std::memcpy(t.dims, info.dims, sizeof t.dims);
  if (!shape.empty() && !ParseShape(shape, &t))
    return UsageError("--shape '" + shape +
                      "' is not a shape such as 1x640x640x3");
  size_t bytes = ElementBytes(t.type);
  if (bytes == 0) {
    PrintError(info.name, "bench cannot fill an input of type " +
                              std::string(munja_element_type_name(t.type)));
    return kUnsupported;
  }
  // The batch size is 1 unless a shape is given.
  if (t.rank > 0 && t.dims[0] < 0) t.dims[0] = 1;
  for (int32_t d = 0; d < t.rank; ++d) {
    if (t.dims[d] < 0)
      return UsageError(
          "the input '" + std::string(info.name) + "' has free sizes (" +
          ShapeText(info.rank, info.dims) +
          "): give them, for example --shape " +
          (info.name[0] != 0 ? info.name + std::string("=") : std::string()) +
          ExampleShape(info));
    if (__builtin_mul_overflow(bytes, static_cast<size_t>(t.dims[d]), &bytes) ||
        bytes > (size_t{1} << 34))
      return UsageError("--shape '" + shape +
                        "' is too large: an input may have 16 GiB");
  }
  t.bytes = bytes;
  tensors_.push_back(t);
  return kSuccess;
}

int InputData::FillOne(munja_element_type type, std::vector<uint8_t>* data) {
  constexpr size_t kStep = size_t{1} << 20;
  for (size_t at = 0; at < data->size(); at += kStep) {
    if (const munja_status status = CheckLimits(); status != MUNJA_OK)
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
