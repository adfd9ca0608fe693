// From pixels to the input tensor of a network; shared by detector, recognizer
// and classifier.
#ifndef MUNJA_READING_NETWORK_NETWORK_INPUT_H_
#define MUNJA_READING_NETWORK_NETWORK_INPUT_H_

#include <cstdint>
#include <vector>

#include "base/buffer.h"
#include "base/status.h"
#include "base/thread_pool.h"
#include "image/image.h"
#include "image/resize.h"
#include "reading/network/config.h"
#include "runtime/session.h"
#include "tensor/view.h"

namespace munja::ocr {

// The session has one input, NHWC with three channels, float32 or of stored
// integers with one scale (see SessionOptions::stored_inputs), and at least one
// output.
Status CheckImageInput(const runtime::Session& session);

// For a model whose input is int8, uint8 or int16: the values that
// `normalization` gives must fit what the stored integers stand for. A model
// that takes pixels as they are would see an image normalized twice.
// kInvalidArgument names both ranges. Other inputs pass.
Status CheckInputRange(const runtime::TensorInfo& input,
                       const Normalization& normalization);

// Writes the normalized image into `buffer` (grown when too small) as
// 1 x height x width x 3. `width` may be larger than the image's: its last
// column is repeated, so that no edge is seen where there is none.
Result<TensorView> FillInput(const image::ImageView& picture, int width,
                             const Normalization& normalization, Buffer& buffer,
                             ThreadPool* pool);

// The same for the input that a session states, float32 or stored integers: the
// values that QUANTIZE would make of the normalized image's.
class ImageInput {
 public:
  ImageInput(const runtime::TensorInfo& input,
             const Normalization& normalization);

  // Holds until the next call.
  Result<TensorView> Fill(const image::ImageView& picture, int width,
                          ThreadPool* pool);

 private:
  template <class T>
  Result<TensorView> FillStored(const image::ImageView& picture, int width);

  ElementType type_;
  Quantization quantization_;
  Normalization normalization_;
  // For quantized inputs: the values of the 256 levels of each channel.
  std::vector<uint8_t> levels_;
  Buffer buffer_;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_NETWORK_NETWORK_INPUT_H_
