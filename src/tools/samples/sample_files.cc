#include "samples/sample_files.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "image/decode.h"
#include "image/image.h"
#include "image/resize.h"
#include "tensor/npy.h"
#include "tflite/metadata.h"

namespace munja::tools {
namespace {

using compress::CalibrationTensor;

constexpr size_t kMaxTextBytes = size_t{256} << 20;

template <class T>
std::vector<float> Convert(const TensorView& view) {
  const T* values = static_cast<const T*>(view.data);
  return std::vector<float>(values, values + view.shape.elements());
}

Result<std::vector<float>> NumbersOf(const TensorView& view) {
  switch (view.type) {
    case ElementType::kFloat32:
      return Convert<float>(view);
    case ElementType::kFloat64:
      return Convert<double>(view);
    case ElementType::kInt8:
      return Convert<int8_t>(view);
    case ElementType::kUInt8:
      return Convert<uint8_t>(view);
    case ElementType::kInt16:
      return Convert<int16_t>(view);
    case ElementType::kInt32:
      return Convert<int32_t>(view);
    case ElementType::kInt64:
      return Convert<int64_t>(view);
    default:
      return Unsupported(std::string("holds values of type ") +
                         ElementTypeName(view.type) +
                         "; floats of 32 or 64 bits and integers are read");
  }
}

bool Fits(const Shape& shape, const Shape& wanted) {
  if (shape.rank() != wanted.rank()) return false;
  for (int i = 0; i < shape.rank(); ++i)
    if (wanted[i] != kDynamic && wanted[i] != shape[i]) return false;
  return true;
}

// An array cut along its first dimension into parts of shape `part`.
void Cut(const std::vector<float>& values, const Shape& part,
         std::vector<CalibrationTensor>* out) {
  const auto count = static_cast<size_t>(part.elements());
  for (size_t at = 0; count > 0 && at + count <= values.size(); at += count) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(at);
    out->push_back(
        {part, std::vector<float>(begin,
                                  begin + static_cast<std::ptrdiff_t>(count))});
  }
}

Status AddArray(const std::string& path, const graph::Value& input,
                std::vector<CalibrationTensor>* out) {
  MUNJA_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  MUNJA_ASSIGN_OR_RETURN(NpyArray array, ReadNpy(file->bytes()));
  const Shape& shape = array.shape;
  MUNJA_ASSIGN_OR_RETURN(const std::vector<float> values,
                         NumbersOf(array.view()));
  if (!input.has_shape || Fits(shape, input.shape)) {
    out->push_back({shape, values});
    return Status();
  }
  if (shape.rank() > 0) {
    // Samples along the first dimension of the input, where that is 1 ...
    Shape part = shape;
    part[0] = 1;
    if (Fits(part, input.shape)) {
      Cut(values, part, out);
      return Status();
    }
    // ... or along one of their own.
    part = Shape();
    for (int i = 1; i < shape.rank(); ++i) part.Append(shape[i]);
    if (Fits(part, input.shape)) {
      Cut(values, part, out);
      return Status();
    }
  }
  return InvalidArgument("an array of " + shape.ToString() + " is none of " +
                         input.shape.ToString() + ", nor several of them");
}

Status AddText(const std::string& path, const graph::Value& input,
               std::vector<CalibrationTensor>* out) {
  MUNJA_ASSIGN_OR_RETURN(const auto bytes, ReadStream(path, kMaxTextBytes));
  std::string text(bytes.begin(), bytes.end());
  std::replace(text.begin(), text.end(), ',', ' ');
  Shape shape = input.shape;
  int64_t known = 1;
  int open = -1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] != kDynamic) {
      known *= shape[i];
    } else if (open >= 0) {
      return InvalidArgument("the model leaves more than one size of '" +
                             input.name + "' open: give it .npy arrays");
    } else {
      open = i;
    }
  }
  size_t line_number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    ++line_number;
    std::vector<float> values;
    const char* next = line.c_str();
    while (true) {
      next += std::strspn(next, " \t\r;");
      if (*next == '\0') break;
      char* stop = nullptr;
      values.push_back(std::strtof(next, &stop));
      if (stop == next)
        return InvalidArgument("line " + std::to_string(line_number) +
                               " holds a value that is not a number");
      next = stop;
    }
    if (values.empty()) continue;
    const auto count = static_cast<int64_t>(values.size());
    if (known == 0 || count % known != 0 || (open < 0 && count != known))
      return InvalidArgument("line " + std::to_string(line_number) + " has " +
                             std::to_string(count) + " numbers, '" +
                             input.name + "' takes " + std::to_string(known));
    if (open >= 0) shape[open] = static_cast<int32_t>(count / known);
    out->push_back({shape, std::move(values)});
  }
  return Status();
}

