#include "reading/network/network_input.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "image/normalize.h"
#include "kernels/elementwise/byte_table.h"
#include "kernels/quant/quantize.h"

namespace munja::ocr {

namespace {

std::string Decimal(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

Status Grow(size_t bytes, Buffer& buffer) {
  if (buffer.size() >= bytes) return Status();
  buffer = Buffer();  // Never two of them at a time.
  MUNJA_ASSIGN_OR_RETURN(buffer, Buffer::Allocate(bytes));
  return Status();
}

// A normalization of levels from 0 to 255.
struct PixelScale {
  explicit PixelScale(const Normalization& n) {
    for (int c = 0; c < 3; ++c) {
      mean[c] = n.mean[c] * 255.0f;
      scale[c] = 1.0f / (255.0f * n.deviation[c]);
    }
  }
  float mean[3], scale[3];
};

// Fills the elements right of the `width` pixels of a line of `row` elements.
template <class T>
void RepeatLast(int width, size_t row, T* line) {
  for (size_t i = static_cast<size_t>(width) * 3; i < row; ++i)
    line[i] = line[i - 3];
}

// The stored values of 256 gray pixels, one of each level, channel by channel.
template <class T>
std::vector<uint8_t> StoredLevels(const Normalization& normalization,
                                  const Quantization& q) {
  constexpr int kLevels = 256;
  uint8_t pixels[3 * kLevels];
  for (int i = 0; i < 3 * kLevels; ++i) pixels[i] = static_cast<uint8_t>(i / 3);
  float values[3 * kLevels];
  const PixelScale scale(normalization);
  image::NormalizeToFloat({pixels, kLevels, 1, sizeof pixels}, scale.mean,
                          scale.scale, false, values, 3 * kLevels);
  T stored[3 * kLevels], by_channel[3 * kLevels];
  kernels::Quantize(
      values, 3 * kLevels, q.scales[0],
      q.zero_points.empty() ? 0 : static_cast<int32_t>(q.zero_points[0]),
      stored);
  for (int i = 0; i < 3 * kLevels; ++i)
    by_channel[i % 3 * kLevels + i / 3] = stored[i];
  const auto* bytes = reinterpret_cast<const uint8_t*>(by_channel);
  return {bytes, bytes + sizeof by_channel};
}

void Map(const std::vector<uint8_t>& levels, const uint8_t* in, int width,
         bool swap, uint8_t* out) {
  kernels::LookUpPixels(levels.data(), in, static_cast<size_t>(width), swap,
                        out);
}

void Map(const std::vector<uint8_t>& levels, const uint8_t* in, int width,
         bool swap, int16_t* out) {
  for (int x = 0; x < width; ++x, in += 3, out += 3) {
    for (int c = 0; c < 3; ++c) {
      const size_t entry = 256 * static_cast<size_t>(c) + in[swap ? 2 - c : c];
      std::memcpy(out + c, levels.data() + entry * sizeof *out, sizeof *out);
    }
  }
}

bool IsStored(const runtime::TensorInfo& input) {
  return input.quantization.scales.size() == 1 &&
         (input.type == ElementType::kInt8 ||
          input.type == ElementType::kUInt8 ||
          input.type == ElementType::kInt16);
}

}  // namespace

Status CheckInputRange(const runtime::TensorInfo& input,
                       const Normalization& n) {
  const Quantization& q = input.quantization;
  const bool is_16_bits = input.type == ElementType::kInt16;
  const bool is_unsigned = input.type == ElementType::kUInt8;
  if (!IsStored(input)) return Status();
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
  return InvalidArgument("input '" + input.name + "' stands for values from " +
                         Decimal(first) + " to " + Decimal(last) + " (scale " +
                         Decimal(scale) + ", zero point " + Decimal(zero) +
                         "), the normalization gives " + Decimal(low) + " to " +
                         Decimal(high) +
                         ": the model normalizes by itself, or belongs to "
                         "another configurationurationuration");
}

Status CheckImageInput(const runtime::Session& session) {
  const auto inputs = session.inputs();
  if (inputs.size() != 1 || session.outputs().empty()) {
    return InvalidArgument("the model has " + std::to_string(inputs.size()) +
                           " inputs and " +
                           std::to_string(session.outputs().size()) +
                           " outputs, wants one input and at least one output");
  }
  const runtime::TensorInfo& input = inputs[0];
  const bool fits = (input.type == ElementType::kFloat32 || IsStored(input)) &&
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
  MUNJA_RETURN_IF_ERROR(Grow(bytes, buffer));
  float* out = buffer.as<float>();
  const PixelScale pixels(normalization);
  image::NormalizeToFloat(picture, pixels.mean, pixels.scale,
                          normalization.order == ChannelOrder::kBgr, out, row,
                          pool);
  for (int y = 0; y < picture.height; ++y)
    RepeatLast(picture.width, row, out + y * row);
  return TensorView{ElementType::kFloat32, Shape{1, picture.height, width, 3},
                    out, bytes, nullptr};
}

ImageInput::ImageInput(const runtime::TensorInfo& input,
                       const Normalization& normalization)
    : type_(input.type),
      quantization_(input.quantization),
      normalization_(normalization) {
  if (type_ == ElementType::kInt8)
    levels_ = StoredLevels<int8_t>(normalization, quantization_);
  else if (type_ == ElementType::kUInt8)
    levels_ = StoredLevels<uint8_t>(normalization, quantization_);
  else if (type_ == ElementType::kInt16)
    levels_ = StoredLevels<int16_t>(normalization, quantization_);
}

Result<TensorView> ImageInput::Fill(const image::ImageView& picture, int width,
                                    ThreadPool* pool) {
  if (type_ == ElementType::kFloat32)
    return FillInput(picture, width, normalization_, buffer_, pool);
  return type_ == ElementType::kInt16 ? FillStored<int16_t>(picture, width)
                                      : FillStored<uint8_t>(picture, width);
}

// T: of the size of what is stored.
template <class T>
Result<TensorView> ImageInput::FillStored(const image::ImageView& picture,
                                          int width) {
  const size_t row = static_cast<size_t>(width) * 3;
  const size_t bytes = row * picture.height * sizeof(T);
  MUNJA_RETURN_IF_ERROR(Grow(bytes, buffer_));
  T* out = buffer_.as<T>();
  const bool swap = normalization_.order == ChannelOrder::kBgr;
  for (int y = 0; y < picture.height; ++y, out += row) {
    Map(levels_, picture.row(y), picture.width, swap, out);
    RepeatLast(picture.width, row, out);
  }
  return TensorView{type_, Shape{1, picture.height, width, 3}, buffer_.data(),
                    bytes, &quantization_};
}

}  // namespace munja::ocr
