// Frames of videos, cameras and directories of images, and where frames go:
// encoded videos and windows.
//
// Everything that needs FFmpeg or SDL2 lies in a module of its own,
// munja-video.so, which `munja live` opens when it needs it: these libraries
// bring a hundred others, which would take a tenth of a second at every start
// of the command.
#ifndef MUNJA_CLI_LIVE_VIDEO_SOURCE_H_
#define MUNJA_CLI_LIVE_VIDEO_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "munja/munja.hpp"

namespace munja::cli {

// A frame as it was decoded: a view that is valid until the next call of
// Next(). Its size and format may change from frame to frame.
struct VideoFrame {
  munja::Pixels pixels;
  int64_t time_us = 0;  // From the beginning of the stream; never goes back.
};

struct VideoRequest {
  std::string path;  // A file, a directory, /dev/videoN, or "-": stdin.
  double rate = 0;   // Frames a second of a directory; wish for a camera.
  int width = 0, height = 0;  // Wish for a camera; 0: its own choice.
  double start = 0;           // Seconds to skip at the beginning.
  int64_t max_pixels = 0;     // A larger frame is refused; 0: 120 million.
  int threads = 0;            // 0: one for each processor.
  // Asked while a call waits, by its thread; true ends it: MUNJA_CANCELLED.
  std::function<bool()> stops = {};
};

inline constexpr int64_t kMostFramePixels = 120'000'000;

class VideoSource {
 public:
  virtual ~VideoSource() = default;
  // False at the end of the stream. After a failure it is over.
  virtual munja::Result<bool> Next(VideoFrame* frame) = 0;
  // Seconds of the whole stream; 0: unknown.
  virtual double seconds() const = 0;
  // Frames arrive at the time of their making, as those of a camera do.
  virtual bool is_live() const = 0;
  // Sentences since the last call about what was lost or mended.
  virtual std::vector<std::string> TakeNotes() = 0;
};

// Takes RGB images of any size one after the other.
class VideoSink {
 public:
  virtual ~VideoSink() = default;
  virtual munja::Status Add(const uint8_t* rgb, int width, int height,
                            size_t stride, int64_t time_us) = 0;
  // Writes what is left. Without it, nothing remains of the file.
  virtual munja::Status Finish() = 0;
  // The user has closed the window.
  virtual bool is_closed() { return false; }
};

// Draws text on RGB images.
class TextPainter {
 public:
  virtual ~TextPainter() = default;
  // Draws a line of UTF-8 in white on a dark ground, its lower left corner at
  // (x, y), as high as `height` pixels; what lies outside is cut.
  virtual void Draw(const std::string& text, int x, int y, int height,
                    uint8_t* rgb, int image_width, int image_height,
                    size_t stride) = 0;
};

// The functions of munja-video.so.
struct VideoModule {
  // Increased when this file changes.
  static constexpr int kVersion = 1;
  int version;
  munja::Result<std::unique_ptr<VideoSource>> (*open)(const VideoRequest&);
  // Encodes to a file in the format of its extension. It appears at the end.
  munja::Result<std::unique_ptr<VideoSink>> (*encode)(const std::string& path);
  // MUNJA_UNAVAILABLE without a display, or where SDL2 was missing.
  munja::Result<std::unique_ptr<VideoSink>> (*show)(const std::string& title);
  // Null where no font is found.
  std::unique_ptr<TextPainter> (*painter)();
};

// The module, loaded once. MUNJA_UNAVAILABLE, with the package and the option
// to build with, when this build has none.
munja::Result<const VideoModule*> LoadVideoModule();

// Opens what the path names: a directory without the module.
munja::Result<std::unique_ptr<VideoSource>> OpenVideo(
    const VideoRequest& request);
// The images of a directory in the order of their names, `rate` a second.
munja::Result<std::unique_ptr<VideoSource>> OpenDirectory(
    const VideoRequest& request);

}  // namespace munja::cli

#endif  // MUNJA_CLI_LIVE_VIDEO_SOURCE_H_
