// The parts of munja-video.so.
#ifndef MUNJA_CLI_LIVE_VIDEO_FFMPEG_H_
#define MUNJA_CLI_LIVE_VIDEO_FFMPEG_H_

#include <memory>
#include <string>

#include "cli/live/video_source.h"

struct AVFrame;

namespace munja::cli {

template <auto Free>
struct FfmpegDeleter {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
template <class T, auto Free>
using FfmpegOwner = std::unique_ptr<T, FfmpegDeleter<Free>>;

void FreeFrame(AVFrame* frame);
std::string ErrorText(int error);

munja::Result<std::unique_ptr<VideoSource>> OpenFfmpeg(
    const VideoRequest& request);
munja::Result<std::unique_ptr<VideoSink>> EncodeFfmpeg(const std::string& path);
munja::Result<std::unique_ptr<VideoSink>> ShowWindow(const std::string& title);
std::unique_ptr<TextPainter> MakePainter();

}  // namespace munja::cli

#endif  // MUNJA_CLI_LIVE_VIDEO_FFMPEG_H_
