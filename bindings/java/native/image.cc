#include "image.h"

#include <algorithm>

namespace munja_jni {
namespace {

// A plane's memory, held as long as this lives. Between construction and
// destruction of one that holds an array no function of JNI may be called,
// apart from those that hold and let go of arrays.
class Plane {
 public:
  Plane(JNIEnv* env, jobject object, jsize length)
      : env_(env), array_(length < 0 ? nullptr : static_cast<jarray>(object)) {
    data_ = array_ == nullptr ? nullptr
                              : env->GetPrimitiveArrayCritical(array_, nullptr);
  }
  Plane(const Plane&) = delete;
  Plane& operator=(const Plane&) = delete;
  ~Plane() {
    if (array_ != nullptr && data_ != nullptr)
      env_->ReleasePrimitiveArrayCritical(array_, data_, JNI_ABORT);
  }
  bool is_array() const { return array_ != nullptr; }
  const void* data() const { return data_; }

 private:
  JNIEnv* env_;
  jarray array_;
  void* data_;
};

// Bytes of an array, or -1 if the object is no array.
int64_t ArrayBytes(JNIEnv* env, jobject object) {
  jclass bytes = env->FindClass("[B");
  CheckJava(env);
  jclass ints = env->FindClass("[I");
  CheckJava(env);
  int64_t size = -1;
  if (env->IsInstanceOf(object, bytes) == JNI_TRUE) {
    size = env->GetArrayLength(static_cast<jarray>(object));
  } else if (env->IsInstanceOf(object, ints) == JNI_TRUE) {
    size = int64_t{4} * env->GetArrayLength(static_cast<jarray>(object));
  }
  env->DeleteLocalRef(bytes);
  env->DeleteLocalRef(ints);
  return size;
}

struct Shape {
  int64_t row_bytes, rows;
};

// Bytes of a row and the number of rows of a plane; rows 0: no such plane.
Shape ShapeOf(munja_pixel_format format, int plane, int64_t width,
              int64_t height) {
  const int64_t half_width = (width + 1) / 2, half_height = (height + 1) / 2;
  switch (format) {
    case MUNJA_PIXELS_GRAY8:
      return plane == 0 ? Shape{width, height} : Shape{0, 0};
    case MUNJA_PIXELS_RGB:
    case MUNJA_PIXELS_BGR:
      return plane == 0 ? Shape{3 * width, height} : Shape{0, 0};
    case MUNJA_PIXELS_RGBA:
    case MUNJA_PIXELS_BGRA:
      return plane == 0 ? Shape{4 * width, height} : Shape{0, 0};
    case MUNJA_PIXELS_NV12:
    case MUNJA_PIXELS_NV21:
      if (plane == 0) return {width, height};
      return plane == 1 ? Shape{2 * half_width, half_height} : Shape{0, 0};
    case MUNJA_PIXELS_I420:
      return plane == 0 ? Shape{width, height} : Shape{half_width, half_height};
  }
  return {0, 0};
}

}  // namespace

ImageArgument::ImageArgument(JNIEnv* env, jobjectArray planes,
                             jintArray numbers)
    : env_(env) {
  env->GetIntArrayRegion(numbers, 0, kImageNumbers, numbers_.data());
  CheckJava(env);
  const jsize count = std::min<jsize>(3, env->GetArrayLength(planes));
  for (jsize i = 0; i < count; ++i) {
    planes_[static_cast<size_t>(i)] = env->GetObjectArrayElement(planes, i);
    CheckJava(env);
  }
  if (!is_file()) return;
  const jint offset = numbers_[kPlane0], size = numbers_[kPlane0 + 1];
  size_ = static_cast<size_t>(size);
  if (ArrayBytes(env, planes_[0]) >= 0) {
    copy_.reset(new char[std::max<size_t>(1, size_)]);
    env->GetByteArrayRegion(static_cast<jbyteArray>(planes_[0]), offset, size,
                            reinterpret_cast<jbyte*>(copy_.get()));
    CheckJava(env);
    data_ = copy_.get();
  } else {
    data_ = static_cast<const char*>(env->GetDirectBufferAddress(planes_[0])) +
            offset;
  }
}

ImagePointer ImageArgument::Open(jdouble dpi) const {
  if (!is_file()) return FromPixels();
  munja_decode_options options = {};
  options.struct_size = sizeof options;
  options.picture = numbers_[kPage];
  options.dpi = dpi;
  munja_image* image = nullptr;
  Check(munja_image_decode(data_, size_, &options, &image));
  return ImagePointer(image);
}

ImageArgument::Layout ImageArgument::Describe() const {
  Layout layout;
  munja_pixels& pixels = layout.pixels;
  pixels.struct_size = sizeof pixels;
  pixels.format = static_cast<munja_pixel_format>(numbers_[kFormat]);
  pixels.width = numbers_[kWidth];
  pixels.height = numbers_[kHeight];
  pixels.rotation = numbers_[kRotation];
  for (size_t i = 0; i < 3; ++i) {
    const int plane = static_cast<int>(i);
    const Shape shape =
        ShapeOf(pixels.format, plane, pixels.width, pixels.height);
    if (shape.rows == 0) continue;
    const std::string name = "plane " + std::to_string(i);
    if (planes_[i] == nullptr)
      throw Failure{MUNJA_INVALID_ARGUMENT, name + " is missing"};
    const jint* numbers = &numbers_[kPlane0 + 3 * i];
    const int64_t offset = numbers[0], size = numbers[1], stride = numbers[2];
    const int64_t needed = (shape.rows - 1) * stride + shape.row_bytes;
    if (stride < shape.row_bytes) {
      throw Failure{MUNJA_INVALID_ARGUMENT,
                    name + " has a stride of " + std::to_string(stride) +
                        " bytes, but its rows have " +
                        std::to_string(shape.row_bytes)};
    }
    const int64_t array = ArrayBytes(env_, planes_[i]);
    const int64_t capacity =
        array >= 0 ? array : env_->GetDirectBufferCapacity(planes_[i]);
    if (needed > size || offset + size > capacity) {
      throw Failure{MUNJA_INVALID_ARGUMENT,
                    name + " has " + std::to_string(std::min(size, capacity)) +
                        " bytes, but " + std::to_string(pixels.width) + " x " +
                        std::to_string(pixels.height) + " pixels in it need " +
                        std::to_string(needed)};
    }
    pixels.strides[i] = static_cast<size_t>(stride);
    if (array >= 0) {
      layout.offsets[i] = static_cast<jsize>(offset);
      layout.sizes[i] = static_cast<size_t>(needed);
    } else {
      pixels.planes[i] =
          static_cast<const char*>(env_->GetDirectBufferAddress(planes_[i])) +
          offset;
    }
  }
  return layout;
}

munja_pixels ImageArgument::CopyArrays(std::array<std::string, 3>* to) const {
  Layout layout = Describe();
  for (size_t i = 0; i < 3; ++i) {
    if (layout.offsets[i] < 0) continue;
    const Plane plane(env_, planes_[i], layout.offsets[i]);
    if (plane.data() == nullptr) throw std::bad_alloc();
    (*to)[i].assign(static_cast<const char*>(plane.data()) + layout.offsets[i],
                    layout.sizes[i]);
    layout.pixels.planes[i] = (*to)[i].data();
  }
  return layout.pixels;
}

ImagePointer ImageArgument::FromPixels() const {
  auto [pixels, lengths, sizes] = Describe();
  munja_image* image = nullptr;
  munja_status status = MUNJA_OK;
  bool held = true;
  {
    const Plane p0(env_, planes_[0], lengths[0]);
    const Plane p1(env_, planes_[1], lengths[1]);
    const Plane p2(env_, planes_[2], lengths[2]);
    const std::array<const Plane*, 3> held_planes = {&p0, &p1, &p2};
    for (size_t i = 0; i < 3; ++i) {
      const Plane& plane = *held_planes[i];
      if (!plane.is_array()) continue;
      if (plane.data() == nullptr) {
        held = false;
      } else {
        pixels.planes[i] = static_cast<const char*>(plane.data()) + lengths[i];
      }
    }
    if (held) {
      // RGB is borrowed by munja_image_from_pixels(), which an array of Java
      // does not allow.
      status =
          p0.is_array() && pixels.format == MUNJA_PIXELS_RGB &&
                  pixels.rotation == 0
              ? munja_image_from_rgb(pixels.planes[0], pixels.width,
                                     pixels.height, pixels.strides[0], &image)
              : munja_image_from_pixels(&pixels, &image);
    }
  }
  CheckJava(env_);
  if (!held) throw std::bad_alloc();
  Check(status);
  return ImagePointer(image);
}

}  // namespace munja_jni
