// The preview: a window of SDL2.
#include <memory>
#include <string>
#include <utility>

#include "cli/live/video/ffmpeg.h"

#ifdef MUNJA_HAS_SDL
#include <SDL.h>
#endif

namespace munja::cli {
#ifdef MUNJA_HAS_SDL
namespace {

class SdlWindow : public VideoSink {
 public:
  ~SdlWindow() override {
    if (texture_ != nullptr) SDL_DestroyTexture(texture_);
    if (renderer_ != nullptr) SDL_DestroyRenderer(renderer_);
    if (window_ != nullptr) SDL_DestroyWindow(window_);
    SDL_QuitSubSystem(SDL_INIT_VIDEO);
  }

  munja::Status Open(const std::string& title) {
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");  // The command has its own.
    if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0) return Failure();
    // SDL2 goes on without a display, and draws for no one.
    const std::string driver = SDL_GetCurrentVideoDriver();
    if (driver == "dummy" || driver == "offscreen" || driver == "evdev")
      return {MUNJA_UNAVAILABLE,
              "no window can be opened: there is no display"};
    window_ = SDL_CreateWindow(title.c_str(), SDL_WINDOWPOS_UNDEFINED,
                               SDL_WINDOWPOS_UNDEFINED, 960, 540,
                               SDL_WINDOW_RESIZABLE);
    if (window_ == nullptr) return Failure();
    renderer_ = SDL_CreateRenderer(window_, -1, 0);
    return renderer_ == nullptr ? Failure() : munja::Status();
  }

  munja::Status Add(const uint8_t* rgb, int width, int height, size_t stride,
                    int64_t /*time_us*/) override {
    if (texture_ == nullptr || width != width_ || height != height_) {
      if (texture_ != nullptr) SDL_DestroyTexture(texture_);
      texture_ = SDL_CreateTexture(renderer_, SDL_PIXELFORMAT_RGB24,
                                   SDL_TEXTUREACCESS_STREAMING, width, height);
      if (texture_ == nullptr) return Failure();
      if (width_ == 0) SDL_SetWindowSize(window_, width, height);
      width_ = width;
      height_ = height;
      SDL_RenderSetLogicalSize(renderer_, width, height);
    }
    SDL_UpdateTexture(texture_, nullptr, rgb, static_cast<int>(stride));
    SDL_RenderClear(renderer_);
    SDL_RenderCopy(renderer_, texture_, nullptr, nullptr);
    SDL_RenderPresent(renderer_);
    for (SDL_Event event; SDL_PollEvent(&event) != 0;) {
      const bool is_key =
          event.type == SDL_KEYDOWN && (event.key.keysym.sym == SDLK_q ||
                                        event.key.keysym.sym == SDLK_ESCAPE);
      if (event.type == SDL_QUIT || is_key) is_closed_ = true;
    }
    return {};
  }

  munja::Status Finish() override { return {}; }
  bool is_closed() override { return is_closed_; }

 private:
  static munja::Status Failure() {
    return {MUNJA_UNAVAILABLE,
            std::string("no window can be opened: ") + SDL_GetError()};
  }

  SDL_Window* window_ = nullptr;
  SDL_Renderer* renderer_ = nullptr;
  SDL_Texture* texture_ = nullptr;
  int width_ = 0, height_ = 0;
  bool is_closed_ = false;
};

}  // namespace

munja::Result<std::unique_ptr<VideoSink>> ShowWindow(const std::string& title) {
  auto window = std::make_unique<SdlWindow>();
  if (const munja::Status status = window->Open(title); !status.ok())
    return status;
  return std::unique_ptr<VideoSink>(std::move(window));
}
#else
munja::Result<std::unique_ptr<VideoSink>> ShowWindow(const std::string&) {
  return munja::Status(MUNJA_UNAVAILABLE,
                       "this build has no preview: build it where SDL2 is "
                       "installed ('tools/install-packages video')");
}
#endif
}  // namespace munja::cli
