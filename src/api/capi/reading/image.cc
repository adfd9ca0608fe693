// Images from pixels.
#include "munja/image.h"

#include <string>
#include <utility>

#include "capi/reading/handles.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "image/pixels.h"
#include "image/transform.h"

using munja::InvalidArgument;
using munja::Status;
using munja::capi::Guard;
using munja::capi::ReadOptions;
using munja::capi::RequireAll;
using munja::image::Image;
using munja::image::ImageView;

namespace {

// The EXIF orientation with the same meaning; 0: no such rotation.
int OrientationOf(int32_t rotation) {
  switch (rotation) {
    case 0:
      return 1;
    case 90:
      return 6;
    case 180:
      return 3;
    case 270:
      return 8;
    default:
      return 0;
  }
}

}  // namespace

extern "C" {

munja_status munja_image_from_pixels(const munja_pixels* pixels,
                                     munja_image** image) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(pixels, image));
    munja_pixels p;
    MUNJA_RETURN_IF_ERROR(ReadOptions(pixels, &p));
    if (p.format < MUNJA_PIXELS_GRAY8 || p.format > MUNJA_PIXELS_I420)
      return InvalidArgument("unknown pixel format " +
                             std::to_string(static_cast<int>(p.format)));
    const int orientation = OrientationOf(p.rotation);
    if (orientation == 0)
      return InvalidArgument("rotation must be 0, 90, 180 or 270");
    munja::image::PixelView view;
    view.format = static_cast<munja::image::PixelFormat>(p.format);
    view.width = p.width;
    view.height = p.height;
    for (int i = 0; i < 3; ++i) {
      view.planes[i] = static_cast<const uint8_t*>(p.planes[i]);
      view.strides[i] = p.strides[i];
    }
    MUNJA_RETURN_IF_ERROR(munja::image::Check(view));
    const bool is_rgb = p.format == MUNJA_PIXELS_RGB;
    ImageView rgb = {view.planes[0], p.width, p.height, p.strides[0]};
    if (is_rgb && orientation == 1) {
      *image = new munja_image{Image(), rgb};
      return Status();
    }
    Image converted;
    if (!is_rgb) {
      MUNJA_ASSIGN_OR_RETURN(converted, munja::image::ToRgb(view));
      rgb = converted.view();
    }
    if (orientation != 1) {
      MUNJA_ASSIGN_OR_RETURN(converted, munja::image::Orient(rgb, orientation));
    }
    *image = new munja_image{std::move(converted)};
    return Status();
  });
}

munja_status munja_image_from_rgb(const void* pixels, int32_t width,
                                  int32_t height, size_t stride,
                                  munja_image** image) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(pixels, image));
    munja::image::PixelView view;
    view.width = width;
    view.height = height;
    view.planes[0] = static_cast<const uint8_t*>(pixels);
    view.strides[0] = stride;
    MUNJA_ASSIGN_OR_RETURN(Image copy, munja::image::ToRgb(view));
    *image = new munja_image{std::move(copy)};
    return Status();
  });
}

void munja_image_free(munja_image* image) { delete image; }

int32_t munja_image_width(const munja_image* image) {
  return image ? image->view().width : 0;
}

int32_t munja_image_height(const munja_image* image) {
  return image ? image->view().height : 0;
}

const uint8_t* munja_image_pixels(const munja_image* image, size_t* stride) {
  if (image == nullptr) return nullptr;
  if (stride != nullptr) *stride = image->view().stride;
  return image->view().data;
}

}  // extern "C"
