// WebP by libwebp: lossy, lossless, alpha, the first image of an animation,
// EXIF orientation.
#include <webp/decode.h>
#include <webp/demux.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "base/buffer.h"
#include "base/control.h"
#include "image/codecs/codec.h"

namespace munja::image::codecs::webp {
namespace {

struct Demuxer {
  explicit Demuxer(Bytes bytes) {
    const WebPData data = {bytes.data(), bytes.size()};
    demux = WebPDemuxPartial(&data, &state);
  }
  ~Demuxer() { WebPDemuxDelete(demux); }
  Demuxer(const Demuxer&) = delete;
  Demuxer& operator=(const Demuxer&) = delete;
  WebPDemuxer* demux;
  WebPDemuxState state = WEBP_DEMUX_PARSE_ERROR;
};

int Orientation(const Demuxer& demuxer) {
  WebPChunkIterator chunk;
  std::memset(&chunk, 0, sizeof(chunk));
  int orientation = 1;
  if (WebPDemuxGetChunk(demuxer.demux, "EXIF", 1, &chunk) != 0)
    orientation = ExifOrientation({chunk.chunk.bytes, chunk.chunk.size});
  WebPDemuxReleaseChunkIterator(&chunk);
  return orientation;
}

// The library is given a little more of the file at a time, so that decoding
// can end between.
VP8StatusCode DecodeInSteps(const WebPIterator& frame,
                            WebPDecoderConfig* config) {
  constexpr size_t kSteps = 256;
  WebPIDecoder* const decoder = WebPIDecode(nullptr, 0, config);
  if (decoder == nullptr) return VP8_STATUS_OUT_OF_MEMORY;
  const size_t size = frame.fragment.size;
  const size_t step = size / kSteps + 1;
  VP8StatusCode status = VP8_STATUS_SUSPENDED;
  for (size_t end = step; status == VP8_STATUS_SUSPENDED; end += step) {
    if (IsStopped()) {
      status = VP8_STATUS_USER_ABORT;
      break;
    }
    status = WebPIUpdate(decoder, frame.fragment.bytes, std::min(end, size));
    if (end >= size) break;
  }
  WebPIDelete(decoder);
  return status;
}

// Decodes a frame into `target`, the frame's top-left pixel on the canvas.
// Several threads: a second one takes the filters and colors of lossy images.
Status DecodeFrame(const WebPIterator& frame, const DecodeLimits& limits,
                   size_t stride, uint8_t* target) {
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0)
    return Internal("libwebp has another version than its headers");
  if (WebPGetFeatures(frame.fragment.bytes, frame.fragment.size,
                      &config.input) != VP8_STATUS_OK ||
      config.input.width != frame.width ||
      config.input.height != frame.height) {
    return Malformed("the first picture's header is damaged");
  }
  const size_t width = static_cast<size_t>(frame.width);
  const size_t height = static_cast<size_t>(frame.height);
  const bool alpha = config.input.has_alpha != 0;
  Buffer rgba;
  config.output.is_external_memory = 1;
  if (alpha) {
    MUNJA_ASSIGN_OR_RETURN(rgba, Buffer::Allocate(width * height * 4));
    config.output.colorspace = MODE_RGBA;
    config.output.u.RGBA = {rgba.data(), static_cast<int>(width * 4),
                            width * height * 4};
  } else {
    config.output.colorspace = MODE_RGB;
    config.output.u.RGBA = {target, static_cast<int>(stride),
                            stride * (height - 1) + 3 * width};
  }
  config.options.use_threads = limits.threads > 1 ? 1 : 0;
  VP8StatusCode status = DecodeInSteps(frame, &config);
  if (status == VP8_STATUS_OUT_OF_MEMORY && limits.threads > 1) {
    // Also said where no second thread can be had.
    config.options.use_threads = 0;
    status = DecodeInSteps(frame, &config);
  }
  WebPFreeDecBuffer(&config.output);
  switch (status) {
    case VP8_STATUS_OK:
      break;
    case VP8_STATUS_OUT_OF_MEMORY:
      return OutOfMemory("libwebp could not get memory");
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return Unsupported("the picture uses a feature that libwebp lacks");
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED:
      return Malformed("the picture is cut off");
    default:
      return Malformed("the pixels are damaged");
  }
  if (alpha) {
    for (size_t y = 0; y < height; ++y)
      OverGround(rgba.data() + y * width * 4, width, limits.ground,
                 target + y * stride);
  }
  return Status();
}

Result<Image> DecodeCanvas(const Demuxer& demuxer, const WebPIterator& frame,
                           const DecodeLimits& limits) {
  const int width =
      static_cast<int>(WebPDemuxGetI(demuxer.demux, WEBP_FF_CANVAS_WIDTH));
  const int height =
      static_cast<int>(WebPDemuxGetI(demuxer.demux, WEBP_FF_CANVAS_HEIGHT));
  if (frame.complete == 0) return Malformed("the picture is cut off");
  if (frame.width < 1 || frame.height < 1 || frame.x_offset < 0 ||
      frame.y_offset < 0 || frame.width > width - frame.x_offset ||
      frame.height > height - frame.y_offset) {
    return Malformed("the first picture does not lie on the canvas");
  }
  MUNJA_ASSIGN_OR_RETURN(Image image, Image::Create(width, height));
  if (frame.width != width || frame.height != height)
    std::memset(image.row(0), limits.ground,
                image.stride() * static_cast<size_t>(height));
  MUNJA_RETURN_IF_ERROR(
      DecodeFrame(frame, limits, image.stride(),
                  image.row(frame.y_offset) + 3 * frame.x_offset));
  return image;
}

// The chunk that turns the image lies behind the pixels: a file without its
// last bytes may show it on its side.
Status CheckWhole(Bytes bytes) {
  uint64_t stated = 8;
  for (size_t i = 0; i < 4; ++i)
    stated += static_cast<uint64_t>(bytes[4 + i]) << (8 * i);
  if (stated <= bytes.size()) return Status();
  return Malformed("the file is cut off after " + std::to_string(bytes.size()) +
                   " of " + std::to_string(stated) + " bytes");
}

// An image of an animation behind the first, as it is seen then.
Result<Image> DecodeAnimated(Bytes bytes, const DecodeLimits& limits) {
  WebPAnimDecoderOptions options;
  if (WebPAnimDecoderOptionsInit(&options) == 0)
    return Unsupported("this libwebp is another one");
  options.color_mode = MODE_RGBA;
  options.use_threads = 0;
  const WebPData data = {bytes.data(), bytes.size()};
  struct Animation {
    ~Animation() { WebPAnimDecoderDelete(decoder); }
    WebPAnimDecoder* decoder;
  };
  const Animation animation{WebPAnimDecoderNew(&data, &options)};
  WebPAnimInfo info;
  if (animation.decoder == nullptr ||
      WebPAnimDecoderGetInfo(animation.decoder, &info) == 0)
    return Malformed("the animation is damaged, or there is no memory for it");
  const int width = static_cast<int>(info.canvas_width);
  const int height = static_cast<int>(info.canvas_height);
  MUNJA_ASSIGN_OR_RETURN(Image image, Image::Create(width, height));
  uint8_t* rgba = nullptr;
  for (int i = 0; i <= limits.picture; ++i) {
    MUNJA_RETURN_IF_ERROR(CheckControl());
    int time = 0;
    if (WebPAnimDecoderGetNext(animation.decoder, &rgba, &time) == 0)
      return Malformed("picture " + std::to_string(i + 1) + " is damaged");
  }
  for (int y = 0; y < height; ++y)
    OverGround(rgba + static_cast<size_t>(y) * static_cast<size_t>(width) * 4,
               static_cast<size_t>(width), limits.ground, image.row(y));
  return image;
}

}  // namespace

