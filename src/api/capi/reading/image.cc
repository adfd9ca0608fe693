// Images from pixels.
#include "munja/image.h"

#include <utility>

#include "capi/reading/handles.h"
#include "capi/reading/pixel_args.h"
#include "capi/runtime/arguments.h"
#include "capi/runtime/guard.h"
#include "image/pixels.h"
#include "image/transform.h"

using munja::Status;
using munja::capi::Guard;
using munja::capi::RequireAll;
using munja::image::Image;
using munja::image::ImageView;

extern "C" {

munja_status munja_image_from_pixels(const munja_pixels* pixels,
                                     munja_image** image) {
  return Guard([&]() -> Status {
    MUNJA_RETURN_IF_ERROR(RequireAll(pixels, image));
    MUNJA_ASSIGN_OR_RETURN(const munja::capi::GivenPixels given,
                           munja::capi::PixelsOf(*pixels));
    const munja::image::PixelView& view = given.view;
    const bool is_rgb = view.format == munja::image::PixelFormat::kRgb;
    ImageView rgb = {view.planes[0], view.width, view.height, view.strides[0]};
    if (is_rgb && given.quarter_turns == 0) {
      *image = new munja_image{Image(), rgb};
      return Status();
    }
    Image converted;
    if (!is_rgb) {
      MUNJA_ASSIGN_OR_RETURN(converted, munja::image::ToRgb(view));
      rgb = converted.view();
    }
    if (given.quarter_turns != 0) {
      MUNJA_ASSIGN_OR_RETURN(converted,
                             munja::image::Rotate(rgb, given.quarter_turns));
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
