#include "cli/live/video_source.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/inputs.h"
#include "cli/streams.h"
#include "munja/munja.hpp"

#ifndef MUNJA_VIDEO_MODULE_DIR
#define MUNJA_VIDEO_MODULE_DIR "../lib/munja"
#endif

namespace munja::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kDirectoryRate = 30;

class DirectorySource : public VideoSource {
 public:
  DirectorySource(std::vector<std::string> files, const VideoRequest& request)
      : files_(std::move(files)),
        request_(request),
        rate_(request.rate > 0 ? request.rate : kDirectoryRate) {
    next_ = static_cast<size_t>(std::max(request.start, 0.0) * rate_);
  }

  munja::Result<bool> Next(VideoFrame* frame) override {
    for (; next_ < files_.size(); ++next_) {
      if (request_.stops && request_.stops())
        return munja::Status(MUNJA_CANCELLED, "cancelled");
      const std::string& file = files_[next_];
      munja::DecodeOptions options = Decoding(request_.threads);
      if (request_.max_pixels > 0) options.max_pixels = request_.max_pixels;
      munja::Result<munja::Image> image = munja::Image::Load(file, options);
      if (!image.ok()) {
        if (image.code() != MUNJA_MALFORMED &&
            image.code() != MUNJA_UNSUPPORTED)
          return image.error();
        last_failure_ = image.error();
        notes_.push_back(image.message() + "; this frame is skipped");
        continue;
      }
      image_ = *std::move(image);
      frame->pixels = {};
      frame->pixels.format = MUNJA_PIXELS_RGB;
      frame->pixels.width = image_->width();
      frame->pixels.height = image_->height();
      frame->pixels.planes[0] = image_->row(0);
      frame->pixels.strides[0] =
          image_->height() > 1
              ? static_cast<size_t>(image_->row(1) - image_->row(0))
              : static_cast<size_t>(image_->width()) * 3;
      frame->time_us =
          static_cast<int64_t>(1e6 * static_cast<double>(next_) / rate_);
      ++next_;
      return true;
    }
    if (!image_ && !last_failure_.ok()) return last_failure_;
    return false;
  }

  double seconds() const override {
    return static_cast<double>(files_.size()) / rate_;
  }
  bool is_live() const override { return false; }
  std::vector<std::string> TakeNotes() override {
    return std::exchange(notes_, {});
  }

 private:
  const std::vector<std::string> files_;
  const VideoRequest request_;
  const double rate_;
  size_t next_ = 0;
  std::optional<munja::Image> image_;
  munja::Status last_failure_;
  std::vector<std::string> notes_;
};

munja::Result<const VideoModule*> FindVideoModule() {
#ifdef MUNJA_HAS_VIDEO
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const fs::path here = error ? fs::path(".") : self.parent_path();
  std::string reason;
  for (const fs::path& folder :
       {here, (here / MUNJA_VIDEO_MODULE_DIR).lexically_normal()}) {
    const fs::path path = folder / "munja-video.so";
    if (!fs::exists(path, error)) continue;
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* const why = ::dlerror();
      reason = why != nullptr ? why : "it cannot be loaded";
      continue;
    }
    using Entry = const VideoModule* (*)();
    const auto entry =
        reinterpret_cast<Entry>(::dlsym(library, "MunjaVideoModule"));
    const VideoModule* const module = entry != nullptr ? entry() : nullptr;
    if (module != nullptr && module->version == VideoModule::kVersion)
      return module;
    reason = path.string() + " is one of another version of Munja";
  }
  return munja::Status(
      MUNJA_UNAVAILABLE,
      "videos and cameras need munja-video.so beside this program or in " +
          std::string(MUNJA_VIDEO_MODULE_DIR) + " from there" +
          (reason.empty() ? std::string("; it is missing") : ": " + reason));
#else
  return munja::Status(
      MUNJA_UNAVAILABLE,
      "this build reads no videos and cameras, only directories of images: "
      "build it with -D MUNJA_VIDEO=ON where FFmpeg's libraries are installed "
      "('tools/install-packages video')");
#endif
}

}  // namespace

munja::Result<const VideoModule*> LoadVideoModule() {
  static const munja::Result<const VideoModule*> module = FindVideoModule();
  return module;
}

munja::Result<std::unique_ptr<VideoSource>> OpenDirectory(
    const VideoRequest& request) {
  std::error_code error;
  const std::vector<std::string> extensions = munja::ImageExtensions();
  std::vector<std::string> files;
  for (fs::directory_iterator it(request.path, error), end; !error && it != end;
       it.increment(error)) {
    std::string extension = it->path().extension().string();
    if (extension.size() < 2 || !fs::is_regular_file(it->path())) continue;
    for (char& c : extension)
      c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    if (std::find(extensions.begin(), extensions.end(), extension.substr(1)) !=
        extensions.end())
      files.push_back(it->path().string());
  }
  if (error)
    return munja::Status(MUNJA_IO, request.path + ": " + error.message());
  if (files.empty())
    return munja::Status(MUNJA_NOT_FOUND,
                         request.path + ": no images in this directory");
  std::sort(files.begin(), files.end());
  return std::unique_ptr<VideoSource>(
      std::make_unique<DirectorySource>(std::move(files), request));
}

munja::Result<std::unique_ptr<VideoSource>> OpenVideo(
    const VideoRequest& request) {
  std::error_code error;
  const bool is_standard = IsStandardInput(request.path);
  if (!is_standard) {
    if (fs::is_directory(request.path, error)) return OpenDirectory(request);
    if (request.path.find("://") != std::string::npos &&
        !fs::exists(request.path, error))
      return munja::Status(
          MUNJA_UNSUPPORTED,
          request.path +
              ": nothing is fetched from networks; pipe it: curl -s URL | "
              "munja live -");
    if (!fs::exists(request.path, error))
      return munja::Status(MUNJA_NOT_FOUND,
                           request.path + ": No such file or directory");
  }
  munja::Result<const VideoModule*> module = LoadVideoModule();
  if (!module.ok()) return module.error();
  VideoRequest named = request;
  if (is_standard) named.path = "-";
  return (*module)->open(named);
}

}  // namespace munja::cli
