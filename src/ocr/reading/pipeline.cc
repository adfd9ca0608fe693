#include "reading/pipeline.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "reading/correct/corrector.h"
#include "reading/correct/unknown_scripts.h"
#include "reading/find/color_contrast.h"
#include "reading/find/color_stains.h"
#include "reading/find/line_margins.h"
#include "reading/find/line_place.h"
#include "reading/find/out_of_memory.h"
#include "reading/orient/comb_lines.h"
#include "reading/orient/companions.h"
#include "reading/orient/shared_letters.h"
#include "reading/orient/stacks.h"
#include "reading/orient/stained_lines.h"
#include "reading/orient/syllable_columns.h"
#include "reading/orient/upright_columns.h"
#include "reading/orient/upright_lines.h"
#include "reading/orient/upright_page.h"
#include "reading/page_document.h"
#include "reading/retry/letter_spacing.h"
#include "reading/retry/line_retries.h"
#include "reading/retry/row_ends.h"

namespace munja::ocr {
namespace {

double MillisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now() - start)
      .count();
}

// The status of a step that only improves the text, unless it is skipped where
// there is no memory for it.
Status UnlessSkipped(Status status, const char* consequence) {
  return IsSkippedForMemory(status, consequence) ? Status() : std::move(status);
}

std::vector<LineText> TextsOf(std::vector<PageLine>& lines) {
  std::vector<LineText> texts;
  for (PageLine& line : lines) {
    const geometry::Quad& polygon = line.reading.polygon;
    texts.push_back({line.reading.text,
                     geometry::Length(polygon[1] - polygon[0]),
                     geometry::Length(polygon[3] - polygon[0])});
  }
  return texts;
}

std::vector<CombField> CombFieldsOf(const image::ImageView& page,
                                    std::span<const PageLine> lines) {
  std::vector<TextBox> boxes;
  for (const PageLine& line : lines) boxes.push_back(line.box);
  return FindCombFields(page, boxes);
}

void AddInReadingOrder(std::vector<PageLine> more,
                       std::vector<PageLine>* lines) {
  if (more.empty()) return;
  std::move(more.begin(), more.end(), std::back_inserter(*lines));
  PutInReadingOrder(lines);
}

// How much text was read, and with how much confidence.
double ReadText(const document::Document& document) {
  double sum = 0;
  for (const document::Line& line : document.lines)
    sum += static_cast<double>(line.confidence) *
           static_cast<double>(line.characters.size());
  return sum;
}

}  // namespace

Result<document::Document> Pipeline::Recognize(
    const image::ImageView& page, StageSink* sink,
    std::optional<float> min_confidence) {
  const Clock::time_point start = Clock::now();
  MUNJA_ASSIGN_OR_RETURN(document::Document result,
                         ReadPage(page, sink, min_confidence));
  MUNJA_RETURN_IF_ERROR(
      UnlessSkipped(ReadByColor(page, min_confidence, &result),
                    "text that differs from its background by "
                    "color alone is not looked for"));
  result.model = name_;
  result.width = page.width;
  result.height = page.height;
  result.timing.total = MillisecondsSince(start);
  result.timing.recognize = result.timing.total - result.timing.detect;
  if (sink != nullptr) MUNJA_RETURN_IF_ERROR(sink->OnDocument(result));
  return result;
}

Status Pipeline::ReadByColor(const image::ImageView& page,
                             std::optional<float> min_confidence,
                             document::Document* result) {
  if (!config_.recognizer.rules.Has(Rule::kColorContrast)) return Status();
  MUNJA_ASSIGN_OR_RETURN(const std::optional<image::Image> contrast,
                         ContrastByColor(page));
  if (!contrast) return Status();
  MUNJA_ASSIGN_OR_RETURN(document::Document other,
                         ReadPage(contrast->view(), nullptr, min_confidence));
  if (ReadText(other) > ReadText(*result)) *result = std::move(other);
  return Status();
}

