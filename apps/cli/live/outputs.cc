#include "cli/live/outputs.h"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cli/exit_code.h"
#include "cli/output.h"
#include "cli/report.h"
#include "cli/streams.h"

namespace munja::cli {
namespace {

using EventJson = nlohmann::ordered_json;

// Whole hundredths of a pixel, whole microseconds: what is behind is noise.
double Rounded(double value, double steps) {
  return std::round(value * steps) / steps;
}

EventJson OutlineOf(const munja::Polygon& polygon) {
  EventJson points = EventJson::array();
  for (const munja::Point& p : polygon)
    points.push_back({Rounded(double{p.x}, 100), Rounded(double{p.y}, 100)});
  return points;
}

}  // namespace

std::vector<std::string> LiveFormats() { return {"jsonl", "srt", "vtt"}; }

std::string LiveFormatOf(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension)
    c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  for (const std::string& format : LiveFormats())
    if (extension == "." + format) return format;
  return "";
}

int EventFile::Open(const std::string& format, const std::string& path) {
  format_ = format;
  path_ = path;
  if (path.empty()) return kSuccess;
  munja::Result<munja::OutputFile> file =
      munja::OutputFile::Open(OutputPath(path));
  if (!file.ok()) return Fail(file.error(), Subject::kOutput, path);
  file_ = *std::move(file);
  return kSuccess;
}

int EventFile::Begin(const std::string& source, const std::string& model) {
  if (format_ != "jsonl") return kSuccess;
  return Write(Dump(EventJson{{"event", "start"},
                              {"schema_version", 1},
                              {"source", source},
                              {"model", model}}));
}

int EventFile::Add(const munja::LiveEvent& event) {
  if (format_ != "jsonl") {
    captions_.Add(event);
    return kSuccess;
  }
  EventJson json = {{"event", munja::LiveKindName(event.kind)},
                    {"time", Rounded(event.time, 1e6)}};
  if (event.id == 0) {
    json["reason"] = event.status.ok() ? event.text : event.status.message();
  } else {
    json["line"] = event.id;
    json["first_time"] = Rounded(event.first_time, 1e6);
    json["last_time"] = Rounded(event.last_time, 1e6);
    json["text"] = event.text;
    json["confidence"] = Rounded(double{event.confidence}, 1e4);
    json["final"] = event.is_final;
    json["readings"] = event.readings;
    json["polygon"] = OutlineOf(event.polygon);
  }
  return Write(Dump(json));
}

int EventFile::AddBoxes(double time, bool is_searched,
                        const std::vector<munja::LiveBox>& boxes) {
  if (format_ != "jsonl") return kSuccess;
  EventJson lines = EventJson::array();
  for (const munja::LiveBox& box : boxes)
    lines.push_back({{"line", box.id}, {"polygon", OutlineOf(box.polygon)}});
  return Write(Dump(EventJson{{"event", "boxes"},
                              {"time", Rounded(time, 1e6)},
                              {"searched", is_searched},
                              {"lines", std::move(lines)}}));
}

int EventFile::Finish(double end, double frame,
                      const munja_live_statistics& s) {
  int code = kSuccess;
  if (format_ == "jsonl") {
    code = Write(Dump(EventJson{{"event", "end"},
                                {"time", Rounded(end, 1e6)},
                                {"frames", s.frames},
                                {"read", s.read},
                                {"unchanged", s.unchanged},
                                {"unusable", s.unusable},
                                {"over_budget", s.over_budget},
                                {"dropped", s.dropped}}));
  } else {
    const std::vector<Caption> all =
        captions_.Finish(static_cast<int64_t>(std::llround(end * 1e6)),
                         static_cast<int64_t>(std::llround(frame * 1e6)));
    code = Write(format_ == "srt" ? ToSrt(all) : ToWebVtt(all));
  }
  if (code != kSuccess || !file_) return code;
  const munja::Status status = file_->Commit();
  return status.ok() ? static_cast<int>(kSuccess)
                     : Fail(status, Subject::kOutput, path_);
}

int EventFile::Write(const std::string& text) {
  if (!file_) {
    Print(text);
    return FinishOutput();  // Programs that read get each event as it is.
  }
  const munja::Status status = file_->Write(text);
  return status.ok() ? static_cast<int>(kSuccess)
                     : Fail(status, Subject::kOutput, path_);
}

int DrawnFrames::Open(const std::string& annotated, bool has_window) {
  if (annotated.empty() && !has_window) return kSuccess;
  const munja::Result<const VideoModule*> module = LoadVideoModule();
  if (!module.ok()) return Fail(module.error(), Subject::kInput, "");
  painter_ = (*module)->painter();
  if (painter_ == nullptr && !IsQuiet())
    PrintError("", "no font is found to draw text with: boxes only");
  const auto add = [&](munja::Result<std::unique_ptr<VideoSink>> sink,
                       const std::string& name) {
    if (!sink.ok()) {
      if (sink.code() == MUNJA_INVALID_ARGUMENT)
        return UsageError(sink.message());
      return Fail(sink.error(), Subject::kOutput, name);
    }
    sinks_.push_back({name, *std::move(sink)});
    return static_cast<int>(kSuccess);
  };
  if (!annotated.empty())
    if (const int code = add((*module)->encode(annotated), annotated);
        code != kSuccess)
      return code;
  if (has_window) return add((*module)->show("munja live"), "--preview");
  return kSuccess;
}

bool DrawnFrames::is_closed() const {
  for (const Sink& sink : sinks_)
    if (sink.sink->is_closed()) return true;
  return false;
}

void DrawnFrames::Note(const munja::LiveEvent& event) {
  if (!is_wanted() || event.id == 0) return;
  if (event.kind == MUNJA_LIVE_GONE)
    texts_.erase(event.id);
  else
    texts_[event.id] = event.text;
}

int DrawnFrames::Add(const VideoFrame& frame,
                     const std::vector<munja::LiveBox>& boxes) {
  munja::Result<munja::Image> image = munja::Image::FromPixels(frame.pixels);
  if (!image.ok()) return Fail(image.error(), Subject::kInput, "");
  CopyTo(*image, &canvas_);
  std::vector<DrawnLine> lines;
  for (const munja::LiveBox& box : boxes) {
    const auto it = texts_.find(box.id);
    lines.push_back(
        {box.polygon, it == texts_.end() ? "" : it->second, box.is_final});
  }
  DrawLines(lines, painter_.get(), &canvas_);
  for (const Sink& sink : sinks_) {
    const munja::Status status =
        sink.sink->Add(canvas_.rgb.data(), canvas_.width, canvas_.height,
                       static_cast<size_t>(canvas_.width) * 3, frame.time_us);
    if (!status.ok()) return Fail(status, Subject::kOutput, sink.name);
  }
  return kSuccess;
}

int DrawnFrames::Finish() {
  for (const Sink& sink : sinks_) {
    const munja::Status status = sink.sink->Finish();
    if (!status.ok()) return Fail(status, Subject::kOutput, sink.name);
  }
  return kSuccess;
}

}  // namespace munja::cli
