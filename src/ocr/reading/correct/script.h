// Scripts that a network does not know are told from those that it knows by how
// they are read: "CraBKa" is no word, and what is no letter is hardly read with
// confidence.
#ifndef MUNJA_READING_CORRECT_SCRIPT_H_
#define MUNJA_READING_CORRECT_SCRIPT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "text/character_class.h"
#include "text/ctc.h"

namespace munja::ocr {

inline constexpr size_t kScripts = 9;

// "cyrillic", "cjk", "not text"; "" if it is known.
std::string_view ScriptName(text::Script script);

// Keeps its memory from line to line; one caller at a time.
class ScriptJudge {
 public:
  explicit ScriptJudge(const text::CharacterClasses& classes);

  // `steps` as the network gave them. Nothing read is known script, and so is
  // what was read as letters of writings other than Latin, Chinese, Japanese
  // and Korean, and all that a network without the Latin alphabet reads: how
  // those look when they are read wrong is not known here.
  text::ScriptGuess Judge(std::span<const text::CtcStep> steps);

  // The features of the guess: amounts by the number of a feature, in no order.
  // For fitting the weights.
  struct Feature {
    uint16_t index;
    float amount;
  };
  static constexpr size_t kKinds = 11;
  static constexpr size_t kFeatures = kKinds * kKinds + 62 + 18;
  void Measure(std::span<const text::CtcStep> steps,
               std::vector<Feature>& features) const;

 private:
  enum Kind : uint8_t {
    kEdge,  // The edges of words: spaces, the ends of the line.
    kSmall,
    kCapital,
    kDigit,
    kSign,
    kAccented,
    kHangulSyllable,
    kJamo,
    kHan,
    kFullWidth,
    kAny,
  };
  struct Look {
    Kind kind = kEdge;
    uint8_t letter = 0;  // ASCII letters and digits: 1 to 62.
    bool is_other_letter =
        false;  // A letter of a script that the kinds do not tell.
    text::Script mark = text::Script::kKnown;  // See text/unreadable.h.
  };
  static Look LookOf(const text::CharacterClass& c);
  std::optional<text::ScriptGuess> JudgeByMarks(
      std::span<const text::CtcStep> steps) const;
  bool IsJudged(std::span<const text::CtcStep> steps) const;

  std::vector<Look> looks_;  // By class.
  bool knows_latin_ = false;
  std::array<bool, kScripts> is_known_{};
  std::vector<Feature> features_;
};

}  // namespace munja::ocr

#endif  // MUNJA_READING_CORRECT_SCRIPT_H_
