// Output of poppler's pdftotext, which sorts text by its position, for pages
// laid out by chance.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "base/child.h"
#include "document/reading_order.h"
#include "document/testing.h"
#include "document/writers/testing.h"

namespace munja::document {
namespace {

Document DocumentOf(std::string_view kind, uint32_t seed) {
  const DrawnLayout layout = DrawLayout(kind, seed);
  Document document;
  for (const geometry::Quad& quad : layout.quads) {
    for (const geometry::Point p : quad) {
      document.width = std::max(document.width, static_cast<int>(p.x) + 20);
      document.height = std::max(document.height, static_cast<int>(p.y) + 20);
    }
  }
  for (const ReadingPlace& place : ReadingLayout(layout.quads)) {
    Line line;
    line.polygon = layout.quads[place.index];
    line.block = place.block;
    line.row = place.row;
    // Words of some length, each of them once.
    const float width = geometry::Length(line.polygon[1] - line.polygon[0]);
    const float height = geometry::Length(line.polygon[3] - line.polygon[0]);
    const int words = std::clamp(static_cast<int>(width / height / 3), 1, 9);
    for (int i = 0; i < words; ++i) {
      if (i > 0) line.text += ' ';
      line.text += std::to_string(place.index) + static_cast<char>('a' + i);
    }
    document.lines.push_back(line);
  }
  return document;
}

std::vector<std::string> WordsIn(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// Neighbors in the text that are neighbors in what is read from the file.
NeighborScore ScoreOf(const Document& document) {
  const std::string file = Written("pdf", {document});
  const auto ran = RunChild(
      {"pdftotext", "/dev/stdin", "-"},
      {reinterpret_cast<const uint8_t*>(file.data()), file.size()}, 1 << 20);
  EXPECT_TRUE(ran.ok());
  if (!ran.ok()) return {};
  const std::vector<std::string> written = WordsIn(WriteText(document));
  const std::vector<std::string> read =
      WordsIn(std::string(ran->output.begin(), ran->output.end()));
  std::map<std::string, std::string> next;
  for (size_t i = 1; i < read.size(); ++i) next[read[i - 1]] = read[i];
  NeighborScore score;
  for (size_t i = 1; i < written.size(); ++i) {
    ++score.all;
    score.right += next[written[i - 1]] == written[i];
  }
  return score;
}

TEST(PdfWriter, SortingReaders_KeepTheOrder) {
  const auto there = RunChild({"pdftotext", "-v"}, {}, 1 << 10);
  if (!there.ok()) GTEST_SKIP() << "poppler-utils is not here";
  const char* const wanted = std::getenv("MUNJA_PAGES");
  const uint32_t pages =
      wanted != nullptr ? static_cast<uint32_t>(std::atoi(wanted)) : 6;
  for (const std::string_view kind : LayoutKinds()) {
    NeighborScore all;
    for (uint32_t seed = 1; seed <= pages; ++seed) {
      const NeighborScore page = ScoreOf(DocumentOf(kind, seed));
      all.right += page.right;
      all.all += page.all;
    }
    if (wanted != nullptr)
      std::printf("%-50s %.1f\n", std::string(kind).c_str(), 100 * all.share());
    // A third of the pages are skewed, which such readers are bad at.
    EXPECT_GE(all.share(), 0.8) << kind;
  }
}

}  // namespace
}  // namespace munja::document
