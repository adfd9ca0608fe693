// Writing that a network does not know is told from what it knows by how it is
// read: "CraBKa" is no word, and what is no letter is hardly read surely.
#ifndef MUNJA_READING_CORRECT_SCRIPT_H_
#define MUNJA_READING_CORRECT_SCRIPT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/ctc.h"
#include "text/dictionary.h"

namespace munja::text {

inline constexpr size_t kWritings = 9;

// "cyrillic", "cjk", "not text"; "" for what is known.
std::string_view WritingName(Writing writing);

// Keeps its memory from line to line; one caller at a time.
class WritingJudge {
 public:
  explicit WritingJudge(const Dictionary& dictionary);

  // `steps` as the network gave them. Nothing read is known writing, and so is
  // what was read as letters of writings other than Latin, Chinese, Japanese
  // and Korean, and all that a network without the Latin alphabet reads: how
  // those look when they are read wrong is not known here.
  WritingGuess Judge(std::span<const CtcStep> steps);

  // What the guess is computed from: amounts by the number of a feature, in no
  // order. For fitting the weights.
  struct Feature {
    uint16_t index;
    float amount;
  };
  static constexpr size_t kKinds = 11;
  static constexpr size_t kFeatures = kKinds * kKinds + 62 + 18;
  void Measure(std::span<const CtcStep> steps,
               std::vector<Feature>& features) const;

 private:
  enum Kind : uint8_t {
    kEdge,  // Of words: spaces, the ends of the line.
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
    uint8_t letter = 0;            // Of ASCII letters and digits: 1 to 62.
    bool is_other_letter = false;  // Of a writing that the kinds do not tell.
  };
  static Look LookOf(std::string_view symbol);
  bool IsJudged(std::span<const CtcStep> steps) const;

  std::vector<Look> looks_;  // By class.
  bool knows_latin_ = false;
  std::array<bool, kWritings> is_known_{};
  std::vector<Feature> features_;
};

}  // namespace munja::text

#endif  // MUNJA_READING_CORRECT_SCRIPT_H_