Result<document::Document> Pipeline::ReadPage(
    const image::ImageView& page, StageSink* sink,
    std::optional<float> min_confidence) {
  const Clock::time_point start = Clock::now();
  MUNJA_ASSIGN_OR_RETURN(std::vector<PageLine> lines,
                         RunWithMemoryOf([&] { return FindLines(page, sink); },
                                         finder_, readers_));
  const double found = MillisecondsSince(start);
  MUNJA_RETURN_IF_ERROR(ReadLines(page, sink, &lines));
  std::vector<PageLine> columns;
  if (config_.recognizer.rules.Has(Rule::kSyllableColumns)) {
    MUNJA_RETURN_IF_ERROR(
        UnlessSkipped(TakeUprightColumns(readers_, page, &lines, &columns),
                      "columns of characters are not all read"));
  }
  MUNJA_RETURN_IF_ERROR(SplitStacks(readers_, page, &lines));
  MUNJA_RETURN_IF_ERROR(UnlessSkipped(KeepCompanions(readers_, page, &lines),
                                      "single characters are not all read"));
  std::vector<CombField> fields;
  if (config_.recognizer.rules.Has(Rule::kCombFields))
    fields = CombFieldsOf(page, lines);
  // The letters of a field stand wide apart, too, but as its cells do.
  std::vector<PageLine> others = TakeFieldLines(fields, &lines);
  MUNJA_RETURN_IF_ERROR(ReadSpacedLetters(readers_, page, &lines, &others));
  AddInReadingOrder(std::move(others), &lines);
  MUNJA_RETURN_IF_ERROR(FinishLines(page, &lines));
  MUNJA_RETURN_IF_ERROR(
      UnlessSkipped(ReadRowEnds(readers_, page, &lines),
                    "characters beside lines are not all read"));
  MUNJA_RETURN_IF_ERROR(
      UnlessSkipped(ReadUnderStamps(page, &lines),
                    "lines under stamps are read as they are"));
  MUNJA_RETURN_IF_ERROR(
      UnlessSkipped(ReadCombFields(readers_, page, fields, &lines),
                    "the cells of fields are not all joined"));
  if (config_.recognizer.rules.Has(Rule::kSharedLetters))
    DropSharedLetters(&lines);
  if (config_.recognizer.rules.Has(Rule::kSyllableColumns))
    JoinSyllableColumns(&lines);
  AddInReadingOrder(std::move(columns), &lines);
  CorrectPage(config_.recognizer, readers_.dictionary(), TextsOf(lines));
  document::Document result =
      MakeDocument(config_, readers_.dictionary(), lines, min_confidence);
  result.timing.detect = found;
  return result;
}

Status Pipeline::ReadUnderStamps(const image::ImageView& page,
                                 std::vector<PageLine>* lines) {
  if (!config_.recognizer.rules.Has(Rule::kStamps)) return Status();
  ColorStains stains = FindColorStains(page);
  DropReadPlaces(*lines, &stains.places);
  if (stains.places.empty()) return Status();
  MUNJA_ASSIGN_OR_RETURN(const image::Image gray,
                         WithoutColor(page, stains.level));
  MUNJA_ASSIGN_OR_RETURN(std::vector<PageLine> clean,
                         FindLines(gray.view(), nullptr));
  MUNJA_RETURN_IF_ERROR(readers_.ReadAll(gray.view(), clean));
  MUNJA_RETURN_IF_ERROR(FinishLines(gray.view(), &clean));
  TakeBetter(stains.places, std::move(clean), lines);
  return Status();
}

Result<std::vector<PageLine>> Pipeline::FindLines(const image::ImageView& page,
                                                  DetectionSink* sink,
                                                  int* quarters) {
  if (config_.turn_pages) {
    return Orienter(config_, finder_, readers_, pool_.get(), sink)
        .FindLines(page, quarters);
  }
  if (quarters != nullptr) *quarters = 0;
  MUNJA_ASSIGN_OR_RETURN(const std::vector<TextBox> boxes,
                         finder_.Find(page, true, sink));
  return LinesIn(InReadingOrder(boxes));
}

