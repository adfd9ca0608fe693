#include "reading/page_document.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "geometry/quad.h"
#include "reading/correct/script.h"
#include "reading/correct/unknown_scripts.h"
#include "reading/read/calibration.h"
#include "text/ctc.h"

namespace munja::ocr {
namespace {

// Text in an image that is taken for a single line counts if it is read with
// this confidence: it may as well hold no text at all.
constexpr float kGuessConfidence = 0.6f;

// The characters of the line lie in the polygon of its crop.
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
            {std::string(dictionary.TextOf(other.cls)), other.probability});
  }
  return characters;
}

// One note for a page.
void NoteUnknown(std::span<const text::CtcLine* const> lines) {
  const UnknownLines unknown = CountUnknown(lines);
  if (unknown.lines == 0) return;
  Log(Severity::kWarning,
      std::to_string(unknown.lines) + " of " + std::to_string(unknown.all) +
          " lines are in a script that the model does not know (" +
          std::string(ScriptName(unknown.script)) +
          " by its looks) and are left out of the text");
}

bool HasConfidence(const Config& config, const PageLine& line,
                   std::optional<float> min_confidence) {
  const float probability = line.reading.text.confidence;
  if (line.box.is_guess && probability < kGuessConfidence) return false;
  // Callers mean the confidence that they are told, the bundle its network's.
  return min_confidence ? CalibratedConfidence(config.recognizer,
                                               probability) >= *min_confidence
                        : probability >= config.min_confidence;
}

}  // namespace

document::Line MakeLine(const RecognizerConfig& config,
                        const text::Dictionary& dictionary,
                        const Reading& reading) {
  document::Line line;
  line.text = reading.text.text;
  line.confidence = CalibratedConfidence(config, reading.text.confidence);
  line.polygon = reading.polygon;
  line.characters = MakeCharacters(dictionary, reading);
  if (IsUnknown(reading.text))
    line.unknown_writing = ScriptName(reading.text.guess.script);
  return line;
}

document::Document MakeDocument(const Config& config,
                                const text::Dictionary& dictionary,
                                std::span<const PageLine> lines,
                                std::optional<float> min_confidence) {
  std::vector<const PageLine*> kept;
  for (const PageLine& line : lines)
    if (!line.reading.text.text.empty() &&
        HasConfidence(config, line, min_confidence))
      kept.push_back(&line);
  std::vector<const text::CtcLine*> texts;
  for (const PageLine* line : kept) texts.push_back(&line->reading.text);
  NoteUnknown(texts);
  const bool marks_unknown =
      config.recognizer.unknown_writing == UnknownScript::kMark;
  document::Document result;
  for (const PageLine* kept_line : kept) {
    const Reading& reading = kept_line->reading;
    if (IsUnknown(reading.text) && (!marks_unknown || IsNoText(reading.text)))
      continue;
    document::Line& line = result.lines.emplace_back(
        MakeLine(config.recognizer, dictionary, reading));
    if (IsUnknown(reading.text)) {
      line.text.clear();
      line.characters.clear();
    }
    line.polygon = OutlineOf(*kept_line);
    line.block = kept_line->box.block;
    line.row = kept_line->box.row;
  }
  return result;
}

}  // namespace munja::ocr
