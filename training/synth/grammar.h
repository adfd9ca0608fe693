// Grammar: rules that make up dates, prices, addresses and whatever else
// follows a form.
#ifndef MUNJA_SYNTH_GRAMMAR_H_
#define MUNJA_SYNTH_GRAMMAR_H_

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "synth/random.h"

namespace munja::train {

// Text files of rules, one a line; a line that starts with white space goes on
// with the rule above, one that starts with "//" is a comment:
//
//   price = {1-99}.## | ${1-9},###.## | {currency} {1-999}
//   currency = EUR | USD
//
// Alternatives are separated by " | " and equally likely; write one twice to
// have it twice as often.
//   #            a digit
//   {A-Z} {가-힣}  a character between the two
//   {5-120}      a number
//   {01-12}      a number with at least two digits
//   {rule}       an alternative of a rule
//   {rule?}      the same, or nothing
//   {rule*3}     three times; {rule*1-4}: one to four times; nothing between
//   {rule^}      in capitals; {rule~}: with a capital first letter
//   {은/는}      the first after a Korean syllable with a final consonant, else
//                the second
//   \n           where n is one of # { | \ : that character itself
// A rule that no file defines may be a word list (AddWords).
class Grammar {
 public:
  // `name` is for messages: kMalformed names it with the line, rule or brace
  // that is wrong.
  Status Add(std::string_view rules, const std::string& name);
  // {name} is one of the words. Replaces nothing: kInvalidArgument for a name
  // that is taken or no words.
  Status AddWords(const std::string& name, std::vector<std::u32string> words);
  // After the last Add: kMalformed names a rule that is used but not defined,
  // or that never ends.
  Status Check() const;

  bool Has(const std::string& rule) const { return index_.contains(rule); }
  // The rule must exist.
  std::u32string Make(const std::string& rule, Random& random) const;

 private:
  struct Node {
    enum class Kind {
      kText,
      kDigit,
      kNumber,
      kCharacter,
      kRule,
      kParticle
    } kind = Kind::kText;
    std::u32string text;    // kText; kParticle: the form after a consonant ...
    std::u32string other;   // ... and after a vowel.
    int low = 0, high = 0;  // kNumber, kCharacter: inclusive.
    int digits = 0;         // kNumber: at least.
    std::string rule;       // kRule.
    int least = 1, most = 1;  // kRule: how often.
    enum class Case { kAsIs, kUpper, kTitle } letters = Case::kAsIs;
  };
  using Template = std::vector<Node>;
  struct Rule {
    std::string file;
    std::vector<Template> alternatives;
    std::vector<std::u32string> words;
  };

  static Result<Template> Parse(std::u32string_view text);
  static Result<Node> ParseBraces(std::u32string_view inside);
  void Append(const Rule& rule, Random& random, int depth,
              std::u32string& out) const;
  void Append(const Node& node, Random& random, int depth,
              std::u32string& out) const;

  std::vector<Rule> rules_;
  std::unordered_map<std::string, size_t> index_;
};

// The capital of a letter of ASCII, Latin-1 or Latin Extended-A, which texts
// here are made of.
char32_t ToUpper(char32_t c);
std::u32string ToUpper(std::u32string_view text);

}  // namespace munja::train

#endif  // MUNJA_SYNTH_GRAMMAR_H_
