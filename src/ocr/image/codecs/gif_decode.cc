// GIF by giflib: the first image of the file on its canvas, interlaced or
// not; what is transparent shows the ground.
#include <gif_lib.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/buffer.h"
#include "base/control.h"
#include "image/codecs/codec.h"

namespace munja::image::codecs::gif {
namespace {

int OnRead(GifFileType* file, GifByteType* out, int size) {
  auto* const left = static_cast<Bytes*>(file->UserData);
  const size_t count = std::min(left->size(), static_cast<size_t>(size));
  if (count > 0) std::memcpy(out, left->data(), count);
  *left = left->subspan(count);
  return static_cast<int>(count);
}

struct Decoder {
  explicit Decoder(Bytes bytes) : left(bytes) {
    file = DGifOpen(&left, OnRead, &error);
  }
  ~Decoder() {
    if (file != nullptr) DGifCloseFile(file, nullptr);
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  Bytes left;
  int error = 0;
  GifFileType* file;
};

Status Failure(int error) {
  const char* const text = GifErrorString(error);
  if (error == D_GIF_ERR_NOT_ENOUGH_MEM) return OutOfMemory("giflib has none");
  return Malformed(text == nullptr ? "the file is damaged" : text);
}

// The graphics control block that precedes an image.
struct Frame {
  int transparent = NO_TRANSPARENT_COLOR;
  int disposal = DISPOSAL_UNSPECIFIED;
};

// Reads an extension with all its blocks; a graphics control block sets
// `frame`.
Status ReadExtension(GifFileType* file, Frame* frame) {
  int code = 0;
  GifByteType* block = nullptr;
  if (DGifGetExtension(file, &code, &block) == GIF_ERROR)
    return Failure(file->Error);
  while (block != nullptr) {
    GraphicsControlBlock control;
    if (code == GRAPHICS_EXT_FUNC_CODE && block[0] == 4 &&
        DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK) {
      frame->transparent = control.TransparentColor;
      frame->disposal = control.DisposalMode;
    }
    if (DGifGetExtensionNext(file, &block) == GIF_ERROR)
      return Failure(file->Error);
  }
  return Status();
}

// Goes to the next image's pixels.
Status FindPicture(GifFileType* file, Frame* frame) {
  for (;;) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    GifRecordType type = UNDEFINED_RECORD_TYPE;
    if (DGifGetRecordType(file, &type) == GIF_ERROR)
      return Failure(file->Error);
    switch (type) {
      case EXTENSION_RECORD_TYPE:
        MUNJA_RETURN_IF_ERROR(ReadExtension(file, frame));
        break;
      case IMAGE_DESC_RECORD_TYPE:
        if (DGifGetImageDesc(file) == GIF_ERROR) return Failure(file->Error);
        return Status();
      case TERMINATE_RECORD_TYPE:
        return Malformed("the file holds no picture");
      default:
        break;
    }
  }
}

// The row of the image that is stored as number `i` when interlaced.
int InterlacedRow(int i, int height) {
  static constexpr int kStart[4] = {0, 4, 2, 1};
  static constexpr int kStep[4] = {8, 8, 4, 2};
  for (int pass = 0; pass < 4; ++pass) {
    const int rows = height > kStart[pass]
                         ? (height - kStart[pass] - 1) / kStep[pass] + 1
                         : 0;
    if (i < rows) return kStart[pass] + i * kStep[pass];
    i -= rows;
  }
  return height - 1;
}

// Puts a row of color indices into the canvas, as far as it lies on it.
void PutRow(const GifPixelType* indices, const GifImageDesc& desc, int y,
            const ColorMapObject& map, int transparent, Image& image) {
  if (y >= image.height()) return;
  const int count = std::min(desc.Width, image.width() - desc.Left);
  uint8_t* const row = image.row(y);
  for (int x = 0; x < count; ++x) {
    const int index = indices[x];
    // An index without a color shows nothing, as in browsers.
    if (index == transparent || index >= map.ColorCount) continue;
    const GifColorType& color = map.Colors[index];
    uint8_t* const pixel = row + 3 * (desc.Left + x);
    pixel[0] = color.Red;
    pixel[1] = color.Green;
    pixel[2] = color.Blue;
  }
}

Status ReadPicture(GifFileType* file, const Frame& frame,
                   const DecodeLimits& limits, Image& image) {
  const GifImageDesc desc = file->Image;
  const ColorMapObject* const map =
      desc.ColorMap != nullptr ? desc.ColorMap : file->SColorMap;
  if (map == nullptr) return Malformed("the picture has no colors");
  MUNJA_RETURN_IF_ERROR(CheckSize(desc.Width, desc.Height, limits));
  MUNJA_ASSIGN_OR_RETURN(Buffer indices,
                         Buffer::Allocate(static_cast<size_t>(desc.Width)));
  for (int i = 0; i < desc.Height; ++i) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    if (DGifGetLine(file, indices.data(), desc.Width) == GIF_ERROR) {
      if (file->Error == D_GIF_ERR_NOT_ENOUGH_MEM) return Failure(file->Error);
      return CutOff(i, desc.Height);
    }
    const int y = desc.Interlace ? InterlacedRow(i, desc.Height) : i;
    PutRow(indices.data(), desc, desc.Top + y, *map, frame.transparent, image);
  }
  return Status();
}

// Transparent where the image was.
void Clear(const GifImageDesc& desc, uint8_t ground, Image& image) {
  const int left = std::clamp(desc.Left, 0, image.width());
  const int count = std::clamp(desc.Width, 0, image.width() - left);
  const int bottom = std::min(desc.Top + desc.Height, image.height());
  for (int y = std::max(desc.Top, 0); y < bottom; ++y)
    std::memset(image.row(y) + 3 * left, ground,
                3 * static_cast<size_t>(count));
}

// False: the file ends or is damaged.
bool SkipPixels(GifFileType* file) {
  int size = 0;
  GifByteType* block = nullptr;
  if (DGifGetCode(file, &size, &block) == GIF_ERROR) return false;
  while (block != nullptr)
    if (DGifGetCodeNext(file, &block) == GIF_ERROR) return false;
  return true;
}

}  // namespace

