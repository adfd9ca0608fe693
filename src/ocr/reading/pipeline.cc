#include "reading/pipeline.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <utility>

#include "base/log.h"
#include "reading/correct/amounts.h"
#include "reading/correct/dashes.h"
#include "reading/correct/quotes.h"
#include "reading/correct/unknown_scripts.h"
#include "reading/find/low_score_boxes.h"
#include "reading/orient/page_turn.h"
#include "reading/read/calibration.h"

namespace munja::ocr {
namespace {

using Clock = std::chrono::steady_clock;

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

// What is read in a picture that is taken for a single line counts when it is
// read with confidence: it may as well hold no text at all.
constexpr float kStripConfidence = 0.6f;

// The outline of the box, from where the text starts that was read in it.
geometry::Quad OutlineOf(const TextBox& box, const Reading& reading) {
  if (!box.outline) return reading.polygon;
  size_t start = 0;
  for (size_t i = 0; i < 4; ++i) {
    if (box.quad[i] == reading.polygon[0] &&
        box.quad[(i + 1) % 4] == reading.polygon[1]) {
      start = i;
      break;
    }
  }
  geometry::Quad outline = *box.outline;
  std::rotate(outline.begin(), outline.begin() + static_cast<ptrdiff_t>(start),
              outline.end());
  return outline;
}

// Of the line's characters: the polygon is that of the cut.
std::vector<document::Character> MakeCharacters(
    const text::Dictionary& dictionary, const Reading& reading) {
  const geometry::Quad& box = reading.polygon;
  const auto at = [&](float across, float down) {
    const geometry::Point top = box[0] + (box[1] - box[0]) * across;
    const geometry::Point bottom = box[3] + (box[2] - box[3]) * across;
    return top + (bottom - top) * down;
  };
  std::vector<document::Character> characters;
  characters.reserve(reading.text.marks.size());
  const text::CtcMark* next = reading.text.marks.data();
  for (const std::string_view text : text::CharactersOf(reading.text)) {
    const text::CtcMark& mark = *next++;
    document::Character& character = characters.emplace_back();
    character.text = text;
    character.confidence = mark.probability;
    character.polygon = {{at(mark.left, mark.top), at(mark.right, mark.top),
                          at(mark.right, mark.bottom),
                          at(mark.left, mark.bottom)}};
    for (const text::CtcChoice& other : mark.others)
      if (other.cls != mark.cls && other.probability > 0 &&
          !dictionary.symbol(other.cls).empty())
        character.alternatives.push_back(
            {std::string(dictionary.symbol(other.cls)), other.probability});
  }
  return characters;
}

document::Line MakeLine(const RecognizerContract& contract,
                        const text::Dictionary& dictionary,
                        const Reading& reading) {
  document::Line line;
  line.text = reading.text.text;
  line.confidence = CalibratedConfidence(contract, reading.text.confidence);
  line.polygon = reading.polygon;
  line.characters = MakeCharacters(dictionary, reading);
  if (IsUnknown(reading))
    line.unknown_writing = text::WritingName(reading.text.guess.writing);
  return line;
}

// What lines that are read together say of each other.
void SettleTogether(const RecognizerContract& contract,
                    const text::Dictionary& dictionary,
                    std::span<Reading> readings) {
  if (contract.settle_signs) {
    SettleQuotes(dictionary, readings);
    SettleAmounts(dictionary, readings);
    for (Reading& reading : readings) SettleDashes(dictionary, reading);
  }
  WeighWritings(readings, contract.unknown_likelihood);
}

// One note for a page.
void NoteUnknown(const std::vector<Reading>& readings) {
  const UnknownLines unknown = CountUnknown(readings);
  if (unknown.lines == 0) return;
  Log(Severity::kWarning,
      std::to_string(unknown.lines) + " of " + std::to_string(unknown.all) +
          " lines are in a writing that the model does not know (" +
          std::string(text::WritingName(unknown.writing)) +
          " by its looks) and are left out of the text");
}

}  // namespace

Result<document::Document> Pipeline::Recognize(
    const image::ImageView& page, StageSink* sink,
    std::optional<float> min_confidence) {
  StageSink silent;
  if (sink == nullptr) sink = &silent;

  const Clock::time_point start = Clock::now();
  std::vector<TextBox> boxes;
  std::vector<KnownLine> known;
  if (contract_.turn_pages) {
    MUNJA_RETURN_IF_ERROR(FindUpright(page, sink, &boxes, &known));
  } else {
    MUNJA_ASSIGN_OR_RETURN(boxes, finder_.Find(page, true, sink));
  }
  const double detect_ms = MillisecondsSince(start);

  const Clock::time_point recognize_start = Clock::now();
  // Nobody looks at the lines between: each is cut when it is read.
  lines_.clear();
  if (sink != &silent) {
    MUNJA_RETURN_IF_ERROR(readers_.CutAll(page, boxes, lines_));
    MUNJA_RETURN_IF_ERROR(sink->OnLines(lines_));
  }
  MUNJA_RETURN_IF_ERROR(
      readers_.ReadAll(page, boxes, lines_, readings_, known));
  KeepWhatReads(contract_, &boxes, &readings_);

  SettleTogether(contract_.recognizer, readers_.dictionary(), readings_);
  const bool marks_unknown =
      contract_.recognizer.unknown_writing == UnknownWriting::kMark;

  document::Document result;
  const bool is_guess = boxes.size() == 1 && boxes[0].score == 0;
  for (Reading& reading : readings_) {
    // Callers mean what they are told, the bundle what its network says.
    const float probability = reading.text.confidence;
    const bool is_wanted =
        min_confidence ? CalibratedConfidence(contract_.recognizer,
                                              probability) >= *min_confidence
                       : probability >= contract_.min_confidence;
    if (!is_wanted || (is_guess && probability < kStripConfidence))
      reading.text.text.clear();
  }
  NoteUnknown(readings_);
  for (size_t i = 0; i < boxes.size(); ++i) {
    const Reading& reading = readings_[i];
    if (reading.text.text.empty()) continue;
    if (IsUnknown(reading) && (!marks_unknown || IsNoText(reading))) continue;
    document::Line& line = result.lines.emplace_back(
        MakeLine(contract_.recognizer, readers_.dictionary(), reading));
    if (IsUnknown(reading)) {
      line.text.clear();
      line.characters.clear();
    }
    line.polygon = OutlineOf(boxes[i], reading);
    line.block = boxes[i].block;
    line.row = boxes[i].row;
  }
  result.model = name_;
  result.width = page.width;
  result.height = page.height;
  result.timing.detect = detect_ms;
  result.timing.recognize = MillisecondsSince(recognize_start);
  result.timing.total = MillisecondsSince(start);
  MUNJA_RETURN_IF_ERROR(sink->OnDocument(result));
  return result;
}

Status Pipeline::FindUpright(const image::ImageView& page, StageSink* sink,
                             std::vector<TextBox>* boxes,
                             std::vector<KnownLine>* known) {
  UprightPage upright;
  PageTurn turn;
  MUNJA_ASSIGN_OR_RETURN(turn.skew,
                         finder_.FindStraight(page, sink, boxes, &upright));
  const bool is_straight = turn.skew != 0;
  MUNJA_ASSIGN_OR_RETURN(
      turn.quarters, readers_.FindQuarterTurns(
                         is_straight ? upright.view() : page, *boxes, known));
  const float rest = Skew(*boxes, contract_.recognizer, is_straight);
  turn.skew += rest;
  if (turn.is_none()) return Status();
  known->clear();
  if (!is_straight || turn.quarters != 0 || rest != 0) {
    MUNJA_ASSIGN_OR_RETURN(
        upright, UprightPage::Create(page, turn, MostSide(contract_.detector),
                                     pool_.get()));
    MUNJA_ASSIGN_OR_RETURN(*boxes, finder_.Find(upright.view(), true, sink));
  }
  // Lines are cut out of the page as it was: pixels are interpolated once.
  std::erase_if(*boxes, [&](TextBox& b) { return !upright.TakeBack(&b); });
  return Status();
}

Result<std::vector<TextBox>> Pipeline::Detect(const image::ImageView& page,
                                              StageSink* sink) {
  StageSink silent;
  return finder_.Find(page, false, sink != nullptr ? sink : &silent);
}

Result<document::Line> Pipeline::RecognizeLine(
    const image::ImageView& picture) {
  const TextBox box = {WholePicture(picture), 1.0f};
  MUNJA_RETURN_IF_ERROR(readers_.ReadAll(picture, {&box, 1}, {}, readings_));
  SettleTogether(contract_.recognizer, readers_.dictionary(), readings_);
  // That it is text says who asks, and no other line says whether the guess is
  // right: the text stays.
  if (IsNoText(readings_[0])) readings_[0].text.guess = {};
  return MakeLine(contract_.recognizer, readers_.dictionary(), readings_[0]);
}

Result<std::unique_ptr<Pipeline>> Pipeline::Fork() const {
  MUNJA_ASSIGN_OR_RETURN(LineFinder finder, finder_.Fork());
  MUNJA_ASSIGN_OR_RETURN(LineReaders readers, readers_.Fork());
  return std::unique_ptr<Pipeline>(new Pipeline(
      name_, std::move(finder), std::move(readers), contract_, pool_));
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
                         contract.recognizer, networks.language));
  std::optional<Recognizer> exact;
  if (networks.exact_recognizer != nullptr) {
    MUNJA_ASSIGN_OR_RETURN(
        exact, Recognizer::Create(std::move(networks.exact_recognizer),
                                  networks.dictionary, contract.recognizer,
                                  networks.language));
  }
  std::optional<OrientationClassifier> classifier;
  if (networks.classifier != nullptr) {
    MUNJA_ASSIGN_OR_RETURN(
        classifier, OrientationClassifier::Create(
                        std::move(networks.classifier), contract.classifier));
  }
  MUNJA_ASSIGN_OR_RETURN(
      LineReaders readers,
      LineReaders::Create(std::move(recognizer), std::move(exact),
                          std::move(classifier), pool));
  LineFinder finder(std::move(detector), contract, pool);
  return std::unique_ptr<Pipeline>(
      new Pipeline(std::move(networks.name), std::move(finder),
                   std::move(readers), contract, std::move(pool)));
}

}  // namespace munja::ocr
