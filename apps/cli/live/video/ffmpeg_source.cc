// Frames of video files, streams and cameras by FFmpeg's libraries.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavdevice/avdevice.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include "cli/live/video/ffmpeg.h"

namespace munja::cli {
namespace {

void FreeInput(AVFormatContext* input) { avformat_close_input(&input); }
void FreeCodec(AVCodecContext* codec) { avcodec_free_context(&codec); }
void FreePacket(AVPacket* packet) { av_packet_free(&packet); }

bool IsCamera(const std::string& path) {
  return path.starts_with("/dev/video");
}

// The layout of the library for a format of FFmpeg's; false: to be converted.
bool LayoutOf(int format, munja_pixel_format* layout) {
  switch (format) {
    case AV_PIX_FMT_YUV420P:
      *layout = MUNJA_PIXELS_I420;
      return true;
    case AV_PIX_FMT_NV12:
      *layout = MUNJA_PIXELS_NV12;
      return true;
    case AV_PIX_FMT_NV21:
      *layout = MUNJA_PIXELS_NV21;
      return true;
    case AV_PIX_FMT_GRAY8:
      *layout = MUNJA_PIXELS_GRAY8;
      return true;
    case AV_PIX_FMT_RGB24:
      *layout = MUNJA_PIXELS_RGB;
      return true;
    case AV_PIX_FMT_BGR24:
      *layout = MUNJA_PIXELS_BGR;
      return true;
    case AV_PIX_FMT_RGBA:
      *layout = MUNJA_PIXELS_RGBA;
      return true;
    case AV_PIX_FMT_BGRA:
      *layout = MUNJA_PIXELS_BGRA;
      return true;
    default:
      return false;
  }
}

class FfmpegSource : public VideoSource {
 public:
  explicit FfmpegSource(const VideoRequest& request)
      : request_(request),
        name_(request.path == "-" ? "standard input" : request.path),
        max_pixels_(request.max_pixels > 0 ? request.max_pixels
                                           : kMostFramePixels) {}

  munja::Status Open() {
    av_log_set_level(AV_LOG_QUIET);  // The messages are ours.
    AVFormatContext* input = avformat_alloc_context();
    if (input == nullptr) return NoMemory();
    input->interrupt_callback = {Interrupt, this};
    AVDictionary* options = nullptr;
    const AVInputFormat* format = nullptr;
    std::string url = "file:" + request_.path;
    if (IsCamera(request_.path)) {
      avdevice_register_all();
      format = av_find_input_format("video4linux2");
      url = request_.path;
      if (request_.rate > 0)
        av_dict_set(&options, "framerate",
                    std::to_string(request_.rate).c_str(), 0);
      if (request_.width > 0)
        av_dict_set(&options, "video_size",
                    (std::to_string(request_.width) + "x" +
                     std::to_string(request_.height))
                        .c_str(),
                    0);
    } else {
      if (request_.path == "-") url = "pipe:0";
      // A file that names others, as play lists do, opens none of a network.
      av_dict_set(&options, "protocol_whitelist", "file,pipe", 0);
      input->max_streams = 64;
    }
    int error = avformat_open_input(&input, url.c_str(), format, &options);
    av_dict_free(&options);
    if (error < 0) return Failure(error, "cannot be opened as a video");
    input_.reset(input);
    error = avformat_find_stream_info(input, nullptr);
    if (error < 0) return Failure(error, "no stream can be read");
    const AVCodec* decoder = nullptr;
    stream_ =
        av_find_best_stream(input, AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0);
    if (stream_ == AVERROR_DECODER_NOT_FOUND)
      return munja::Status(MUNJA_UNSUPPORTED,
                           name_ +
                               ": FFmpeg's libraries lack the decoder of "
                               "this video");
    if (stream_ < 0 || (stream()->disposition & AV_DISPOSITION_ATTACHED_PIC))
      return munja::Status(MUNJA_UNSUPPORTED, name_ + ": no video in it");
    for (unsigned i = 0; i < input->nb_streams; ++i)
      if (static_cast<int>(i) != stream_)
        input->streams[i]->discard = AVDISCARD_ALL;
    const AVCodecParameters& about = *stream()->codecpar;
    if (const munja::Status status = CheckPixels(about.width, about.height);
        !status.ok())
      return status;
    codec_.reset(avcodec_alloc_context3(decoder));
    if (!codec_) return NoMemory();
    error = avcodec_parameters_to_context(codec_.get(), stream()->codecpar);
    codec_->thread_count = request_.threads;
    codec_->max_pixels = max_pixels_;
    codec_->pkt_timebase = stream()->time_base;
    if (error >= 0) error = avcodec_open2(codec_.get(), decoder, nullptr);
    if (error < 0) return Failure(error, "its decoder cannot be started");
    packet_.reset(av_packet_alloc());
    decoded_.reset(av_frame_alloc());
    converted_.reset(av_frame_alloc());
    if (!packet_ || !decoded_ || !converted_) return NoMemory();
    return Start();
  }

