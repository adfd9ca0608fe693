// CTC decoding: from the best class of each output step to text (Graves et
// al., "Connectionist Temporal Classification", ICML 2006, section 3.2: best
// path decoding).
#ifndef MUNJA_TEXT_CTC_H_
#define MUNJA_TEXT_CTC_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/dictionary.h"

namespace munja::text {

// A class and its probability as the network gives it.
struct CtcChoice {
  int cls = 0;
  float probability = 0;
};

// Puts a choice in its place among the best, which are sorted, and drops the
// last of them; equal ones stay before it.
inline void InsertChoice(CtcChoice choice, std::span<CtcChoice> best) {
  if (choice.probability <= best.back().probability) return;
  for (CtcChoice& place : best)
    if (choice.probability > place.probability) std::swap(choice, place);
}

// The most probable class of one step, and the next ones, if they are known;
// otherwise blanks of probability 0.
inline constexpr size_t kOtherChoices = 4;
struct CtcStep {
  int cls = 0;
  float probability = 0;
  std::array<CtcChoice, kOtherChoices> others{};
};

struct CtcCharacter {
  std::string text;
  size_t step = 0;  // The first step that reads it.
  float probability = 0;
};

struct CtcText {
  std::string text;
  // Mean probability of the characters; 0 for an empty text.
  float confidence = 0;
  std::vector<CtcCharacter> characters;
};

// Equal neighbors count once, then blanks are dropped. Classes must be below
// dictionary.classes().
CtcText DecodeCtc(std::span<const CtcStep> steps, const Dictionary& dictionary);
// The script of a line, as far as it matters to a network that does not know
// it.
enum class Script : uint8_t {
  kKnown,
  kCyrillic,
  kGreek,
  kArabic,
  kHebrew,
  kCjk,  // Chinese characters and kana.
  kHangul,
  kOther,    // Thai, Georgian, the scripts of India and others.
  kNotText,  // Icons, ornaments, textures.
};
struct ScriptGuess {
  float unknown = 0;  // How likely it is that the network does not know it.
  Script script = Script::kKnown;  // If it does not: the most likely one.
};

// One character of a line, spaces too.
struct CtcMark {
  size_t text_end = 0;        // Behind it in the line's text.
  size_t begin = 0, end = 0;  // The steps that read it.
  float probability = 0;      // At the first step, as are `others`.
  int cls = 0;
  std::array<CtcChoice, kOtherChoices> others{};
  // Its place in the line, as shares of the width and height of the crop;
  // DecodeCtc(), which has no image, leaves them 0.
  float left = 0, top = 0, right = 0, bottom = 0;
};

// The same into memory that is there.
struct CtcLine {
  std::string text;
  float confidence = 0;
  // By a ScriptJudge; DecodeCtc() leaves it as it is.
  ScriptGuess guess = {};
  std::vector<CtcMark> marks = {};
};
void DecodeCtc(std::span<const CtcStep> steps, const Dictionary& dictionary,
               CtcLine& line);

// The mean probability of the characters, as DecodeCtc() has it.
float MeanProbability(std::span<const CtcStep> steps);

// The probability that the network gives a class at a CtcStep or at the first
// step of a CtcMark.
template <typename StepOrMark>
float ProbabilityOf(const StepOrMark& read, int cls) {
  if (read.cls == cls) return read.probability;
  for (const CtcChoice& other : read.others)
    if (other.cls == cls) return other.probability;
  return 0.0f;
}

// The largest of these steps' probabilities of a class.
inline float LargestProbability(std::span<const CtcStep> steps, int cls) {
  float largest = 0.0f;
  for (const CtcStep& step : steps)
    largest = std::max(largest, ProbabilityOf(step, cls));
  return largest;
}

// The sum of the probabilities of the classes for which `is` holds.
template <typename Is>
float ProbabilityOfAny(const CtcMark& mark, const Is& is) {
  float sum = is(mark.cls) ? mark.probability : 0.0f;
  for (const CtcChoice& other : mark.others)
    if (other.cls != mark.cls && is(other.cls)) sum += other.probability;
  return sum;
}

// The line's characters: parts of its text, valid as long as that is.
std::vector<std::string_view> CharactersOf(const CtcLine& line);

// Makes character i of the line the symbol of classes[i], where that is not
// the blank.
void ReplaceCharacters(std::span<const int> classes,
                       const Dictionary& dictionary, CtcLine& line);

}  // namespace munja::text

#endif  // MUNJA_TEXT_CTC_H_
