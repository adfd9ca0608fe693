#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cstring>
#include <vector>

#include "binding.h"

namespace munja_python {
namespace {

using Array = nb::ndarray<nb::ro, nb::device::cpu>;

struct Layout {
  munja_pixel_format format;
  size_t channels;
};

Layout LayoutOf(std::string_view order, size_t channels) {
  if (channels == 1) return {MUNJA_PIXELS_GRAY8, 1};
  const bool is_bgr = order == "bgr";
  if (!is_bgr && order != "rgb")
    throw nb::value_error("order must be 'rgb' or 'bgr'");
  if (channels == 3) return {is_bgr ? MUNJA_PIXELS_BGR : MUNJA_PIXELS_RGB, 3};
  if (channels == 4) return {is_bgr ? MUNJA_PIXELS_BGRA : MUNJA_PIXELS_RGBA, 4};
  throw nb::value_error(
      "an image needs 1 (gray), 3 (RGB) or 4 (RGBA) channels as its last axis");
}

munja::DecodeOptions Options(int page, double dpi, int threads,
                             const Call& call) {
  munja::DecodeOptions options;
  options.picture = page;
  options.dpi = dpi;
  options.threads = threads;
  options.control = call.control();
  return options;
}

std::span<const uint8_t> BytesOf(const nb::bytes& bytes) {
  return {static_cast<const uint8_t*>(bytes.data()), bytes.size()};
}

Image Decode(const nb::bytes& bytes, int page, double dpi, int threads,
             Control* control) {
  Call call(control);
  return {nullptr, Unwrap(call.Run([&] {
            return munja::Image::Decode(BytesOf(bytes),
                                        Options(page, dpi, threads, call));
          }))};
}

int Count(const nb::bytes& bytes) {
  Call call(nullptr);
  return Unwrap(call.Run([&] { return munja::Image::Count(BytesOf(bytes)); }));
}

// The pixels of an array as rows without gaps between pixels.
std::vector<uint8_t> PackedPixels(const Array& array, const Layout& layout) {
  const size_t height = array.shape(0), width = array.shape(1);
  const auto* const data = static_cast<const uint8_t*>(array.data());
  const int64_t channel_stride = array.ndim() == 3 ? array.stride(2) : 0;
  std::vector<uint8_t> packed(height * width * layout.channels);
  uint8_t* to = packed.data();
  for (size_t y = 0; y < height; ++y) {
    for (size_t x = 0; x < width; ++x) {
      const uint8_t* const from = data +
                                  static_cast<int64_t>(y) * array.stride(0) +
                                  static_cast<int64_t>(x) * array.stride(1);
      for (size_t c = 0; c < layout.channels; ++c)
        *to++ = from[static_cast<int64_t>(c) * channel_stride];
    }
  }
  return packed;
}

Image FromArray(nb::object object, const std::string& order) {
  Array array;
  if (!nb::try_cast(object, array))
    throw nb::type_error(
        "an image must be an array in CPU memory that supports DLPack or the "
        "buffer protocol");
  if (array.dtype() != nb::dtype<uint8_t>())
    throw nb::type_error(
        "the elements of an image array must be uint8, from 0 to 255");
  if (array.ndim() != 2 && array.ndim() != 3)
    throw nb::value_error(
        "an image array needs the shape (height, width) or (height, width, "
        "channels)");
  const Layout layout = LayoutOf(order, array.ndim() == 3 ? array.shape(2) : 1);
  constexpr size_t kMaxSide = 1 << 24;  // The library's own limit is lower.
  if (array.shape(0) > kMaxSide || array.shape(1) > kMaxSide)
    throw nb::value_error("the image array is too large");
  munja::Pixels pixels;
  pixels.format = layout.format;
  pixels.width = static_cast<int>(array.shape(1));
  pixels.height = static_cast<int>(array.shape(0));
  const auto channels = static_cast<int64_t>(layout.channels);
  const bool has_rows =
      array.stride(1) == channels &&
      (array.ndim() == 2 || channels == 1 || array.stride(2) == 1) &&
      array.stride(0) >= channels * pixels.width;
  std::shared_ptr<std::vector<uint8_t>> packed;
  std::shared_ptr<void> owner;
  Call call(nullptr);
  munja::Image image = Unwrap(call.Run([&] {
    if (!has_rows)
      packed =
          std::make_shared<std::vector<uint8_t>>(PackedPixels(array, layout));
    pixels.planes[0] = has_rows ? array.data() : packed->data();
    pixels.strides[0] = static_cast<size_t>(has_rows ? array.stride(0)
                                                     : channels * pixels.width);
    return munja::Image::FromPixels(pixels);
  }));
  if (layout.format == MUNJA_PIXELS_RGB) {  // Borrowed.
    owner = packed;
    if (has_rows) owner = std::make_shared<Array>(std::move(array));
  }
  return {std::move(owner), std::move(image)};
}

// A view of the image's pixels: RGB, (height, width, 3).
nb::ndarray<nb::numpy, const uint8_t> Pixels(
    nb::pointer_and_handle<Image> self) {
  const munja::Image& image = self.p->image;
  size_t stride = 0;
  const uint8_t* const data = munja_image_pixels(image.get(), &stride);
  const auto width = static_cast<size_t>(image.width());
  const auto height = static_cast<size_t>(image.height());
  return nb::ndarray<nb::numpy, const uint8_t>(
      data, {height, width, 3}, nb::borrow(self.h),
      {static_cast<int64_t>(stride), 3, 1});
}

}  // namespace

void BindImage(nb::module_& m) {
  nb::class_<Image>(m, "Image", "An upright 8-bit RGB image.")
      .def_prop_ro("width",
                   [](const Image& self) { return self.image.width(); })
      .def_prop_ro("height",
                   [](const Image& self) { return self.image.height(); })
      .def("pixels", Pixels, nb::sig("def pixels(self) -> typing.Any"))
      .def_static("decode", Decode, nb::arg("data"), nb::arg("page") = 0,
                  nb::arg("dpi") = 0.0, nb::arg("threads") = 0,
                  nb::arg("control").none() = nb::none())
      .def_static("count", Count, nb::arg("data"))
      .def_static("from_array", FromArray, nb::arg("array").none(),
                  nb::arg("order") = "rgb");
}

}  // namespace munja_python