  munja::Result<bool> Next(VideoFrame* frame) override {
    for (;;) {
      const int error = Decode();
      if (error == AVERROR_EXIT || Stops())
        return munja::Status(MUNJA_CANCELLED, "cancelled");
      if (error == AVERROR_EOF && !is_live()) return End();
      if (error < 0 && is_live()) {
        if (const munja::Status status = Reopen(); !status.ok()) return status;
        continue;
      }
      if (error < 0) {
        if (frames_ > 0) {
          notes_.push_back(name_ + ": ends after " + Seconds(last_us_) +
                           " s with an error: " + ErrorText(error));
          return false;
        }
        return Failure(error, "no frame can be decoded");
      }
      const int64_t time = TimeOf(*decoded_);
      if (static_cast<double>(time) < request_.start * 1e6 - 1) continue;
      ++frames_;
      frame->time_us = time;
      if (const munja::Status status = View(&frame->pixels); !status.ok())
        return status;
      return true;
    }
  }

  double seconds() const override {
    if (input_ == nullptr || input_->duration <= 0) return 0;
    return static_cast<double>(input_->duration) / AV_TIME_BASE;
  }
  bool is_live() const override { return IsCamera(request_.path); }

  std::vector<std::string> TakeNotes() override {
    return std::exchange(notes_, {});
  }

 private:
  AVStream* stream() const { return input_->streams[stream_]; }

  bool Stops() const { return request_.stops && request_.stops(); }

  static int Interrupt(void* self) {
    return static_cast<FfmpegSource*>(self)->Stops() ? 1 : 0;
  }

  static munja::Status NoMemory() {
    return munja::Status(MUNJA_OUT_OF_MEMORY, "out of memory for a video");
  }

  static std::string Seconds(int64_t us) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", static_cast<double>(us) / 1e6);
    return text;
  }

  munja::Status Failure(int error, const std::string& what) const {
    if (error == AVERROR_EXIT) return {MUNJA_CANCELLED, "cancelled"};
    munja_status code = MUNJA_IO;
    if (error == AVERROR_INVALIDDATA || error == AVERROR_EOF)
      code = MUNJA_MALFORMED;
    else if (error == AVERROR(ENOENT))
      code = MUNJA_NOT_FOUND;
    else if (error == AVERROR(ENOMEM))
      code = MUNJA_OUT_OF_MEMORY;
    std::string remedy;
    if (code == MUNJA_MALFORMED)
      remedy = "; it is damaged, cut short, or no video that FFmpeg knows";
    if (code == MUNJA_MALFORMED && request_.path == "-")
      remedy +=
          " (MP4 files with their index at the end are read by name, not "
          "from a pipe)";
    if (error == AVERROR(EBUSY)) remedy = "; another program uses the camera";
    return {code, name_ + ": " + what + " (" + ErrorText(error) + ")" + remedy};
  }

  munja::Status CheckPixels(int width, int height) const {
    if (int64_t{width} * height <= max_pixels_) return {};
    return {MUNJA_OUT_OF_MEMORY,
            name_ + ": frames of " + std::to_string(width) + " x " +
                std::to_string(height) + " pixels, more than the limit of " +
                std::to_string(max_pixels_) + " (--max-pixels)"};
  }

  // Goes to the last key frame before the time to start at.
  munja::Status Start() {
    if (request_.start <= 0 || is_live()) return {};
    const auto at = static_cast<int64_t>(request_.start * AV_TIME_BASE) +
                    std::max<int64_t>(FirstTime(), 0);
    // Where seeking is impossible, as in a pipe, frames are decoded and
    // dropped.
    if (request_.path != "-" &&
        av_seek_frame(input_.get(), -1, at, AVSEEK_FLAG_BACKWARD) >= 0)
      avcodec_flush_buffers(codec_.get());
    return {};
  }

  int64_t FirstTime() const {
    return input_->start_time != AV_NOPTS_VALUE ? input_->start_time : 0;
  }

  // The next frame in decoded_, 0; or FFmpeg's error.
  int Decode() {
    for (;;) {
      const int got = avcodec_receive_frame(codec_.get(), decoded_.get());
      if (got == 0) {
        if ((decoded_->flags & AV_FRAME_FLAG_CORRUPT) == 0) return 0;
        ++damaged_;
        continue;
      }
      if (got == AVERROR_EOF) return got;
      if (got != AVERROR(EAGAIN)) {
        ++damaged_;
        last_error_ = got;
        if (is_drained_) return AVERROR_EOF;
        continue;
      }
      if (Stops()) return AVERROR_EXIT;
      av_packet_unref(packet_.get());
      const int read = av_read_frame(input_.get(), packet_.get());
      if (read == AVERROR(EAGAIN)) {
        const timespec pause = {0, 2'000'000};
        ::nanosleep(&pause, nullptr);
        continue;
      }
      if (read == AVERROR_EOF) {
        if (is_drained_) return read;
        is_drained_ = true;
        avcodec_send_packet(codec_.get(), nullptr);
        continue;
      }
      if (read < 0) return read;
      if (packet_->stream_index != stream_) continue;
      const int sent = avcodec_send_packet(codec_.get(), packet_.get());
      if (sent < 0 && sent != AVERROR(EAGAIN)) {
        ++damaged_;
        last_error_ = sent;
      }
    }
  }