bool Sniff(Bytes bytes) {
  return bytes.size() >= 12 && std::memcmp(bytes.data(), "RIFF", 4) == 0 &&
         std::memcmp(bytes.data() + 8, "WEBP", 4) == 0;
}

int Count(Bytes bytes) {
  const Demuxer demuxer(bytes);
  if (demuxer.demux == nullptr) return 0;
  return static_cast<int>(WebPDemuxGetI(demuxer.demux, WEBP_FF_FRAME_COUNT));
}

Result<Image> Decode(Bytes bytes, const DecodeLimits& limits) {
  MUNJA_RETURN_IF_ERROR(CheckWhole(bytes));
  const Demuxer demuxer(bytes);
  if (demuxer.state == WEBP_DEMUX_PARSING_HEADER)
    return Malformed("the file ends inside its header");
  if (demuxer.demux == nullptr || demuxer.state == WEBP_DEMUX_PARSE_ERROR)
    return Malformed("the container is damaged");
  MUNJA_RETURN_IF_ERROR(
      CheckSize(WebPDemuxGetI(demuxer.demux, WEBP_FF_CANVAS_WIDTH),
                WebPDemuxGetI(demuxer.demux, WEBP_FF_CANVAS_HEIGHT), limits));
  if (limits.picture > 0) {
    MUNJA_ASSIGN_OR_RETURN(Image image, DecodeAnimated(bytes, limits));
    return Upright(std::move(image), Orientation(demuxer));
  }
  WebPIterator frame;
  std::memset(&frame, 0, sizeof(frame));
  if (WebPDemuxGetFrame(demuxer.demux, 1, &frame) == 0) {
    WebPDemuxReleaseIterator(&frame);
    return Malformed("the picture is cut off before its pixels");
  }
  Result<Image> image = DecodeCanvas(demuxer, frame, limits);
  WebPDemuxReleaseIterator(&frame);
  if (!image.ok()) return image;
  return Upright(std::move(image).value(), Orientation(demuxer));
}

}  // namespace munja::image::codecs::webp
