#include "server/contracts.h"

#include <algorithm>
#include <cmath>

namespace munja::server {
namespace {

// As many digits as mean something.
double Short(float value, double steps) {
  return std::round(value * steps) / steps;
}

Json PointsOf(const munja::Polygon& polygon, bool is_rounded) {
  Json points = Json::array();
  for (const munja::Point& point : polygon) {
    if (is_rounded)
      points.push_back({std::lround(point.x), std::lround(point.y)});
    else
      points.push_back({Short(point.x, 100), Short(point.y, 100)});
  }
  return points;
}

// Boxes of no height or width are not allowed there.
Json BoxOf(const munja::Box& box) {
  const long left = std::lround(box.left), top = std::lround(box.top);
  return {left, top, std::max(left + 1, std::lround(box.right)),
          std::max(top + 1, std::lround(box.bottom))};
}

}  // namespace

bool IsContract(const std::string& format) {
  return format == kLiteParse || format == kPaddleX;
}

void ContractResult::Add(const munja::Page& page) {
  Json texts = Json::array(), scores = Json::array(), polygons = Json::array(),
       boxes = Json::array();
  for (const munja::Line line : page.lines()) {
    if (line.text().empty()) continue;  // A script that the model cannot read.
    const std::string text(line.text());
    if (contract_ == kLiteParse) {
      results_.push_back({{"text", text},
                          {"bbox", BoxOf(line.box())},
                          {"confidence", Short(line.confidence(), 10000)},
                          {"polygon", PointsOf(line.polygon(), false)}});
      continue;
    }
    texts.push_back(text);
    scores.push_back(Short(line.confidence(), 10000));
    polygons.push_back(PointsOf(line.polygon(), true));
    boxes.push_back(BoxOf(line.box()));
  }
  if (contract_ == kLiteParse) return;
  pages_.push_back({{"width", page.width()}, {"height", page.height()}});
  results_.push_back({{"prunedResult",
                       {{"dt_polys", polygons},
                        {"text_type", "general"},
                        {"rec_texts", texts},
                        {"rec_scores", scores},
                        {"rec_polys", polygons},
                        {"rec_boxes", boxes}}},
                      {"ocrImage", nullptr},
                      {"docPreprocessingImage", nullptr},
                      {"inputImage", nullptr}});
}

std::string ContractResult::Finish(bool is_pdf) const {
  if (contract_ == kLiteParse) return Dump({{"results", results_}});
  Json info = {{"type", "pdf"}, {"numPages", pages_.size()}, {"pages", pages_}};
  if (!is_pdf && !pages_.empty()) {
    info = pages_[0];
    info["type"] = "image";
  }
  return Dump({{"ocrResults", results_}, {"dataInfo", info}});
}

}  // namespace munja::server
