// The entry of munja-video.so.
#include "cli/live/video/ffmpeg.h"

extern "C" __attribute__((visibility("default"))) const munja::cli::VideoModule*
MunjaVideoModule() {
  static constexpr munja::cli::VideoModule kModule = {
      munja::cli::VideoModule::kVersion, munja::cli::OpenFfmpeg,
      munja::cli::EncodeFfmpeg, munja::cli::ShowWindow,
      munja::cli::MakePainter};
  return &kModule;
}
