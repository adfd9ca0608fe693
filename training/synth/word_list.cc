#include "synth/word_list.h"

#include <glob.h>

#include <algorithm>
#include <string_view>

#include "base/file.h"
#include "synth/recipe.h"
#include "text/normalize.h"
#include "text/utf8.h"

namespace munja::train {
namespace {

constexpr size_t kMostBytes = size_t{64} << 20;
constexpr size_t kLongestWord = 24;

// Conjoining Korean letters, which fonts and alphabets do not have.
bool HasConjoiningJamo(std::u32string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char32_t c) { return c >= 0x1100 && c <= 0x11FF; });
}

std::u32string Compose(std::string_view utf8) {
  std::u32string text = text::DecodeUtf8(utf8);
  return HasConjoiningJamo(text) ? text::Nfkc(utf8) : text;
}

std::string_view NextLine(std::string_view& left) {
  const size_t end = left.find('\n');
  std::string_view line = left.substr(0, end);
  left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view AsText(const std::vector<uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void AppendWord(const std::u32string& word, const Alphabet& alphabet,
                std::vector<std::u32string>& words) {
  if (word.empty()) return;
  // A lone percent sign separates the texts of a file of fortunes.
  if (word.size() > kLongestWord || word == U"%" || !alphabet.Spells(word)) {
    if (!words.empty() && !words.back().empty()) words.emplace_back();
    return;
  }
  words.push_back(word);
}

}  // namespace

std::vector<std::u32string> ReadWords(const std::vector<std::string>& paths,
                                      const Alphabet& alphabet,
                                      std::vector<std::string>& missing) {
  std::vector<std::u32string> words;
  for (const std::string& choice : paths) {
    const size_t sharp = choice.rfind('#');
    const std::string path = choice.substr(0, sharp);
    const std::string flags =
        sharp == std::string::npos ? "" : "," + choice.substr(sharp + 1) + ",";
    const auto bytes = ReadFile(path, kMostBytes);
    if (!bytes.ok()) {
      missing.push_back(path);
      continue;
    }
    for (std::string_view left = AsText(*bytes); !left.empty();) {
      std::string_view line = NextLine(left);
      if (path.ends_with(".dic")) {
        const size_t slash = line.find_first_of("/\t");
        const std::string flag = slash == std::string_view::npos
                                     ? ""
                                     : std::string(line.substr(slash + 1));
        if (!flags.empty() && flags.find("," + flag + ",") == std::string::npos)
          continue;
        line = line.substr(0, slash);
      }
      std::u32string word = Compose(line);
      if (word.empty() || word.size() > kLongestWord ||
          !alphabet.Spells(word) || word.front() == U' ' || word.back() == U' ')
        continue;
      words.push_back(std::move(word));
    }
  }
  return words;
}

std::vector<std::u32string> ReadProse(const std::vector<std::string>& paths,
                                      const Alphabet& alphabet,
                                      std::vector<std::string>& missing) {
  std::vector<std::u32string> words;
  for (const std::string& path : paths) {
    const auto bytes = ReadFile(path, kMostBytes);
    if (!bytes.ok()) {
      missing.push_back(path);
      continue;
    }
    const bool is_html = path.ends_with(".html");
    bool in_tag = false;
    std::u32string word;
    for (const char32_t c : Compose(AsText(*bytes))) {
      if (is_html && (c == U'<' || in_tag)) {
        in_tag = c != U'>';
        if (!in_tag) AppendWord(word, alphabet, words), word.clear();
      } else if (text::IsWhiteSpace(c)) {
        AppendWord(word, alphabet, words);
        word.clear();
      } else {
        word.push_back(c);
      }
    }
    AppendWord(word, alphabet, words);
    if (!words.empty() && !words.back().empty()) words.emplace_back();
  }
  return words;
}

Result<std::vector<std::u32string>> ReadLines(
    const std::vector<std::string>& paths, const Alphabet& alphabet) {
  std::vector<std::u32string> lines;
  for (const std::string& path : paths) {
    MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                           ReadFile(path, kMostBytes));
    int number = 0;
    for (std::string_view left = AsText(bytes); !left.empty();) {
      ++number;
      std::u32string line;
      for (const char32_t c : Compose(NextLine(left))) {
        if (!text::IsWhiteSpace(c)) {
          line.push_back(c);
        } else if (!line.empty() && line.back() != U' ') {
          line.push_back(U' ');
        }
      }
      if (!line.empty() && line.back() == U' ') line.pop_back();
      if (line.empty()) continue;
      if (!alphabet.Spells(line))
        return Malformed(path + ": line " + std::to_string(number) +
                         " has characters that the alphabet lacks");
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::vector<std::string> ExpandPaths(const std::string& recipe_path,
                                     const std::vector<std::string>& patterns) {
  std::vector<std::string> paths;
  for (const std::string& pattern : patterns) {
    const std::string full = BesideRecipe(recipe_path, pattern);
    glob_t found{};
    if (glob(full.c_str(), GLOB_NOCHECK, nullptr, &found) == 0) {
      for (size_t i = 0; i < found.gl_pathc; ++i)
        paths.emplace_back(found.gl_pathv[i]);
    }
    globfree(&found);
  }
  return paths;
}

}  // namespace munja::train
