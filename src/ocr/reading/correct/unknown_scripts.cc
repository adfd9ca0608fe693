#include "reading/correct/unknown_scripts.h"

#include <algorithm>
#include <array>

#include "reading/correct/script.h"

namespace munja::ocr {
namespace {

// The prior of a page: this many lines, of which this many are in an unknown
// script.
constexpr double kLinesBefore = 10;
constexpr double kUnknownBefore = 0.5;
// Turns in which the share of unknown lines and their odds settle.
constexpr int kTurns = 8;

// Letters of both look like Latin ones, and a line may hold few that tell one
// from the other: where the page has so many times as many lines of one, those
// of the other are of it, too.
constexpr size_t kClearly = 4;

void CorrectGreekAndCyrillic(std::span<const LineText> lines) {
  const auto count = [&](text::Script script) {
    return static_cast<size_t>(std::count_if(
        lines.begin(), lines.end(),
        [&](const LineText& r) { return r.text.guess.script == script; }));
  };
  using enum text::Script;
  const size_t greek = count(kGreek), cyrillic = count(kCyrillic);
  const auto replace = [&](text::Script from, text::Script to) {
    for (const LineText& line : lines)
      if (line.text.guess.script == from) line.text.guess.script = to;
  };
  if (cyrillic >= kClearly * greek) replace(kGreek, kCyrillic);
  if (greek >= kClearly * cyrillic) replace(kCyrillic, kGreek);
}

}  // namespace

void WeighScripts(std::span<const LineText> lines, float least) {
  const auto share_of = [&](const auto& likelihood) {
    double sum = kUnknownBefore;
    for (const LineText& line : lines) sum += likelihood(line);
    return sum / (kLinesBefore + static_cast<double>(lines.size()));
  };
  // The judge was fitted where as many lines are unknown as not.
  const auto weighed = [](double alone, double share) {
    const double unknown = alone * share;
    return unknown / (unknown + (1 - alone) * (1 - share));
  };
  const auto alone = [](const LineText& line) {
    return std::clamp(static_cast<double>(line.text.guess.unknown), 0.0, 1.0);
  };
  double share = share_of(alone);
  for (int i = 0; i < kTurns; ++i) {
    share = share_of(
        [&](const LineText& line) { return weighed(alone(line), share); });
  }
  for (const LineText& line : lines) {
    text::ScriptGuess& guess = line.text.guess;
    guess.unknown = static_cast<float>(weighed(alone(line), share));
    if (guess.unknown < least) guess.script = text::Script::kKnown;
  }
  CorrectGreekAndCyrillic(lines);
}

bool IsUnknown(const text::CtcLine& line) {
  return line.guess.script != text::Script::kKnown && !line.text.empty();
}

bool IsNoText(const text::CtcLine& line) {
  return IsUnknown(line) && line.guess.script == text::Script::kNotText;
}

UnknownLines CountUnknown(std::span<const text::CtcLine* const> lines) {
  std::array<size_t, kScripts> counts{};
  UnknownLines unknown;
  for (const text::CtcLine* line : lines) {
    if (line->text.empty() || IsNoText(*line)) continue;
    ++unknown.all;
    if (!IsUnknown(*line)) continue;
    ++unknown.lines;
    ++counts[static_cast<size_t>(line->guess.script)];
  }
  unknown.script = static_cast<text::Script>(
      std::max_element(counts.begin(), counts.end()) - counts.begin());
  return unknown;
}

}  // namespace munja::ocr
