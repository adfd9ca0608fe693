#include "ocr/pipeline.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "document/reading_order.h"
#include "ocr/dense_page.h"
#include "ocr/second_look.h"

namespace munja::ocr {
namespace {

using Clock = std::chrono::steady_clock;

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

std::vector<TextBox> InReadingOrder(const std::vector<TextBox>& boxes) {
  std::vector<geometry::Quad> quads;
  for (const TextBox& box : boxes) quads.push_back(box.quad);
  std::vector<TextBox> ordered;
  for (const size_t i : document::ReadingOrder(quads))
    ordered.push_back(boxes[i]);
  return ordered;
}

// A picture so long that scaling it to the detector's limit leaves nothing of
// its text is most likely a single line.
bool IsStrip(const image::ImageView& page) {
  constexpr int kLongFor = 8;
  const int longer = std::max(page.width, page.height);
  return longer >= kLongFor * std::min(page.width, page.height);
}

// What is read in such a picture counts when it is read with confidence: it
// may as well hold no text at all.
constexpr float kStripConfidence = 0.6f;

document::Line MakeLine(Reading reading) {
  document::Line line;
  line.text = std::move(reading.text.text);
  line.confidence = reading.text.confidence;
  line.polygon = reading.polygon;
  return line;
}

}  // namespace

Result<document::Document> Pipeline::Recognize(
    const image::ImageView& page, StageSink* sink,
    std::optional<float> min_confidence) {
  StageSink silent;
  if (sink == nullptr) sink = &silent;

  const Clock::time_point start = Clock::now();
  MUNJA_ASSIGN_OR_RETURN(const std::vector<TextBox> boxes, Detect(page, sink));
  const double detect_ms = MillisecondsSince(start);

  const Clock::time_point recognize_start = Clock::now();
  std::vector<char> is_turned;
  MUNJA_ASSIGN_OR_RETURN(const std::vector<LineImage> lines,
                         CutAll(page, boxes, is_turned));
  MUNJA_RETURN_IF_ERROR(sink->OnLines(lines));

  document::Document result;
  MUNJA_ASSIGN_OR_RETURN(
      result.lines, ReadAll(page, boxes, lines, is_turned,
                            min_confidence.value_or(contract_.min_confidence)));
  result.model = name_;
  result.width = page.width;
  result.height = page.height;
  result.timing.detect = detect_ms;
  result.timing.recognize = MillisecondsSince(recognize_start);
  result.timing.total = MillisecondsSince(start);
  MUNJA_RETURN_IF_ERROR(sink->OnDocument(result));
  return result;
}

Result<std::vector<TextBox>> Pipeline::Detect(const image::ImageView& page,
                                              StageSink* sink) {
  StageSink silent;
  if (sink == nullptr) sink = &silent;
  const DetectorContract& contract = contract_.detector;
  MUNJA_ASSIGN_OR_RETURN(Detector::Output output,
                         detector_.Run(page, pool_.get()));
  MUNJA_ASSIGN_OR_RETURN(
      std::vector<TextBox> found,
      FindBoxes(output.map, contract, page.width, page.height));
  if (const auto limit = DenseLimit(found, contract, page.width, page.height)) {
    MUNJA_ASSIGN_OR_RETURN(output, detector_.Run(page, *limit, pool_.get()));
    MUNJA_ASSIGN_OR_RETURN(
        found, FindBoxes(output.map, contract, page.width, page.height));
  }
  MUNJA_RETURN_IF_ERROR(sink->OnInput(output.input));
  MUNJA_RETURN_IF_ERROR(sink->OnTextMap(output.map));
  std::vector<TextBox> boxes = InReadingOrder(found);
  if (boxes.empty() && IsStrip(page)) boxes.push_back({WholePicture(page), 0});
  MUNJA_RETURN_IF_ERROR(sink->OnBoxes(page, boxes));
  return boxes;
}

Result<document::Line> Pipeline::RecognizeLine(
    const image::ImageView& picture) {
  Reader& reader = readers_[0];
  const TextBox box = {WholePicture(picture), 1.0f};
  MUNJA_ASSIGN_OR_RETURN(CutOut cut, Cut(picture, box, reader));
  return Read(picture, box, cut.line, cut.is_turned, reader);
}

Result<std::vector<LineImage>> Pipeline::CutAll(const image::ImageView& page,
                                                std::span<const TextBox> boxes,
                                                std::vector<char>& is_turned) {
  std::vector<LineImage> lines(boxes.size());
  is_turned.assign(boxes.size(), 0);
  MUNJA_RETURN_IF_ERROR(
      ForEachLine(boxes.size(), [&](size_t i, Reader& reader) -> Status {
        MUNJA_ASSIGN_OR_RETURN(CutOut cut, Cut(page, boxes[i], reader));
        lines[i] = std::move(cut.line);
        is_turned[i] = cut.is_turned;
        return Status();
      }));
  return lines;
}

Result<std::vector<document::Line>> Pipeline::ReadAll(
    const image::ImageView& page, std::span<const TextBox> boxes,
    std::span<const LineImage> lines, const std::vector<char>& is_turned,
    float min_confidence) {
  std::vector<document::Line> read(lines.size());
  MUNJA_RETURN_IF_ERROR(
      ForEachLine(lines.size(), [&](size_t i, Reader& reader) -> Status {
        MUNJA_ASSIGN_OR_RETURN(
            read[i], Read(page, boxes[i], lines[i], is_turned[i] != 0, reader));
        return Status();
      }));
  const bool is_guess = boxes.size() == 1 && boxes[0].score == 0;
  const float least =
      is_guess ? std::max(min_confidence, kStripConfidence) : min_confidence;
  std::erase_if(read, [&](const document::Line& line) {
    return line.text.empty() || line.confidence < least;
  });
  return read;
}

Result<Pipeline::CutOut> Pipeline::Cut(const image::ImageView& page,
                                       const TextBox& box,
                                       Reader& reader) const {
  CutOut cut;
  MUNJA_ASSIGN_OR_RETURN(cut.line,
                         CutLine(page, box.quad, contract_.recognizer));
  if (!reader.classifier) return cut;
  MUNJA_ASSIGN_OR_RETURN(
      cut.is_turned, reader.classifier->IsUpsideDown(cut.line.pixels.view()));
  if (cut.is_turned) MUNJA_RETURN_IF_ERROR(TurnAround(cut.line));
  return cut;
}

Result<document::Line> Pipeline::Read(const image::ImageView& page,
                                      const TextBox& box, const LineImage& line,
                                      bool is_turned, Reader& reader) const {
  Reading reading;
  reading.polygon = line.polygon;
  MUNJA_ASSIGN_OR_RETURN(reading.text,
                         reader.recognizer.Read(line.pixels.view()));
  if (reading.text.confidence < contract_.recognizer.second_look) {
    MUNJA_RETURN_IF_ERROR(SecondLook(page, box.quad, is_turned,
                                     !reader.classifier.has_value(),
                                     reader.recognizer, reading));
  }
  return MakeLine(std::move(reading));
}

Status Pipeline::ForEachLine(size_t count,
                             FunctionRef<Status(size_t, Reader&)> body) {
  std::vector<Status> statuses(count);
  const auto run = [&](size_t begin, size_t end, int worker) {
    for (size_t i = begin; i < end; ++i)
      statuses[i] = body(i, readers_[static_cast<size_t>(worker)]);
  };
  if (pool_ != nullptr)
    pool_->ParallelFor(count, 1, run);
  else
    run(0, count, 0);
  for (size_t i = 0; i < count; ++i) {
    if (!statuses[i].ok())
      return std::move(statuses[i]).With("line " + std::to_string(i));
  }
  return Status();
}

Result<std::unique_ptr<Pipeline>> Pipeline::Create(
    Networks networks, const Contract& contract,
    std::shared_ptr<ThreadPool> pool) {
  MUNJA_RETURN_IF_ERROR(Validate(contract));
  MUNJA_ASSIGN_OR_RETURN(
      Detector detector,
      Detector::Create(std::move(networks.detector), contract.detector));
  MUNJA_ASSIGN_OR_RETURN(
      Recognizer recognizer,
      Recognizer::Create(std::move(networks.recognizer), networks.dictionary,
                         contract.recognizer));
  std::optional<OrientationClassifier> classifier;
  if (networks.classifier != nullptr) {
    MUNJA_ASSIGN_OR_RETURN(
        classifier, OrientationClassifier::Create(
                        std::move(networks.classifier), contract.classifier));
  }
  std::vector<Reader> readers;
  const int threads = pool != nullptr ? pool->threads() : 1;
  for (int i = 1; i < threads; ++i) {
    MUNJA_ASSIGN_OR_RETURN(Recognizer fork, recognizer.Fork());
    Reader reader{std::move(fork), std::nullopt};
    if (classifier) {
      MUNJA_ASSIGN_OR_RETURN(reader.classifier, classifier->Fork());
    }
    readers.push_back(std::move(reader));
  }
  readers.push_back(Reader{std::move(recognizer), std::move(classifier)});
  return std::unique_ptr<Pipeline>(
      new Pipeline(std::move(networks.name), std::move(detector),
                   std::move(readers), contract, std::move(pool)));
}

}  // namespace munja::ocr
