// Videos that are written, by FFmpeg's libraries.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
}

#include "cli/live/video/ffmpeg.h"

namespace munja::cli {
namespace {

namespace fs = std::filesystem;

void FreeEncoder(AVCodecContext* codec) { avcodec_free_context(&codec); }
void FreeEncoded(AVPacket* packet) { av_packet_free(&packet); }

// Has its file beside the final one until Finish().
class FfmpegEncoder : public VideoSink {
 public:
  explicit FfmpegEncoder(const std::string& path)
      : path_(path),
        part_((fs::path(path).parent_path() /
               (".munja-" + fs::path(path).stem().string() + ".part" +
                fs::path(path).extension().string()))
                  .string()) {}

  ~FfmpegEncoder() override {
    Close();
    std::error_code ignored;
    if (is_begun_) fs::remove(part_, ignored);
  }

  munja::Status Check() const {
    if (av_guess_format(nullptr, path_.c_str(), nullptr) == nullptr)
      return {MUNJA_INVALID_ARGUMENT,
              path_ +
                  ": no format of videos has this extension; .mp4 and "
                  ".mkv are ones"};
    return {};
  }

  munja::Status Add(const uint8_t* rgb, int width, int height, size_t stride,
                    int64_t time_us) override {
    if (!is_begun_) {
      if (const munja::Status s = Begin(width, height); !s.ok()) return s;
    }
    // A frame of another size is fitted into that of the first.
    scaler_.reset(sws_getCachedContext(
        scaler_.release(), width, height, AV_PIX_FMT_RGB24, frame_->width,
        frame_->height, static_cast<AVPixelFormat>(frame_->format),
        SWS_BILINEAR, nullptr, nullptr, nullptr));
    if (!scaler_ || av_frame_make_writable(frame_.get()) < 0)
      return {MUNJA_OUT_OF_MEMORY, "out of memory for a video"};
    const uint8_t* const rows[] = {rgb};
    const int strides[] = {static_cast<int>(stride)};
    sws_scale(scaler_.get(), rows, strides, 0, height, frame_->data,
              frame_->linesize);
    const int64_t at = av_rescale_q(time_us, {1, 1'000'000}, codec_->time_base);
    frame_->pts = std::max(at, last_ + 1);
    if (last_ >= 0) interval_ = frame_->pts - last_;
    last_ = frame_->pts;
    return Encode(frame_.get());
  }

  munja::Status Finish() override {
    if (!is_begun_)
      return {MUNJA_INVALID_ARGUMENT, path_ + ": there was no frame to write"};
    if (const munja::Status s = Encode(nullptr); !s.ok()) return s;
    int error = av_write_trailer(output_);
    if (const int closed = avio_closep(&output_->pb); error >= 0)
      error = closed;
    if (error < 0) return Failure(error);
    Close();
    std::error_code moved;
    fs::rename(part_, path_, moved);
    if (moved) return {MUNJA_IO, path_ + ": " + moved.message()};
    is_begun_ = false;
    return {};
  }

 private:
  munja::Status Failure(int error) const {
    return {error == AVERROR(ENOMEM) ? MUNJA_OUT_OF_MEMORY : MUNJA_IO,
            path_ + ": cannot write: " + ErrorText(error)};
  }

