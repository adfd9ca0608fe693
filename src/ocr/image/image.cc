#include "image/image.h"

#include <string>
#include <utility>

#include "base/spare_memory.h"

namespace munja::image {
namespace {

// Never destroyed: images may live as long as the process.
constinit union KeptMemory {
  constexpr KeptMemory() : memory() {}
  ~KeptMemory() {}
  SpareMemory memory;
} kept_memory;

SpareMemory& PictureMemory() { return kept_memory.memory; }

}  // namespace

Image::~Image() { PictureMemory().GiveBack(std::move(pixels_)); }

Image& Image::operator=(Image&& other) noexcept {
  if (this == &other) return *this;
  PictureMemory().GiveBack(std::move(pixels_));
  pixels_ = std::move(other.pixels_);
  width_ = other.width_;
  height_ = other.height_;
  SetPaper(other.paper_width_, other.paper_height_);
  SetPage(other.page_);
  return *this;
}

Result<Image> Image::Create(int width, int height) {
  Image image;
  MUNJA_RETURN_IF_ERROR(image.Resize(width, height));
  return image;
}

Status Image::Resize(int width, int height) {
  if (width < 1 || height < 1 || width > kMaxImageSide ||
      height > kMaxImageSide) {
    return InvalidArgument("a picture of " + std::to_string(width) + " x " +
                           std::to_string(height) + " pixels; a side is 1 to " +
                           std::to_string(kMaxImageSide));
  }
  // It fits 64 bits.
  const size_t bytes =
      static_cast<size_t>(width) * static_cast<size_t>(height) * 3;
  if (bytes > pixels_.size()) {
    pixels_ = Buffer();  // Never two of them at a time.
    width_ = height_ = 0;
    MUNJA_ASSIGN_OR_RETURN(pixels_, PictureMemory().Allocate(bytes));
  }
  width_ = width;
  height_ = height;
  SetPaper(0, 0);
  SetPage(-1);
  return Status();
}

}  // namespace munja::image
