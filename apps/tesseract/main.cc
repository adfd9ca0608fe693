// munja-tesseract: reads as munja does, called as Tesseract is. Under the name
// "tesseract" it stands in for it where pytesseract, OCRmyPDF and others look.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "munja/munja.hpp"
#include "munja/tools/tools.hpp"
#include "tesseract/arguments.h"
#include "tesseract/languages.h"

namespace munja::tesseract {
namespace {

// Callers require at least 4.1.1 and refuse 5.4.0.
constexpr char kVersion[] = "tesseract 5.5.0";

constexpr double kPi = 3.14159265358979323846;

int PrintLanguages() {
  const std::vector<std::string> names = InstalledLanguages();
  std::printf("List of available languages in \"munja\" (%zu):\n",
              names.size());
  for (const std::string& name : names) std::printf("%s\n", name.c_str());
  return 0;
}

void PrintUsage(std::FILE* out) {
  std::fputs(
      "Usage:\n"
      "  munja-tesseract IMAGE OUTBASE|stdout [-l LANG] [--psm N] [--dpi N]\n"
      "                  [-c VAR=VALUE] [--user-words FILE] [CONFIGFILE] [txt] "
      "[hocr] [tsv] [pdf] [alto] [page] "
      "[makebox]\n"
      "  munja-tesseract --list-langs | --print-parameters | --version\n"
      "Reads with munja's model ($MUNJA_MODELS), called as Tesseract is.\n",
      out);
}

struct Image {
  std::string name, bytes;
};

bool Load(const std::string& name, Image* image) {
  image->name = name;
  if (name == "-" || name == "stdin") {
    char piece[1 << 16];
    for (size_t n; (n = std::fread(piece, 1, sizeof piece, stdin)) > 0;)
      image->bytes.append(piece, n);
    return true;
  }
  std::ifstream file(name, std::ios::binary);
  image->bytes.assign(std::istreambuf_iterator<char>(file), {});
  return !file.bad() && !image->bytes.empty();
}

// A list of pictures is a text file of their names.
std::vector<std::string> NamesIn(const Image& image) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin < image.bytes.size();) {
    const size_t end =
        std::min(image.bytes.find('\n', begin), image.bytes.size());
    std::string name = image.bytes.substr(begin, end - begin);
    if (!name.empty() && name.back() == '\r') name.pop_back();
    if (!name.empty()) names.push_back(name);
    begin = end + 1;
  }
  return names;
}

// Whether its first line names a file.
bool IsList(const Image& image) {
  constexpr size_t kLongest = 4096;
  const std::string name = image.bytes.substr(
      0, std::min(image.bytes.find_first_of("\r\n"), kLongest));
  return !name.empty() && name.find('\0') == std::string::npos &&
         std::ifstream(name).good();
}

// Which way the page stands, by the lines' lengths.
struct Orientation {
  int rotate = 0;  // Clockwise, until it is upright.
  double share = 0, confidence = 0;
  double skew = 0;  // Radians, clockwise as seen.
  int lines = 0;
};

Orientation OrientationOf(const munja::Page& document) {
  std::array<double, 4> ways{};
  Orientation result;
  double all = 0, sure = 0;
  std::vector<double> angles;
  for (const munja::Line line : document.lines()) {
    if (line.text().empty()) continue;
    const munja::Polygon polygon = line.polygon();
    const double x = polygon[1].x - polygon[0].x;
    const double y = polygon[1].y - polygon[0].y;
    const double length = std::hypot(x, y);
    if (!(length > 0)) continue;
    const double angle = std::atan2(y, x);
    const int quarter =
        (static_cast<int>(std::lround(angle / (kPi / 2))) % 4 + 4) % 4;
    ways[static_cast<size_t>(quarter)] += length;
    angles.push_back(std::remainder(angle, kPi / 2));
    all += length;
    sure += length * static_cast<double>(line.confidence());
    ++result.lines;
  }
  if (result.lines == 0) return result;
  const auto most = std::max_element(ways.begin(), ways.end());
  const auto quarter = static_cast<int>(most - ways.begin());
  result.rotate = (360 - 90 * quarter) % 360;
  result.share = *most / all;
  result.confidence = sure / all;
  std::nth_element(angles.begin(),
                   angles.begin() + static_cast<ptrdiff_t>(angles.size() / 2),
                   angles.end());
  result.skew = angles[angles.size() / 2];
  return result;
}

