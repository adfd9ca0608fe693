// Images as Java has them: arrays and buffers, and numbers that describe them.
#ifndef MUNJA_BINDINGS_JAVA_NATIVE_IMAGE_H_
#define MUNJA_BINDINGS_JAVA_NATIVE_IMAGE_H_

#include <array>
#include <memory>
#include <string>

#include "munja/image.h"
#include "support.h"

namespace munja_jni {

struct FreeImage {
  void operator()(munja_image* image) const { munja_image_free(image); }
};
using ImagePointer = std::unique_ptr<munja_image, FreeImage>;

// Positions in the array that describes an image: OcrImage.kt has the same.
enum ImageNumber {
  kFormat,  // munja_pixel_format, or -1: the bytes of a file in plane 0.
  kWidth,
  kHeight,
  kRotation,
  kPage,
  kPlane0,  // For each of three planes: offset, size, stride, all in bytes.
  kImageNumbers = kPlane0 + 9
};

// The memory of an image during a native method: byte[], int[] or a direct
// buffer for each plane. The bytes of a file in an array are copied, since
// decoding them takes long; arrays of pixels are held while they are converted,
// and direct buffers are used where they are.
class ImageArgument {
 public:
  ImageArgument(JNIEnv* env, jobjectArray planes, jintArray numbers);

  bool is_file() const { return numbers_[kFormat] < 0; }
  // The bytes of the file.
  const void* data() const { return data_; }
  size_t size() const { return size_; }

  ImagePointer Open(jdouble dpi) const;

  // The pixels, for calls that themselves call Java: no array is held, those
  // that there are are copied to `to`. Not for files.
  munja_pixels CopyArrays(std::array<std::string, 3>* to) const;

 private:
  struct Layout {
    munja_pixels pixels = {};
    // Bytes before the first one of a plane in an array; -1: a direct buffer.
    std::array<jsize, 3> offsets = {-1, -1, -1};
    std::array<size_t, 3> sizes = {};  // Bytes of planes in arrays.
  };
  Layout Describe() const;
  ImagePointer FromPixels() const;

  JNIEnv* env_;
  std::array<jint, kImageNumbers> numbers_;
  std::array<jobject, 3> planes_ = {};
  std::unique_ptr<char[]> copy_;
  const void* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace munja_jni

#endif  // MUNJA_BINDINGS_JAVA_NATIVE_IMAGE_H_
