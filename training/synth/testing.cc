#include "synth/testing.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "base/file.h"
#include "text/utf8.h"

namespace munja::train::test_files {

std::string Write(const std::string& name, std::string_view content) {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  const std::string folder = ::testing::TempDir() + "munja_synth_" +
                             test->test_suite_name() + "_" + test->name();
  std::filesystem::create_directories(folder);
  EXPECT_TRUE(WriteFile(folder + "/" + name, content).ok());
  return folder + "/" + name;
}

Alphabet MakeAlphabet(std::string_view characters) {
  std::string lines;
  for (const char32_t c : text::DecodeUtf8(characters)) {
    text::AppendUtf8(c, lines);
    lines += '\n';
  }
  auto alphabet = Alphabet::Read(Write("alphabet.txt", lines));
  EXPECT_TRUE(alphabet.ok()) << alphabet.status().message();
  return std::move(alphabet).value();
}

Alphabet Ascii() {
  std::string all;
  for (char c = '!'; c <= '~'; ++c) all += c;
  return MakeAlphabet(all);
}

std::string Recipe(const std::string& name) {
  return std::string(MUNJA_SOURCE_DIR) + "/training/recipes/" + name;
}

}  // namespace munja::train::test_files