const char* ScriptOf(const std::string& text) {
  int latin = 0, hangul = 0, han = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto b = static_cast<unsigned char>(text[i]);
    if ((b >= 'A' && b <= 'Z') || (b >= 'a' && b <= 'z')) ++latin;
    // Three bytes from U+AC00 on, and from U+4E00 on.
    if (b >= 0xEA && b <= 0xED) ++hangul;
    if (b >= 0xE4 && b <= 0xE9) ++han;
  }
  if (hangul > latin && hangul >= han) return "Hangul";
  return han > latin ? "Han" : "Latin";
}

// Written to NAME, or printed.
bool WriteAll(const Arguments& a, const std::string& extension,
              const std::string& bytes) {
  if (a.base == "stdout" || a.base == "-")
    return std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size();
  const std::string name = a.base + "." + extension;
  const munja::Status status = munja::WriteFile(name, bytes);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok();
}

int ReportOrientation(const Arguments& a, const munja::Page& document,
                      int page) {
  const Orientation o = OrientationOf(document);
  if (o.lines == 0) {
    std::fputs("Too few characters. Skipping this page\n", stderr);
    return 1;
  }
  // Callers turn pages from 14 or 12 on, where Tesseract is sure enough.
  constexpr double kMost = 30;
  const double confidence =
      kMost * std::max(2 * o.share - 1, 0.0) * o.confidence;
  const std::string text = document.ToText();
  char report[400];
  std::snprintf(report, sizeof report,
                "Page number: %d\nOrientation in degrees: %d\nRotate: %d\n"
                "Orientation confidence: %.2f\nScript: %s\n"
                "Script confidence: %.2f\n",
                page, (360 - o.rotate) % 360, o.rotate, confidence,
                ScriptOf(text), 10 * o.confidence);
  return WriteAll(a, "osd", report) ? 0 : 1;
}

int ReportSkew(const munja::Page& document) {
  const Orientation o = OrientationOf(document);
  if (o.lines == 0) return 1;
  std::fprintf(stderr,
               "Orientation: %d\nWritingDirection: 0\nTextlineOrder: 2\n"
               "Deskew angle: %.4f\n",
               o.rotate / 90, o.skew);
  return 0;
}

// "symbol left bottom right top page", from the lower left corner.
std::string Boxes(const munja::Page& document, int page) {
  std::string out;
  const double height = document.height();
  for (const munja::Line line : document.lines()) {
    for (const munja::Character c : line.characters()) {
      if (c.text() == " ") continue;
      const munja::Box box = c.box();
      char place[120];
      std::snprintf(place, sizeof place, " %ld %ld %ld %ld %d\n",
                    std::lround(box.left), std::lround(height - box.bottom),
                    std::lround(box.right), std::lround(height - box.top),
                    page);
      out += std::string(c.text()) + place;
    }
  }
  return out;
}

