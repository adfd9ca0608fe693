// Where the events of munja live go: JSON lines, subtitles, drawn frames.
#ifndef MUNJA_CLI_LIVE_OUTPUTS_H_
#define MUNJA_CLI_LIVE_OUTPUTS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/live/captions.h"
#include "cli/live/drawing.h"
#include "cli/live/video_source.h"
#include "munja/live.hpp"
#include "munja/munja.hpp"
#include "munja/tools/tools.hpp"

namespace munja::cli {

// The formats of --format; "" for an extension that none of them has.
std::vector<std::string> LiveFormats();
std::string LiveFormatOf(const std::string& path);

// Events or subtitles, printed or in a file that appears at the end.
class EventFile {
 public:
  // `path` "" prints. The exit code, after a message.
  int Open(const std::string& format, const std::string& path);
  int Begin(const std::string& source, const std::string& model);
  int Add(const munja::LiveEvent& event);
  // The place of each line in a frame. `is_searched`: found in it, or in one
  // shortly before; else moved with the image.
  int AddBoxes(double time, bool is_searched,
               const std::vector<munja::LiveBox>& boxes);
  // `frame`: seconds from frame to frame.
  int Finish(double end, double frame, const munja_live_statistics& statistics);

 private:
  int Write(const std::string& text);
  std::string format_, path_;
  Captions captions_;
  std::optional<munja::OutputFile> file_;
};

// Frames with the boxes and texts of their lines, to a video or a window.
class DrawnFrames {
 public:
  // Each may be asked for or not. The exit code, after a message.
  int Open(const std::string& annotated, bool has_window);
  bool is_wanted() const { return !sinks_.empty(); }
  bool is_closed() const;
  void Note(const munja::LiveEvent& event);
  int Add(const VideoFrame& frame, const std::vector<munja::LiveBox>& boxes);
  int Finish();

 private:
  struct Sink {
    std::string name;
    std::unique_ptr<VideoSink> sink;
  };
  std::vector<Sink> sinks_;
  std::unique_ptr<TextPainter> painter_;
  std::map<uint64_t, std::string> texts_;  // By line.
  Canvas canvas_;
};

}  // namespace munja::cli

#endif  // MUNJA_CLI_LIVE_OUTPUTS_H_