Status Pipeline::ReadLines(const image::ImageView& page, StageSink* sink,
                           std::vector<PageLine>* lines) {
  if (sink != nullptr) {
    MUNJA_RETURN_IF_ERROR(readers_.CropAll(page, *lines));
    MUNJA_RETURN_IF_ERROR(sink->OnLines(*lines));
  }
  return RunWithMemoryOf([&] { return readers_.ReadAll(page, *lines); },
                         finder_, readers_);
}

Status Pipeline::FinishLines(const image::ImageView& page,
                             std::vector<PageLine>* lines) {
  MUNJA_RETURN_IF_ERROR(RetryLines(readers_, page, *lines));
  MUNJA_RETURN_IF_ERROR(ReadSpacedLetters(readers_, page, lines, nullptr));
  std::erase_if(*lines, [&](const PageLine& line) {
    return !IsText(line, config_.recognizer);
  });
  return Status();
}

Result<std::vector<TextBox>> Pipeline::Detect(const image::ImageView& page,
                                              StageSink* sink) {
  MUNJA_ASSIGN_OR_RETURN(
      const std::vector<TextBox> found,
      RunWithMemoryOf([&] { return finder_.Find(page, false, sink); }, finder_,
                      readers_));
  return InReadingOrder(found);
}

Result<std::vector<TextBox>> Pipeline::FindBoxes(const image::ImageView& page,
                                                 std::optional<int>* quarters) {
  if (!*quarters) {
    int found = 0;
    MUNJA_ASSIGN_OR_RETURN(const std::vector<PageLine> lines,
                           FindLines(page, nullptr, &found));
    if (!lines.empty()) *quarters = found;
    std::vector<TextBox> boxes;
    for (const PageLine& line : lines) boxes.push_back(line.box);
    return boxes;
  }
  if (**quarters == 0) return finder_.Find(page, true, nullptr);
  MUNJA_ASSIGN_OR_RETURN(
      const UprightPage upright,
      UprightPage::Create(page, {.quarters = **quarters},
                          finder_.SeenSide(page), pool_.get()));
  MUNJA_ASSIGN_OR_RETURN(std::vector<TextBox> boxes,
                         finder_.Find(upright.view(), true, nullptr));
  std::erase_if(boxes, [&](TextBox& box) { return !upright.MapBack(&box); });
  return boxes;
}

Result<std::vector<PageLine>> Pipeline::ReadBoxes(
    const image::ImageView& page, std::span<const TextBox> boxes) {
  std::vector<PageLine> lines = LinesIn({boxes.begin(), boxes.end()});
  MUNJA_RETURN_IF_ERROR(ReadLines(page, nullptr, &lines));
  MUNJA_RETURN_IF_ERROR(RetryLines(readers_, page, lines));
  MUNJA_RETURN_IF_ERROR(ReadSpacedLetters(readers_, page, &lines, nullptr));
  for (PageLine& line : lines)
    if (!IsText(line, config_.recognizer)) line.reading.text = {};
  CorrectPage(config_.recognizer, readers_.dictionary(), TextsOf(lines));
  // The caller knows that it is text, which no guess from its looks changes.
  for (PageLine& line : lines)
    if (IsNoText(line.reading.text)) line.reading.text.guess = {};
  return lines;
}

Result<document::Document> Pipeline::RecognizeBoxes(
    const image::ImageView& page, std::span<const geometry::Quad> quads) {
  std::vector<TextBox> boxes;
  for (const geometry::Quad& quad : quads) boxes.push_back({quad, 1.0f});
  return RecognizeBoxes(page, boxes);
}