  munja::Status Begin(int width, int height) {
    int error = avformat_alloc_output_context2(&output_, nullptr, nullptr,
                                               part_.c_str());
    if (error < 0) return Failure(error);
    const AVCodec* codec = nullptr;
    if (avformat_query_codec(output_->oformat, AV_CODEC_ID_H264,
                             FF_COMPLIANCE_NORMAL) == 1)
      codec = avcodec_find_encoder(AV_CODEC_ID_H264);
    if (codec == nullptr)
      codec = avcodec_find_encoder(output_->oformat->video_codec);
    if (codec == nullptr)
      return {MUNJA_UNSUPPORTED,
              path_ + ": FFmpeg's libraries have no encoder for this format"};
    codec_.reset(avcodec_alloc_context3(codec));
    frame_.reset(av_frame_alloc());
    packet_.reset(av_packet_alloc());
    AVStream* const stream = avformat_new_stream(output_, nullptr);
    if (!codec_ || !frame_ || !packet_ || stream == nullptr)
      return Failure(AVERROR(ENOMEM));
    stream_ = stream;
    codec_->width = (width + 1) / 2 * 2;  // Chroma is of half the size.
    codec_->height = (height + 1) / 2 * 2;
    codec_->pix_fmt =
        codec->pix_fmts != nullptr ? codec->pix_fmts[0] : AV_PIX_FMT_YUV420P;
    // x264 lists formats that few players show before the usual one.
    for (const AVPixelFormat* f = codec->pix_fmts;
         f != nullptr && *f != AV_PIX_FMT_NONE; ++f)
      if (*f == AV_PIX_FMT_YUV420P) codec_->pix_fmt = *f;
    codec_->time_base = {1, 1000};
    codec_->gop_size = 120;
    codec_->bit_rate = int64_t{4} * width * height;  // Where there is no crf.
    av_opt_set(codec_->priv_data, "preset", "veryfast", 0);
    if (av_opt_set(codec_->priv_data, "crf", "23", 0) >= 0)
      codec_->bit_rate = 0;
    if ((output_->oformat->flags & AVFMT_GLOBALHEADER) != 0)
      codec_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    error = avcodec_open2(codec_.get(), codec, nullptr);
    if (error < 0) return Failure(error);
    stream->time_base = codec_->time_base;
    avcodec_parameters_from_context(stream->codecpar, codec_.get());
    frame_->width = codec_->width;
    frame_->height = codec_->height;
    frame_->format = codec_->pix_fmt;
    if (av_frame_get_buffer(frame_.get(), 0) < 0)
      return Failure(AVERROR(ENOMEM));
    error = avio_open(&output_->pb, ("file:" + part_).c_str(), AVIO_FLAG_WRITE);
    if (error >= 0) {
      is_begun_ = true;
      error = avformat_write_header(output_, nullptr);
    }
    return error < 0 ? Failure(error) : munja::Status();
  }

  munja::Status Encode(const AVFrame* frame) {
    int error = avcodec_send_frame(codec_.get(), frame);
    while (error >= 0) {
      error = avcodec_receive_packet(codec_.get(), packet_.get());
      if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) return {};
      if (error < 0) break;
      // Without a duration players leave the last frame out.
      if (packet_->duration == 0) packet_->duration = interval_;
      av_packet_rescale_ts(packet_.get(), codec_->time_base,
                           stream_->time_base);
      packet_->stream_index = stream_->index;
      error = av_interleaved_write_frame(output_, packet_.get());
    }
    return Failure(error);
  }

  void Close() {
    if (output_ == nullptr) return;
    if (output_->pb != nullptr) avio_closep(&output_->pb);
    avformat_free_context(std::exchange(output_, nullptr));
  }

  const std::string path_, part_;
  AVFormatContext* output_ = nullptr;
  AVStream* stream_ = nullptr;
  FfmpegOwner<AVCodecContext, FreeEncoder> codec_;
  FfmpegOwner<AVFrame, FreeFrame> frame_;
  FfmpegOwner<AVPacket, FreeEncoded> packet_;
  FfmpegOwner<SwsContext, sws_freeContext> scaler_;
  bool is_begun_ = false;
  int64_t last_ = -1, interval_ = 33;
};

}  // namespace

munja::Result<std::unique_ptr<VideoSink>> EncodeFfmpeg(
    const std::string& path) {
  auto encoder = std::make_unique<FfmpegEncoder>(path);
  if (const munja::Status status = encoder->Check(); !status.ok())
    return status;
  return std::unique_ptr<VideoSink>(std::move(encoder));
}

}  // namespace munja::cli