  munja::Result<bool> End() {
    if (frames_ == 0 && damaged_ > 0)
      return Failure(last_error_, "no frame can be decoded");
    if (frames_ == 0 && request_.start <= 0)
      return Failure(AVERROR_INVALIDDATA, "there is no frame in it");
    if (damaged_ > 0)
      notes_.push_back(name_ + ": " + std::to_string(damaged_) +
                       (damaged_ == 1 ? " part is" : " parts are") +
                       " damaged; the frames in it are skipped");
    constexpr double kTolerated = 1;
    if (seconds() > 0 && static_cast<double>(last_us_) / 1e6 <
                             seconds() - std::max(kTolerated, seconds() / 20))
      notes_.push_back(name_ + ": ends at " + Seconds(last_us_) + " s of " +
                       Seconds(static_cast<int64_t>(seconds() * 1e6)) +
                       " s; the file is cut short");
    if (jumps_ > 0)
      notes_.push_back(name_ + ": its clock went back " +
                       std::to_string(jumps_) +
                       " times; the times of the frames behind go on instead");
    return false;
  }

  munja::Status Reopen() {
    notes_.push_back(name_ + ": the camera is lost; waiting for it to return");
    input_.reset();
    codec_.reset();
    is_drained_ = false;
    for (;;) {
      constexpr int kTurns = 50;  // Half a second.
      for (int i = 0; i < kTurns; ++i) {
        if (Stops()) return {MUNJA_CANCELLED, "cancelled"};
        const timespec pause = {0, 10'000'000};
        ::nanosleep(&pause, nullptr);
      }
      const munja::Status status = Open();
      if (status.ok()) {
        notes_.push_back(name_ + ": the camera is back");
        return {};
      }
      if (status.code() == MUNJA_CANCELLED) return status;
    }
  }

  // Microseconds from the beginning of the stream. A clock that goes back goes
  // on one frame later instead.
  int64_t TimeOf(const AVFrame& frame) {
    const AVRational rate = stream()->avg_frame_rate;
    const int64_t step =
        rate.num > 0 && rate.den > 0
            ? std::max<int64_t>(1, int64_t{1'000'000} * rate.den / rate.num)
            : 33'333;
    int64_t time = last_us_ < 0 ? 0 : last_us_ + step;
    if (frame.best_effort_timestamp != AV_NOPTS_VALUE) {
      time = av_rescale_q(frame.best_effort_timestamp, stream()->time_base,
                          {1, AV_TIME_BASE});
      if (is_live()) {
        if (first_us_ < 0) first_us_ = time;
        time -= first_us_;
      } else {
        time -= FirstTime();
      }
      time += offset_;
      if (last_us_ >= 0 && time <= last_us_) {
        offset_ += last_us_ + step - time;
        time = last_us_ + step;
        ++jumps_;
      }
    }
    time = std::max<int64_t>(time, 0);
    last_us_ = time;
    return time;
  }

  // Clockwise degrees that make the frame upright.
  int RotationOf(const AVFrame& frame) {
    const AVFrameSideData* const data =
        av_frame_get_side_data(&frame, AV_FRAME_DATA_DISPLAYMATRIX);
    const uint8_t* matrix = data != nullptr ? data->data : nullptr;
    if (matrix == nullptr)
      matrix =
          av_stream_get_side_data(stream(), AV_PKT_DATA_DISPLAYMATRIX, nullptr);
    if (matrix == nullptr) return 0;
    const double degrees =
        av_display_rotation_get(reinterpret_cast<const int32_t*>(matrix));
    if (std::isnan(degrees)) return 0;
    const auto quarters = static_cast<int>(std::lround(-degrees / 90));
    if (std::fabs(-degrees - 90.0 * quarters) > 1 && !is_rotation_told_) {
      is_rotation_told_ = true;
      notes_.push_back(name_ + ": is to be turned by " +
                       std::to_string(std::lround(-degrees)) +
                       " degrees; it is turned to the nearest quarter only");
    }
    return ((quarters % 4) + 4) % 4 * 90;
  }

