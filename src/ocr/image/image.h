// Image: decoded pixels, 8-bit RGB.
#ifndef MUNJA_IMAGE_IMAGE_H_
#define MUNJA_IMAGE_IMAGE_H_

#include <cstddef>
#include <cstdint>

#include "base/buffer.h"
#include "base/status.h"

namespace munja::image {

// Limit of width and of height. Scrolled pages are that long.
inline constexpr int kMaxImageSide = 262143;

// A non-owning window into interleaved 8-bit RGB pixels: pixel (x, y) starts at
// data + y * stride + 3 * x.
struct ImageView {
  const uint8_t* data = nullptr;
  int width = 0, height = 0;
  size_t stride = 0;  // Bytes from row to row.
  const uint8_t* row(int y) const {
    return data + static_cast<size_t>(y) * stride;
  }
};

// Owns its pixels; rows are dense (stride == 3 * width). Move-only. The memory
// of a large image waits for the next one.
class Image {
 public:
  Image() = default;
  ~Image();
  Image(Image&&) noexcept = default;
  Image& operator=(Image&& other) noexcept;
  // width and height in [1, kMaxImageSide]; not cleared. kInvalidArgument,
  // kOutOfMemory.
  static Result<Image> Create(int width, int height);
  // Makes it another size, with the memory that it has where that is enough;
  // the pixels are then any. As Create().
  Status Resize(int width, int height);
  int width() const { return width_; }
  int height() const { return height_; }
  size_t stride() const { return static_cast<size_t>(width_) * 3; }
  uint8_t* row(int y) {
    return pixels_.data() + static_cast<size_t>(y) * stride();
  }
  const uint8_t* row(int y) const {
    return pixels_.data() + static_cast<size_t>(y) * stride();
  }
  // Size of the page that it was rendered from, in points; 0: none.
  void SetPaper(double width, double height) {
    paper_width_ = width;
    paper_height_ = height;
  }
  double paper_width() const { return paper_width_; }
  double paper_height() const { return paper_height_; }
  // Index of the page of a PDF file that it was rendered from; -1: none.
  void SetPage(int page) { page_ = page; }
  int page() const { return page_; }
  ImageView view() const { return {pixels_.data(), width_, height_, stride()}; }

 private:
  int width_ = 0, height_ = 0;
  double paper_width_ = 0, paper_height_ = 0;
  int page_ = -1;
  Buffer pixels_;
};

}  // namespace munja::image

#endif  // MUNJA_IMAGE_IMAGE_H_
