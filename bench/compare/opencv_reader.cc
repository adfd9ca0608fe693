#include "opencv_reader.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numeric>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

namespace munja::compare {
namespace {

constexpr int kLimitSide = 960, kMultiple = 32, kGray = 114, kMinSide = 3;
constexpr double kThreshold = 0.2, kBoxThreshold = 0.45, kUnclip = 1.4;
constexpr int kLineHeight = 48, kMinWidth = 16, kMaxWidth = 3200;
constexpr double kTall = 1.5;  // Height by width of a line that stands.
constexpr float kMinConfidence = 0.4f;

// (value / 255 - mean) / deviation as planes, in the order of the channels.
std::vector<float> Planes(const cv::Mat& picture, const cv::Scalar& mean,
                          const cv::Scalar& deviation) {
  const size_t pixels = picture.total();
  std::vector<float> planes(3 * pixels);
  std::array<cv::Mat, 3> channels;
  cv::split(picture, channels.data());
  for (int c = 0; c < 3; ++c) {
    cv::Mat plane(picture.size(), CV_32F,
                  planes.data() + static_cast<size_t>(c) * pixels);
    channels[static_cast<size_t>(c)].convertTo(
        plane, CV_32F, 1.0 / (255 * deviation[c]), -mean[c] / deviation[c]);
  }
  return planes;
}

// Mean of the map inside the box.
double Score(const cv::Mat& map, const cv::RotatedRect& box) {
  std::array<cv::Point2f, 4> corners;
  box.points(corners.data());
  const cv::Rect area = box.boundingRect() & cv::Rect({0, 0}, map.size());
  if (area.empty()) return 0;
  std::array<cv::Point, 4> inside;
  for (size_t i = 0; i < 4; ++i) inside[i] = cv::Point(corners[i]) - area.tl();
  cv::Mat mask = cv::Mat::zeros(area.size(), CV_8U);
  cv::fillConvexPoly(mask, inside.data(), 4, 1);
  return cv::mean(map(area), mask)[0];
}

// Corners of a line from its top left, in the direction of reading: along the
// longer side unless the line stands.
std::array<cv::Point2f, 4> Corners(const cv::RotatedRect& box) {
  std::array<cv::Point2f, 4> p;
  box.points(p.data());
  std::sort(p.begin(), p.end(),
            [](const auto& a, const auto& b) { return a.x < b.x; });
  if (p[0].y > p[1].y) std::swap(p[0], p[1]);
  if (p[2].y > p[3].y) std::swap(p[2], p[3]);
  std::array<cv::Point2f, 4> corners = {p[0], p[2], p[3], p[1]};
  if (cv::norm(corners[3] - corners[0]) >=
      kTall * cv::norm(corners[1] - corners[0]))
    std::rotate(corners.begin(), corners.begin() + 1, corners.end());
  return corners;
}

}  // namespace

OpencvReader::OpencvReader(const OnnxRuntime& runtime, const Models& models,
                           int threads)
    : detector_(runtime, models.detector, threads),
      recognizer_(runtime, models.recognizer, 1),
      threads_(threads) {
  // Threads of its own would compete with those that read lines.
  cv::setNumThreads(threads > 1 ? threads : 0);
  characters_.push_back("");
  std::ifstream in(models.dictionary);
  for (std::string line; std::getline(in, line);) characters_.push_back(line);
  if (characters_.size() == 1) Die("no dictionary in " + models.dictionary);
  characters_.push_back(" ");
}

std::vector<std::string> OpencvReader::Read(const std::string& picture) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::ifstream in(picture, std::ios::binary);
  const std::vector<unsigned char> bytes((std::istreambuf_iterator<char>(in)),
                                         {});
  if (bytes.empty()) Die("cannot read " + picture);
  const cv::Mat page = cv::imdecode(bytes, cv::IMREAD_COLOR);
  if (page.empty()) Die("no picture in " + picture);
  const std::chrono::duration<double, std::milli> decoding =
      Clock::now() - start;
  work_ = {0, 0, decoding.count()};
  std::vector<cv::RotatedRect> boxes = Detect(page);
  std::sort(boxes.begin(), boxes.end(), [](const auto& a, const auto& b) {
    return a.center.y < b.center.y;
  });
  // The longest lines first, so that no thread ends with one of them.
  std::vector<size_t> order(boxes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto length = [&](size_t i) {
    return std::max(boxes[i].size.width, boxes[i].size.height) /
           std::min(boxes[i].size.width, boxes[i].size.height);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return length(a) > length(b); });
  std::vector<Text> texts(boxes.size());
  OnThreads(threads_, boxes.size(), [&](int, size_t i) {
    texts[order[i]] = Recognize(page, boxes[order[i]]);
  });
  std::vector<std::string> lines;
  for (const Text& text : texts) work_.recognizer_pixels += text.pixels;
  for (Text& text : texts)
    if (!text.text.empty() && text.confidence >= kMinConfidence)
      lines.push_back(std::move(text.text));
  return lines;
}

