// HEIC and AVIF by libheif.
#ifdef MUNJA_HAS_HEIF
#include <libheif/heif.h>
#endif

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/control.h"
#include "image/codecs/codec.h"
#include "image/codecs/shared_library.h"

namespace munja::image::codecs::heif {
namespace {

using namespace std::string_view_literals;

// Brands of images, and of sequences of them.
constexpr std::string_view kBrands[] = {"heic", "heix", "heim", "heis",
                                        "hevc", "hevx", "hevm", "hevs",
                                        "mif1", "msf1", "avif", "avis"};

#ifdef MUNJA_HAS_HEIF
constexpr char kNotInstalled[] =
    "libheif, which reads it, is not installed (Debian: libheif1)";

#define MUNJA_HEIF_FUNCTIONS(F)                   \
  F(heif_context_alloc)                           \
  F(heif_context_free)                            \
  F(heif_context_set_maximum_image_size_limit)    \
  F(heif_context_read_from_memory_without_copy)   \
  F(heif_context_get_number_of_top_level_images)  \
  F(heif_context_get_list_of_top_level_image_IDs) \
  F(heif_context_get_primary_image_ID)            \
  F(heif_context_get_image_handle)                \
  F(heif_image_handle_release)                    \
  F(heif_image_handle_get_width)                  \
  F(heif_image_handle_get_height)                 \
  F(heif_decode_image)                            \
  F(heif_image_get_width)                         \
  F(heif_image_get_height)                        \
  F(heif_image_get_plane_readonly)                \
  F(heif_image_release)
MUNJA_SHARED_LIBRARY("libheif.so.1", MUNJA_HEIF_FUNCTIONS)

// A file and its images, the one that is meant first.
class File {
 public:
  static Result<std::unique_ptr<File>> Open(Bytes bytes,
                                            const DecodeLimits& limits) {
    const Library* const library = Library::Open();
    if (library == nullptr) return Unsupported(kNotInstalled);
    auto file = std::unique_ptr<File>(new File(*library));
    if (file->context_ == nullptr) return OutOfMemory("no memory");
    library->heif_context_set_maximum_image_size_limit(file->context_,
                                                       limits.max_side);
    const heif_error error =
        library->heif_context_read_from_memory_without_copy(
            file->context_, bytes.data(), bytes.size(), nullptr);
    if (error.code != heif_error_Ok) return Malformed(error.message);
    const int count =
        library->heif_context_get_number_of_top_level_images(file->context_);
    if (count < 1) return Malformed("there is no picture in it");
    file->ids_.resize(static_cast<size_t>(count));
    library->heif_context_get_list_of_top_level_image_IDs(
        file->context_, file->ids_.data(), count);
    heif_item_id primary = 0;
    if (library->heif_context_get_primary_image_ID(file->context_, &primary)
            .code == heif_error_Ok) {
      const auto found =
          std::find(file->ids_.begin(), file->ids_.end(), primary);
      if (found != file->ids_.end())
        std::rotate(file->ids_.begin(), found, found + 1);
    }
    return file;
  }
  ~File() {
    if (picture_ != nullptr) library_.heif_image_release(picture_);
    if (handle_ != nullptr) library_.heif_image_handle_release(handle_);
    if (context_ != nullptr) library_.heif_context_free(context_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int count() const { return static_cast<int>(ids_.size()); }

  Result<Image> Decode(const DecodeLimits& limits) {
    if (limits.picture >= count()) return InvalidArgument("no such picture");
    const auto number = static_cast<size_t>(limits.picture);
    heif_error error = library_.heif_context_get_image_handle(
        context_, ids_[number], &handle_);
    if (error.code != heif_error_Ok) return Malformed(error.message);
    MUNJA_RETURN_IF_ERROR(
        CheckSize(library_.heif_image_handle_get_width(handle_),
                  library_.heif_image_handle_get_height(handle_), limits));
    MUNJA_RETURN_IF_ERROR(CheckControl());
    // Turned and cut as the file says; 16 bits become 8.
    error = library_.heif_decode_image(handle_, &picture_, heif_colorspace_RGB,
                                       heif_chroma_interleaved_RGBA, nullptr);
    if (error.code == heif_error_Unsupported_feature ||
        error.code == heif_error_Unsupported_filetype)
      return Unsupported(error.message);
    if (error.code == heif_error_Memory_allocation_error)
      return OutOfMemory(error.message);
    if (error.code != heif_error_Ok) return Malformed(error.message);
    const int width =
        library_.heif_image_get_width(picture_, heif_channel_interleaved);
    const int height =
        library_.heif_image_get_height(picture_, heif_channel_interleaved);
    MUNJA_RETURN_IF_ERROR(CheckSize(width, height, limits));
    int stride = 0;
    const uint8_t* const rgba = library_.heif_image_get_plane_readonly(
        picture_, heif_channel_interleaved, &stride);
    if (rgba == nullptr) return Malformed("there are no pixels in it");
    MUNJA_ASSIGN_OR_RETURN(Image image, Image::Create(width, height));
    for (int y = 0; y < height; ++y)
      OverGround(rgba + static_cast<size_t>(y) * static_cast<size_t>(stride),
                 static_cast<size_t>(width), limits.ground, image.row(y));
    return image;
  }

 private:
  explicit File(const Library& library)
      : library_(library), context_(library.heif_context_alloc()) {}

  const Library& library_;
  heif_context* context_;
  heif_image_handle* handle_ = nullptr;
  heif_image* picture_ = nullptr;
  std::vector<heif_item_id> ids_;
};
#endif  // MUNJA_HAS_HEIF

}  // namespace

bool Sniff(Bytes bytes) {
  constexpr size_t kBrandEnd = 12;
  if (bytes.size() < kBrandEnd) return false;
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()),
                              kBrandEnd);
  return head.substr(4, 4) == "ftyp"sv &&
         std::find(std::begin(kBrands), std::end(kBrands), head.substr(8)) !=
             std::end(kBrands);
}

#ifdef MUNJA_HAS_HEIF
Status Available() {
  return Library::Open() != nullptr ? Status() : Unavailable(kNotInstalled);
}

int Count(Bytes bytes) {
  const auto file = File::Open(bytes, DecodeLimits());
  return file.ok() ? (*file)->count() : 0;
}

Result<Image> Decode(Bytes bytes, const DecodeLimits& limits) {
  MUNJA_ASSIGN_OR_RETURN(const std::unique_ptr<File> file,
                         File::Open(bytes, limits));
  return file->Decode(limits);
}
#else
Status Available() {
  return Unsupported(
      "this build of the library reads no HEIC and AVIF pictures: it was made "
      "without libheif (Debian: libheif-dev)");
}

int Count(Bytes) { return 0; }

Result<Image> Decode(Bytes, const DecodeLimits&) { return Available(); }
#endif

}  // namespace munja::image::codecs::heif
