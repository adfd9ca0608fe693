#include "ocr/network_input.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "image/normalize.h"

namespace munja::ocr {

namespace {

std::string Decimal(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

}  // namespace

Status CheckInputRange(const runtime::TensorInfo& input,
                       const Normalization& n) {
  const Quantization& q = input.quantization;
  const bool is_16_bits = input.type == ElementType::kInt16;
  const bool is_unsigned = input.type == ElementType::kUInt8;
  if (q.scales.size() != 1 ||
      (!is_16_bits && !is_unsigned && input.type != ElementType::kInt8))
    return Status();
  const double scale = q.scales[0];
  const double zero =
      q.zero_points.empty() ? 0.0 : static_cast<double>(q.zero_points[0]);
  double low = 0, high = 0;
  for (int c = 0; c < 3; ++c) {
    const double dark = -n.mean[c] / n.deviation[c];
    const double bright = (1.0 - n.mean[c]) / n.deviation[c];
    low = c == 0 ? dark : std::min(low, dark);
    high = c == 0 ? bright : std::max(high, bright);
  }
  const double least = is_16_bits ? -32768.0 : is_unsigned ? 0.0 : -128.0;
  const double first = scale * (least - zero);
  const double last = first + (is_16_bits ? 65535 : 255) * scale;
  const double width = high - low;
  const bool is_cut = low < first - 0.25 * width || high > last + 0.25 * width;
  const bool is_lost = !is_16_bits && last - first > 16 * width;
  if (!is_cut && !is_lost) return Status();
  return InvalidArgument(
      "input '" + input.name + "' stands for values from " + Decimal(first) +
      " to " + Decimal(last) + " (scale " + Decimal(scale) + ", zero point " +
      Decimal(zero) + "), the normalization gives " + Decimal(low) + " to " +
      Decimal(high) +
      ": the model normalizes by itself, or belongs to another contract");
}

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
