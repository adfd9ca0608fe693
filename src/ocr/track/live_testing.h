// For tests: recorded streams of a scene, and a reader that knows their truth.
#ifndef MUNJA_TRACK_LIVE_TESTING_H_
#define MUNJA_TRACK_LIVE_TESTING_H_

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "geometry/iou.h"
#include "track/live_text.h"
#include "track/testing.h"

namespace munja::track {

inline double OverlapOf(const geometry::Quad& a, const geometry::Quad& b) {
  std::vector<geometry::PointD> p, q;
  for (size_t i = 0; i < 4; ++i) {
    p.push_back({static_cast<double>(a[i].x), static_cast<double>(a[i].y)});
    q.push_back({static_cast<double>(b[i].x), static_cast<double>(b[i].y)});
  }
  return geometry::IntersectionOverUnion(p, q);
}

// Frames and what they show. The first pixels of rows have their number, so
// that a reader of a region sees it, too.
class Recording {
 public:
  static constexpr int kRegionTop = 400;
  struct Truth {
    Affine to_scene;
    std::vector<SceneLine> lines;
  };
  explicit Recording(int width = 1280, int height = 720)
      : width_(width), height_(height) {}
  void Add(const Scene& scene, const Affine& to_scene) {
    Add(scene.Frame(to_scene, width_, height_), to_scene, scene.lines());
  }
  // `lines`: what a reader sees in the frame.
  void Add(image::Image frame, const Affine& to_scene,
           std::vector<SceneLine> lines) {
    const size_t number = frames_.size();
    for (const int y : {0, kRegionTop}) {
      frame.row(y)[0] = static_cast<uint8_t>(number >> 8);
      frame.row(y)[1] = static_cast<uint8_t>(number);
    }
    frames_.push_back(std::move(frame));
    truths_.push_back({to_scene, std::move(lines)});
  }
  size_t size() const { return frames_.size(); }
  const image::Image& frame(size_t i) const { return frames_[i]; }
  const Truth& TruthOf(const image::ImageView& frame) const {
    return truths_[frame.row(0)[0] * 256u + frame.row(0)[1]];
  }
  // The boxes of lines that are in the frame as a whole.
  std::vector<std::pair<std::string, geometry::Quad>> LinesOf(
      const Truth& truth) const {
    std::vector<std::pair<std::string, geometry::Quad>> lines;
    for (const SceneLine& line : truth.lines) {
      const geometry::Quad quad = Inverse(truth.to_scene)(line.quad());
      const auto r = geometry::BoundsOf(quad);
      if (r.left >= 0 && r.top >= 0 && r.right < static_cast<float>(width_) &&
          r.bottom < static_cast<float>(height_))
        lines.emplace_back(line.text, quad);
    }
    return lines;
  }

 private:
  int width_, height_;
  std::vector<image::Image> frames_;
  std::vector<Truth> truths_;
};

// The calls of a reader, and how it is disturbed.
struct ReaderLog {
  std::atomic<int> searches{0}, lines{0}, side{0};
  // Called at each search and reading.
  std::function<void()> during = [] {};
  // A reading of this text, the n-th of all.
  std::function<std::string(const std::string&, int)> misread =
      [](const std::string& text, int) { return text; };
  std::function<bool(int)> misses = [](int) { return false; };  // By search.
  // The boxes start at the other end of their lines.
  std::function<bool(int)> is_turned = [](int) { return false; };
  std::function<Status()> fails = [] { return Status(); };
};

class TruthReader : public TextReader {
 public:
  TruthReader(const Recording& recording, ReaderLog& log)
      : recording_(recording), log_(log) {}
  Result<std::vector<FoundBox>> Search(const image::ImageView& frame, int side,
                                       bool) override {
    const int number = log_.searches++;
    log_.side = side;
    log_.during();
    MUNJA_RETURN_IF_ERROR(CheckControl());
    MUNJA_RETURN_IF_ERROR(log_.fails());
    std::vector<FoundBox> boxes;
    if (log_.misses(number)) return boxes;
    for (const auto& [text, quad] :
         recording_.LinesOf(recording_.TruthOf(frame)))
      boxes.push_back({log_.is_turned(number)
                           ? geometry::Quad{quad[2], quad[3], quad[0], quad[1]}
                           : quad});
    return boxes;
  }
  Result<std::vector<LineReading>> Read(
      const image::ImageView& frame, std::span<const FoundBox> boxes) override {
    log_.during();
    MUNJA_RETURN_IF_ERROR(CheckControl());
    const auto lines = recording_.LinesOf(recording_.TruthOf(frame));
    std::vector<LineReading> readings(boxes.size());
    for (size_t i = 0; i < boxes.size(); ++i)
      for (const auto& [text, quad] : lines)
        if (OverlapOf(quad, boxes[i].quad) > 0.3)
          readings[i] = {log_.misread(text, log_.lines++), 0.9f};
    return readings;
  }

 private:
  const Recording& recording_;
  ReaderLog& log_;
};

}  // namespace munja::track

#endif  // MUNJA_TRACK_LIVE_TESTING_H_