  munja::Status View(munja::Pixels* pixels) {
    AVFrame* frame = decoded_.get();
    if (munja::Status status = CheckPixels(frame->width, frame->height);
        !status.ok())
      return status;
    const int rotation = RotationOf(*frame);
    munja_pixel_format layout = MUNJA_PIXELS_I420;
    // The YUV of the library is that of cameras, limited range.
    const bool is_full = frame->color_range == AVCOL_RANGE_JPEG &&
                         frame->format != AV_PIX_FMT_GRAY8;
    const AVPixFmtDescriptor* const about =
        av_pix_fmt_desc_get(static_cast<AVPixelFormat>(frame->format));
    if (about == nullptr) return {MUNJA_MALFORMED, name_ + ": no pixels"};
    const bool is_rgb = (about->flags & AV_PIX_FMT_FLAG_RGB) != 0 ||
                        (about->flags & AV_PIX_FMT_FLAG_PAL) != 0;
    if (!LayoutOf(frame->format, &layout) || (is_full && !is_rgb)) {
      const bool has_alpha = (about->flags & AV_PIX_FMT_FLAG_ALPHA) != 0;
      const AVPixelFormat wanted = has_alpha ? AV_PIX_FMT_RGBA
                                   : is_rgb  ? AV_PIX_FMT_RGB24
                                             : AV_PIX_FMT_YUV420P;
      if (const munja::Status status = Convert(wanted, is_full); !status.ok())
        return status;
      frame = converted_.get();
      LayoutOf(wanted, &layout);
    }
    *pixels = {};
    pixels->format = layout;
    pixels->width = frame->width;
    pixels->height = frame->height;
    pixels->rotation = rotation;
    for (size_t i = 0; i < 3; ++i) {
      if (frame->data[i] == nullptr) break;
      // Rows from the bottom up, as some screen recorders have them.
      if (frame->linesize[i] < 0) return Flip(pixels);
      pixels->planes[i] = frame->data[i];
      pixels->strides[i] = static_cast<size_t>(frame->linesize[i]);
    }
    return {};
  }

  munja::Status Flip(munja::Pixels* pixels) {
    const munja::Status status = Convert(AV_PIX_FMT_RGB24, false);
    pixels->format = MUNJA_PIXELS_RGB;
    pixels->planes = {converted_->data[0]};
    pixels->strides = {static_cast<size_t>(converted_->linesize[0])};
    return status;
  }

  munja::Status Convert(AVPixelFormat wanted, bool is_full) {
    const AVFrame& from = *decoded_;
    AVFrame& to = *converted_;
    if (to.width != from.width || to.height != from.height ||
        to.format != wanted) {
      av_frame_unref(&to);
      to.width = from.width;
      to.height = from.height;
      to.format = wanted;
      if (av_frame_get_buffer(&to, 0) < 0) return NoMemory();
    }
    scaler_.reset(sws_getCachedContext(
        scaler_.release(), from.width, from.height,
        static_cast<AVPixelFormat>(from.format), to.width, to.height, wanted,
        SWS_POINT | SWS_ACCURATE_RND, nullptr, nullptr, nullptr));
    if (!scaler_)
      return {MUNJA_UNSUPPORTED, name_ + ": frames of an unsupported format"};
    const int* const table = sws_getCoefficients(SWS_CS_ITU601);
    sws_setColorspaceDetails(scaler_.get(), table, is_full ? 1 : 0, table, 0, 0,
                             1 << 16, 1 << 16);
    sws_scale(scaler_.get(), from.data, from.linesize, 0, from.height, to.data,
              to.linesize);
    return {};
  }

  const VideoRequest request_;
  const std::string name_;
  const int64_t max_pixels_;
  FfmpegOwner<AVFormatContext, FreeInput> input_;
  FfmpegOwner<AVCodecContext, FreeCodec> codec_;
  FfmpegOwner<AVPacket, FreePacket> packet_;
  FfmpegOwner<AVFrame, FreeFrame> decoded_, converted_;
  FfmpegOwner<SwsContext, sws_freeContext> scaler_;
  int stream_ = -1;
  bool is_drained_ = false, is_rotation_told_ = false;
  int64_t last_us_ = -1, first_us_ = -1, offset_ = 0;
  int frames_ = 0, damaged_ = 0, jumps_ = 0, last_error_ = AVERROR_INVALIDDATA;
  std::vector<std::string> notes_;
};

}  // namespace

std::string ErrorText(int error) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(error, text, sizeof text);
  return text;
}

void FreeFrame(AVFrame* frame) { av_frame_free(&frame); }

munja::Result<std::unique_ptr<VideoSource>> OpenFfmpeg(
    const VideoRequest& request) {
  auto source = std::make_unique<FfmpegSource>(request);
  if (const munja::Status status = source->Open(); !status.ok()) return status;
  return std::unique_ptr<VideoSource>(std::move(source));
}

}  // namespace munja::cli