std::vector<cv::RotatedRect> OpencvReader::Detect(const cv::Mat& page) {
  const double ratio = std::min(
      1.0, static_cast<double>(kLimitSide) / std::max(page.cols, page.rows));
  const cv::Size size(std::max(1, static_cast<int>(page.cols * ratio)),
                      std::max(1, static_cast<int>(page.rows * ratio)));
  cv::Mat input = page;
  if (size != page.size()) cv::resize(page, input, size);
  const int right = (kMultiple - size.width % kMultiple) % kMultiple,
            below = (kMultiple - size.height % kMultiple) % kMultiple;
  if (right + below > 0)
    cv::copyMakeBorder(input, input, 0, below, 0, right, cv::BORDER_CONSTANT,
                       cv::Scalar::all(kGray));
  work_.detector_pixels = input.total();
  std::vector<float> planes =
      Planes(input, {0.485, 0.456, 0.406}, {0.229, 0.224, 0.225});
  const OnnxSession::Output output =
      detector_.Run(planes.data(), {1, 3, input.rows, input.cols});
  const cv::Mat map(input.rows, input.cols, CV_32F,
                    const_cast<float*>(output.data));
  const cv::Mat bitmap = map > kThreshold;
  std::vector<std::vector<cv::Point>> contours;
  cv::findContours(bitmap, contours, cv::RETR_LIST, cv::CHAIN_APPROX_SIMPLE);
  const float scale_x = static_cast<float>(page.cols) / size.width,
              scale_y = static_cast<float>(page.rows) / size.height;
  std::vector<cv::RotatedRect> boxes;
  for (const auto& contour : contours) {
    cv::RotatedRect box = cv::minAreaRect(contour);
    if (std::min(box.size.width, box.size.height) < kMinSide ||
        Score(map, box) < kBoxThreshold)
      continue;
    // A polygon that grows with round corners has such a rectangle around it.
    const float grow = static_cast<float>(box.size.area() * kUnclip /
                                          (box.size.width + box.size.height));
    box.size += cv::Size2f(grow, grow);
    box.center.x *= scale_x;
    box.center.y *= scale_y;
    box.size.width *= scale_x;
    box.size.height *= scale_y;
    boxes.push_back(box);
  }
  return boxes;
}

OpencvReader::Text OpencvReader::Recognize(const cv::Mat& page,
                                           const cv::RotatedRect& box) const {
  const std::array<cv::Point2f, 4> from = Corners(box);
  const double length = cv::norm(from[1] - from[0]),
               height = std::max(1.0, cv::norm(from[3] - from[0]));
  const int width =
      std::clamp(static_cast<int>(std::ceil(kLineHeight * length / height)),
                 kMinWidth, kMaxWidth);
  const float w = static_cast<float>(width), h = kLineHeight;
  const std::array<cv::Point2f, 4> to = {
      cv::Point2f(0, 0), {w, 0}, {w, h}, {0, h}};
  cv::Mat line;
  cv::warpPerspective(
      page, line, cv::getPerspectiveTransform(from.data(), to.data()),
      {width, kLineHeight}, cv::INTER_LINEAR, cv::BORDER_REPLICATE);
  std::vector<float> planes =
      Planes(line, cv::Scalar::all(0.5), cv::Scalar::all(0.5));
  Text text =
      Decode(recognizer_.Run(planes.data(), {1, 3, kLineHeight, width}));
  text.pixels = line.total();
  return text;
}

OpencvReader::Text OpencvReader::Decode(
    const OnnxSession::Output& steps) const {
  const size_t classes = static_cast<size_t>(steps.shape.back());
  if (classes != characters_.size())
    Die("the dictionary does not fit the recognizer");
  const size_t count = static_cast<size_t>(steps.shape[steps.shape.size() - 2]);
  Text text;
  size_t kept = 0, before = 0;
  for (size_t i = 0; i < count; ++i) {
    const float* step = steps.data + i * classes;
    const size_t best = ArgMax(step, classes);
    if (best != 0 && best != before) {
      text.text += characters_[best];
      text.confidence += step[best];
      ++kept;
    }
    before = best;
  }
  if (kept > 0) text.confidence /= static_cast<float>(kept);
  return text;
}

}  // namespace munja::compare
