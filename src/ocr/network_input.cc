#include "ocr/network_input.h"

#include <string>
#include <utility>

#include "image/normalize.h"

namespace munja::ocr {

Status CheckPictureInput(const runtime::Session& session) {
  const auto inputs = session.inputs();
  if (inputs.size() != 1 || session.outputs().empty()) {
    return InvalidArgument("the model has " + std::to_string(inputs.size()) +
                           " inputs and " +
                           std::to_string(session.outputs().size()) +
                           " outputs, wants one input and at least one output");
  }
  const runtime::TensorInfo& input = inputs[0];
  const bool fits = input.type == ElementType::kFloat32 &&
                    input.shape.rank() == 4 &&
                    (input.shape[3] == 3 || input.shape[3] == kDynamic);
  if (!fits) {
    return InvalidArgument(
        "input '" + input.name + "' is " + ElementTypeName(input.type) + " " +
        input.shape.ToString() + ", wants float32 with 1 x height x width x 3");
  }
  return Status();
}

Result<TensorView> FillInput(const image::ImageView& picture, int width,
                             const Normalization& normalization, Buffer& buffer,
                             ThreadPool* pool) {
  const size_t row = static_cast<size_t>(width) * 3;
  const size_t bytes = row * picture.height * sizeof(float);
  if (buffer.size() < bytes) {
    buffer = Buffer();  // Never two of them at a time.
    MUNJA_ASSIGN_OR_RETURN(buffer, Buffer::Allocate(bytes));
  }
  float* out = buffer.as<float>();
  float mean[3], scale[3];
  for (int c = 0; c < 3; ++c) {
    mean[c] = normalization.mean[c] * 255.0f;
    scale[c] = 1.0f / (255.0f * normalization.deviation[c]);
  }
  image::NormalizeToFloat(picture, mean, scale,
                          normalization.order == ChannelOrder::kBgr, out, row,
                          pool);
  for (int y = 0; y < picture.height; ++y) {
    float* line = out + y * row;
    for (size_t i = static_cast<size_t>(picture.width) * 3; i < row; ++i)
      line[i] = line[i - 3];
  }
  return TensorView{ElementType::kFloat32, Shape{1, picture.height, width, 3},
                    out, bytes, nullptr};
}

}  // namespace munja::ocr