size_t CodePoints(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// The text in rows, with as many spaces between two words as characters of
// their line would have room there.
std::string SpacedText(const munja::Page& document) {
  std::string out;
  std::optional<munja::Line> previous;
  munja::Box before = {};
  for (const munja::Line line : document.lines()) {
    if (line.text().empty()) continue;
    const bool goes_on = previous && previous->block() == line.block() &&
                         previous->row() >= 0 && previous->row() == line.row();
    if (previous && !goes_on)
      out += previous->block() == line.block() ? "\n" : "\n\n";
    double width = 0, characters = 0;
    for (const munja::Word word : line.words()) {
      width += word.box().right - word.box().left;
      characters += static_cast<double>(CodePoints(word.text()));
    }
    const bool is_level = line.direction() == MUNJA_DIRECTION_LEFT_TO_RIGHT;
    bool is_first = !goes_on;
    for (const munja::Word word : line.words()) {
      const double gap =
          is_level && characters > 0 && width > 0
              ? (word.box().left - before.right) * characters / width
              : 1;
      constexpr double kMost = 1000;
      if (!is_first)
        out.append(
            static_cast<size_t>(std::lround(std::clamp(gap, 1.0, kMost))), ' ');
      is_first = false;
      out += word.text();
      before = word.box();
    }
    previous = line;
  }
  if (previous) out += '\n';
  return out;
}

// `text` without the characters of `others`, both UTF-8.
std::string Without(const std::string& text, const std::string& others) {
  std::string left;
  for (size_t begin = 0, end; begin < text.size(); begin = end) {
    for (end = begin + 1; end < text.size() && (text[end] & 0xC0) == 0x80;)
      ++end;
    const std::string c = text.substr(begin, end - begin);
    if (others.find(c) == std::string::npos) left += c;
  }
  return left;
}

munja::EngineOptions EngineOptionsOf(const Arguments& a) {
  munja::EngineOptions options;
  // As callers that run several at once ask of Tesseract.
  if (const char* const limit = std::getenv("OMP_THREAD_LIMIT"))
    options.threads = std::clamp(std::atoi(limit), 0, 64);
  options.allowed_characters = ValueOf(a, "tessedit_char_whitelist");
  // Words stay apart, as in Tesseract.
  if (!options.allowed_characters.empty()) options.allowed_characters += ' ';
  options.denied_characters = Without(ValueOf(a, "tessedit_char_blacklist"),
                                      ValueOf(a, "tessedit_char_unblacklist"));
  if (!IsSet(a, "load_system_dawg") || !IsSet(a, "load_freq_dawg"))
    options.settings = R"({"recognizer": {"language_weight": 0}})";
  options.words = a.user_words;
  if (!options.words.empty() && !(options.allowed_characters.empty() &&
                                  options.denied_characters.empty()))
    std::fputs(
        "Warning, user words have no effect beside a white or black "
        "list of characters\n",
        stderr);
  return options;
}

int64_t MaxPixels(const Arguments& a) {
  const char* const given = std::getenv("MUNJA_MAX_PIXELS");
  const bool is_set = a.variables.count("munja_max_pixels") > 0;
  return std::max(std::atoll(given != nullptr && !is_set
                                 ? given
                                 : ValueOf(a, "munja_max_pixels").c_str()),
                  1LL);
}

munja::Image Decode(const Arguments& a, std::span<const uint8_t> bytes,
                    int picture) {
  munja::Result<munja::Image> image = munja::Image::Decode(
      bytes, {.max_pixels = MaxPixels(a), .picture = picture});
  if (!image.ok() && image.code() == MUNJA_OUT_OF_MEMORY)
    throw std::runtime_error(
        image.message() +
        " (-c munja_max_pixels=N or $MUNJA_MAX_PIXELS allow more)");
  return std::move(image).value();
}

const char* FormatOf(const Arguments& a, const std::string& extension) {
  if (extension == "xml") return "alto";
  if (extension == "page.xml") return "page";
  if (extension == "pdf" && IsSet(a, "textonly_pdf")) return "pdf_text";
  return extension.c_str();
}

int Read(const Arguments& a) {
  const std::optional<std::string> languages = LanguageCodes(a.languages);
  if (!languages) return 1;
  const std::vector<std::string> outputs = Outputs(a);
  Image first;
  if (!Load(a.image, &first)) {
    std::fprintf(stderr, "Error, cannot read input file %s\n", a.image.c_str());
    return 1;
  }
  std::vector<std::string> names = {a.image};
  const bool is_list = IsList(first);
  if (is_list) names = NamesIn(first);
  if (names.empty()) {
    std::fprintf(stderr, "Error, the list %s is empty\n", a.image.c_str());
    return 1;
  }
  munja::EngineOptions options = EngineOptionsOf(a);
  options.languages = *languages;
  munja::Engine engine(options);
  // -1: all.
  const int only = std::atoi(ValueOf(a, "tessedit_page_number").c_str());
  const std::string separator = ValueOf(a, "page_separator");

  std::map<std::string, munja::Writer> writers;
  std::string boxes, text;
  for (const std::string& output : outputs)
    if (output != "box" && output != "txt")
      writers.emplace(output,
                      munja::Writer::Create(FormatOf(a, output)).value());
  int page = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    if (is_list && only >= 0 && static_cast<size_t>(only) != i) continue;
    Image image;
    if (!is_list) {
      image = first;
    } else if (!Load(names[i], &image)) {
      std::fprintf(stderr, "Error, cannot read input file %s\n",
                   names[i].c_str());
      return 1;
    } else {
      std::fprintf(stderr, "Page %zu : %s\n", i, names[i].c_str());
    }
    const std::span<const uint8_t> bytes(
        reinterpret_cast<const uint8_t*>(image.bytes.data()),
        image.bytes.size());
    // Only the first picture of an animation is read, as by Tesseract.
    const bool is_tiff =
        image.bytes.starts_with("II") || image.bytes.starts_with("MM");
    const int pictures = is_tiff ? munja::Image::Count(bytes).value() : 1;
    for (int picture = 0; picture < pictures; ++picture) {
      if (!is_list && only >= 0 && only != picture) continue;
      if (pictures > 1) std::fprintf(stderr, "Page %d\n", picture + 1);
      const munja::Image pixels = Decode(a, bytes, picture);
      // One line, one word, one character.
      const bool is_line =
          a.psm == 7 || a.psm == 8 || a.psm == 10 || a.psm == 13;
      const munja::Page document =
          (is_line ? engine.ReadLine(pixels) : engine.Read(pixels)).value();
      if (a.psm == 0) return ReportOrientation(a, document, page);
      if (a.psm == 2) return ReportSkew(document);
      for (auto& [output, writer] : writers)
        munja::Check(writer.Add(document, {.source = image.name,
                                           .image = &pixels,
                                           .file = bytes,
                                           .dpi = a.dpi}));
      boxes += Boxes(document, page);
      text += IsSet(a, "preserve_interword_spaces") ? SpacedText(document)
                                                    : document.ToText();
      text += separator;
      ++page;
    }
  }
  if (page == 0) {
    std::fprintf(stderr, "Error, %s has no page %d\n", a.image.c_str(), only);
    return 1;
  }
  bool is_written = true;
  for (const std::string& output : outputs) {
    std::string bytes = output == "box" ? boxes : text;
    if (output != "box" && output != "txt") {
      munja::Writer& writer = writers.at(output);
      munja::Check(writer.Finish());
      bytes = writer.Take().value();
    }
    is_written = WriteAll(a, output, bytes) && is_written;
  }
  return is_written ? 0 : 1;
}

int Main(const std::vector<std::string>& words) {
  Arguments a;
  const std::string wrong = Parse(words, &a);
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    return 1;
  }
  switch (a.action) {
    case Arguments::kVersion:
      std::printf("%s\n munja %s\n", kVersion, munja::Version().c_str());
      return 0;
    case Arguments::kLanguages:
      return PrintLanguages();
    case Arguments::kParameters:
      std::printf("Tesseract parameters:\n%s", Parameters().c_str());
      return 0;
    case Arguments::kHelp:
      PrintUsage(stdout);
      return 0;
    case Arguments::kIncomplete:
      PrintUsage(stderr);
      return 1;
    case Arguments::kRead:
      break;
  }
  std::vector<std::string> messages;
  const std::string unsupported = Configure(&a, &messages);
  for (const std::string& message : messages)
    std::fprintf(stderr, "%s\n", message.c_str());
  if (!unsupported.empty()) {
    std::fprintf(stderr, "%s\n", unsupported.c_str());
    return 1;
  }
  const int code = Read(a);
  return std::fflush(stdout) == 0 ? code : 1;
}

}  // namespace
}  // namespace munja::tesseract

int main(int argc, char** argv) {
  try {
    return munja::tesseract::Main({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