Status AddPicture(const std::string& path, const graph::Graph& model,
                  size_t index, const graph::Value& input,
                  std::vector<CalibrationTensor>* out) {
  const Shape& shape = input.shape;
  const bool is_picture = input.has_shape && shape.rank() == 4 &&
                          shape.is_static() && shape[0] == 1 &&
                          (shape[3] == 3 || shape[3] == 1);
  if (!is_picture)
    return InvalidArgument("'" + input.name + "' is " +
                           (input.has_shape ? shape.ToString() : "any shape") +
                           ", a picture is 1xHxWx3 or 1xHxWx1 of fixed size: "
                           "give it .npy arrays");
  tflite::ModelInfo info;
  const auto found = model.metadata.find(tflite::kModelInfoName);
  if (found != model.metadata.end()) {
    auto read = tflite::ReadModelInfo(found->second);
    if (read.ok()) info = std::move(*read);
  }
  if (index >= info.inputs.size() || info.inputs[index].mean.empty() ||
      info.inputs[index].deviation.empty())
    return InvalidArgument(
        "the model's metadata do not say how pixels become '" + input.name +
        "': give it .npy arrays");
  const tflite::TensorInfo& how = info.inputs[index];
  MUNJA_ASSIGN_OR_RETURN(const image::Image picture, image::DecodeFile(path));
  MUNJA_ASSIGN_OR_RETURN(image::Image scaled,
                         image::Image::Create(shape[2], shape[1]));
  MUNJA_RETURN_IF_ERROR(image::ResizeArea(picture.view(), scaled));
  CalibrationTensor tensor;
  tensor.shape = shape;
  const auto channels = static_cast<size_t>(shape[3]);
  const auto of = [](const std::vector<float>& values, size_t c) {
    return values[std::min(c, values.size() - 1)];
  };
  for (int y = 0; y < scaled.height(); ++y) {
    const uint8_t* pixel = scaled.row(y);
    for (int x = 0; x < scaled.width(); ++x, pixel += 3) {
      for (size_t c = 0; c < channels; ++c) {
        // Luma of ITU-R BT.601 for one channel.
        const float value = channels == 3
                                ? static_cast<float>(pixel[c])
                                : 0.299f * static_cast<float>(pixel[0]) +
                                      0.587f * static_cast<float>(pixel[1]) +
                                      0.114f * static_cast<float>(pixel[2]);
        tensor.values.push_back((value - of(how.mean, c)) /
                                of(how.deviation, c));
      }
    }
  }
  out->push_back(std::move(tensor));
  return Status();
}

}  // namespace

Result<std::vector<compress::Sample>> ReadSamples(
    const graph::Graph& model, std::span<const std::string> files) {
  const graph::Subgraph& main = model.main();
  std::vector<std::vector<CalibrationTensor>> given(main.inputs.size());
  for (const std::string& file : files) {
    size_t index = 0;
    std::string path = file;
    const size_t equals = file.find('=');
    if (equals != std::string::npos && !Exists(file)) {
      const std::string name = file.substr(0, equals);
      path = file.substr(equals + 1);
      while (index < main.inputs.size() &&
             main.values[static_cast<size_t>(main.inputs[index])].name != name)
        ++index;
      if (index == main.inputs.size())
        return InvalidArgument("the model has no input '" + name + "'");
    } else if (main.inputs.size() != 1) {
      return InvalidArgument("the model has " +
                             std::to_string(main.inputs.size()) +
                             " inputs: say NAME=" + file);
    }
    const graph::Value& input =
        main.values[static_cast<size_t>(main.inputs[index])];
    const auto ends = [&](std::string_view ending) {
      return std::string_view(path).ends_with(ending);
    };
    Status status;
    if (ends(".npy")) {
      status = AddArray(path, input, &given[index]);
    } else if (ends(".txt") || ends(".csv")) {
      status = AddText(path, input, &given[index]);
    } else {
      status = AddPicture(path, model, index, input, &given[index]);
    }
    if (!status.ok()) return std::move(status).With(path);
  }
  std::vector<compress::Sample> samples;
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i].size() != given[0].size())
      return InvalidArgument(
          "input '" + main.values[static_cast<size_t>(main.inputs[i])].name +
          "' has " + std::to_string(given[i].size()) +
          " samples, the first one " + std::to_string(given[0].size()));
  }
  for (size_t s = 0; !given.empty() && s < given[0].size(); ++s) {
    compress::Sample& sample = samples.emplace_back();
    for (auto& input : given) sample.push_back(std::move(input[s]));
  }
  return samples;
}

}  // namespace munja::tools
