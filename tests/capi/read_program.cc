// Reading text with the C++ wrapper. Arguments: testdata/pictures/receipt.jpg
// and models/default.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "munja/munja.hpp"

namespace {

int failures = 0;

void Expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  ++failures;
}

void Read(const std::string& picture, const std::string& model) {
  using munja::Engine;
  using munja::Image;
  using munja::Page;
  Engine engine({.model = model, .threads = 2});
  const Image image = Image::Load(picture).value();
  const Page page = engine.Read(image).value();
  const munja::Lines lines = page.lines();
  Expect(lines.size() == 21, "21 lines");
  Expect(!lines.empty() && lines[0].text() == "BAKERY NORTHWIND",
         "the first line");
  std::string text;
  for (size_t k = 0; k < lines.size(); ++k) {
    const munja::Line line = lines[k];
    // An empty line between blocks.
    if (k > 0 && line.block() != lines[k - 1].block()) text += "\n";
    text += line.text();
    // Lines that stand side by side make one line of text.
    const bool goes_on = k + 1 < lines.size() && line.row() >= 0 &&
                         line.row() == lines[k + 1].row();
    text += goes_on ? " " : "\n";
    Expect(line.confidence() > 0 && line.confidence() <= 1, "a confidence");
    for (const munja::Point corner : line.polygon())
      Expect(
          corner.x >= 0 && corner.x <= 900 && corner.y >= 0 && corner.y <= 1180,
          "a corner in the image");
  }
  Expect(page.ToText() == text, "the text is that of the lines");
  const std::string json = page.ToJson("receipt.jpg");
  Expect(json.starts_with("{") && json.ends_with("}"), "an object");
  Expect(json.find("\"source\":\"receipt.jpg\"") != std::string::npos,
         "the source");
  Expect(json.find("\"TOTAL\"") != std::string::npos, "a line in JSON");

  // From bytes, by an engine that was moved, on one thread: the same.
  std::ifstream file(picture, std::ios::binary);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  const Image decoded = Image::Decode(bytes).value();
  Engine first({.model = model, .threads = 1});
  Engine moved = std::move(first);
  Page again = moved.Read(decoded).value();
  Expect(again.ToText() == text, "the same from bytes");
  // Texts live as long as their document, also one that was moved.
  const std::string_view first_text = again.lines()[0].text();
  const Page kept = std::move(again);
  Expect(first_text.data() == kept.lines()[0].text().data(),
         "a moved document keeps its lines");
}

std::string Contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Files of the format that their name asks for, complete or not there.
void Write(const std::string& picture, const std::string& model) {
  const munja::Image image = munja::Image::Load(picture).value();
  const munja::Page page = munja::Engine({.model = model}).Read(image).value();
  char folder[] = "/tmp/munja-write-XXXXXX";
  Expect(mkdtemp(folder) != nullptr, "a directory");
  const std::string alto = std::string(folder) + "/page.alto.xml";
  Expect(page.Save(alto).ok(), "ALTO by the longest extension");
  Expect(Contents(alto).find("<alto") != std::string::npos, "ALTO");
  Expect(page.Save(folder + std::string("/page.docx")).code() ==
             MUNJA_INVALID_ARGUMENT,
         "an unknown format");
  const std::string book = std::string(folder) + "/book.tsv";
  for (const bool is_finished : {false, true}) {
    munja::Writer writer = munja::Writer::Open("tsv", book).value();
    for (const char* source : {"1.jpg", "2.jpg"})
      Expect(writer.Add(page, {.source = source}).ok(), "a page");
    Expect(Contents(book).empty(), "no file before its end");
    if (is_finished) Expect(writer.Finish().ok(), "the end of a book");
  }
  Expect(Contents(book).find("\n1\t2\t") != std::string::npos, "two pages");
  std::filesystem::remove_all(folder);
}

// Frames of one image: lines become final, then nothing is computed.
void ReadLive(const std::string& picture, const std::string& model) {
  const munja::Image image = munja::Image::Load(picture).value();
  munja::Engine engine({.model = model, .threads = 2});
  munja::Live live(engine);
  std::vector<munja::LiveEvent> events;
  for (int i = 0; i < 8; ++i)
    for (munja::LiveEvent& event : live.Step(image, i / 30.0).value())
      events.push_back(std::move(event));
  const auto count = [&](munja_live_kind kind) {
    return std::count_if(events.begin(), events.end(),
                         [&](const auto& e) { return e.kind == kind; });
  };
  const auto lines = count(MUNJA_LIVE_NEW);
  Expect(lines >= 20, "the lines appear");
  Expect(count(MUNJA_LIVE_FINAL) == lines, "the lines are final");
  Expect(!events.empty() && events[0].id > 0 && events[0].readings == 1,
         "a first reading");
  Expect(
      std::any_of(events.begin(), events.end(),
                  [](const auto& e) { return e.text == "BAKERY NORTHWIND"; }),
      "the first line, live");
  const munja_live_statistics statistics = live.statistics();
  // Boxes in which no text is read are tried once more than lines.
  Expect(statistics.frames == 8 && statistics.searches == 1 &&
             statistics.read <= 4 &&
             statistics.read + statistics.unchanged == 8,
         "a still image is searched once");
  Expect(live.boxes().size() == static_cast<size_t>(lines), "a box each");
  const auto last = live.Finish().value();
  Expect(last.size() == static_cast<size_t>(lines) &&
             last[0].kind == MUNJA_LIVE_GONE &&
             munja::LiveKindName(last[0].kind) == std::string("gone"),
         "all lines are gone at the end");

  // The same in a thread of the library.
  int gone = 0;
  munja::Live other(engine, {.on_event =
                                 [&](const munja::LiveEvent& event) {
                                   if (event.kind == MUNJA_LIVE_GONE) ++gone;
                                 },
                             .asynchronous = true});
  Expect(other.Feed(image, 0).ok(), "a frame");
  Expect(other.Step(image, 1).code() == MUNJA_INVALID_ARGUMENT,
         "no steps if asynchronous");
  Expect(other.Finish().ok() && gone == lines, "the same lines");
  other.Cancel();
  Expect(other.Feed(image, 2).code() == MUNJA_CANCELLED, "cancelled");
  Expect(other.Reset().ok() && other.Feed(image, 2).ok(), "reset");
  Expect(munja::Live::Create(engine, {.frame_ms = -1}).code() ==
             MUNJA_INVALID_ARGUMENT,
         "a negative budget");
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) return 2;
  Read(argv[1], argv[2]);
  Write(argv[1], argv[2]);
  ReadLive(argv[1], argv[2]);
  return failures == 0 ? 0 : 1;
} catch (const munja::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