bool Sniff(Bytes bytes) {
  return bytes.size() >= 6 && (std::memcmp(bytes.data(), "GIF87a", 6) == 0 ||
                               std::memcmp(bytes.data(), "GIF89a", 6) == 0);
}

int Count(Bytes bytes) {
  Decoder decoder(bytes);
  GifFileType* const file = decoder.file;
  if (file == nullptr) return 0;
  constexpr int kMost = 1 << 20;
  int count = 0;
  Frame frame;
  while (count < kMost && FindPicture(file, &frame).ok()) {
    ++count;
    if (!SkipPixels(file)) break;
  }
  return count;
}

Result<Image> Decode(Bytes bytes, const DecodeLimits& limits) {
  Decoder decoder(bytes);
  GifFileType* const file = decoder.file;
  if (file == nullptr) return Failure(decoder.error);
  Frame frame;
  MUNJA_RETURN_IF_ERROR(FindPicture(file, &frame));
  // Some writers leave the canvas at 0; the image then is the canvas.
  const int width =
      file->SWidth > 0 ? file->SWidth : file->Image.Left + file->Image.Width;
  const int height =
      file->SHeight > 0 ? file->SHeight : file->Image.Top + file->Image.Height;
  MUNJA_RETURN_IF_ERROR(CheckSize(width, height, limits));
  MUNJA_ASSIGN_OR_RETURN(Image image, Image::Create(width, height));
  std::memset(image.row(0), limits.ground,
              image.stride() * static_cast<size_t>(height));
  // The visible canvas is composed from this image and those before it.
  Image before;
  for (int i = 0;; ++i) {
    if (i < limits.picture && frame.disposal == DISPOSE_PREVIOUS) {
      MUNJA_RETURN_IF_ERROR(before.Resize(width, height));
      std::memcpy(before.row(0), image.row(0),
                  image.stride() * static_cast<size_t>(height));
    }
    MUNJA_RETURN_IF_ERROR(ReadPicture(file, frame, limits, image));
    if (i == limits.picture) return image;
    if (frame.disposal == DISPOSE_PREVIOUS)
      std::swap(image, before);
    else if (frame.disposal == DISPOSE_BACKGROUND)
      Clear(file->Image, limits.ground, image);
    frame = Frame();
    MUNJA_RETURN_IF_ERROR(FindPicture(file, &frame));
  }
}

}  // namespace munja::image::codecs::gif