Result<document::Document> Pipeline::RecognizeBoxes(
    const image::ImageView& page, std::span<const TextBox> boxes) {
  const Clock::time_point start = Clock::now();
  MUNJA_ASSIGN_OR_RETURN(const std::vector<PageLine> lines,
                         ReadBoxes(page, boxes));
  return DocumentOf(page, lines, start);
}

document::Document Pipeline::DocumentOf(const image::ImageView& page,
                                        std::span<const PageLine> lines,
                                        Clock::time_point start) const {
  document::Document result;
  for (const PageLine& line : lines)
    result.lines.push_back(
        MakeLine(config_.recognizer, readers_.dictionary(), line.reading));
  result.model = name_;
  result.width = page.width;
  result.height = page.height;
  result.timing.recognize = MillisecondsSince(start);
  result.timing.total = result.timing.recognize;
  return result;
}

Result<document::Document> Pipeline::RecognizeLine(
    const image::ImageView& line) {
  const Clock::time_point start = Clock::now();
  const TextBox whole = {WholeImage(line), 1.0f};
  const TextBox ink = {InkBox(line, config_.recognizer), 1.0f};
  MUNJA_ASSIGN_OR_RETURN(std::vector<PageLine> lines,
                         ReadBoxes(line, {&ink, 1}));
  const auto confidence = [](const PageLine& read) {
    return read.reading.text.confidence;
  };
  if (ink.quad != whole.quad &&
      confidence(lines[0]) < config_.recognizer.second_look) {
    Result<std::vector<PageLine>> all = ReadBoxes(line, {&whole, 1});
    if (!all.ok()) {
      Status status = std::move(all).TakeStatus();
      if (!IsSkippedForMemory(status, "the line is not read with its margins"))
        return status;
    } else if (confidence((*all)[0]) > confidence(lines[0])) {
      lines = std::move(*all);
    }
  }
  return DocumentOf(line, lines, start);
}

Result<std::unique_ptr<Pipeline>> Pipeline::Fork() const {
  MUNJA_ASSIGN_OR_RETURN(LineFinder finder, finder_.Fork());
  MUNJA_ASSIGN_OR_RETURN(LineReaders readers, readers_.Fork());
  return std::unique_ptr<Pipeline>(new Pipeline(
      name_, std::move(finder), std::move(readers), config_, pool_));
}

Result<std::unique_ptr<Pipeline>> Pipeline::Create(
    Networks networks, const Config& config, std::shared_ptr<ThreadPool> pool) {
  MUNJA_RETURN_IF_ERROR(Validate(config));
  MUNJA_ASSIGN_OR_RETURN(
      Detector detector,
      Detector::Create(std::move(networks.detector), config.detector));
  MUNJA_ASSIGN_OR_RETURN(
      Recognizer recognizer,
      Recognizer::Create(std::move(networks.recognizer), networks.dictionary,
                         config.recognizer, networks.language,
                         networks.allowed));
  std::optional<Recognizer> exact;
  if (networks.exact_recognizer != nullptr) {
    MUNJA_ASSIGN_OR_RETURN(
        exact, Recognizer::Create(std::move(networks.exact_recognizer),
                                  networks.dictionary, config.recognizer,
                                  networks.language, networks.allowed));
  }
  std::optional<OrientationClassifier> classifier;
  if (networks.classifier != nullptr) {
    MUNJA_ASSIGN_OR_RETURN(
        classifier, OrientationClassifier::Create(
                        std::move(networks.classifier), config.classifier));
  }
  MUNJA_ASSIGN_OR_RETURN(
      LineReaders readers,
      LineReaders::Create(std::move(recognizer), std::move(exact),
                          std::move(classifier), pool));
  LineFinder finder(std::move(detector), config, pool);
  return std::unique_ptr<Pipeline>(
      new Pipeline(std::move(networks.name), std::move(finder),
                   std::move(readers), config, std::move(pool)));
}

}  // namespace munja::ocr
