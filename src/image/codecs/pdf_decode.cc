// PDF: pages drawn by the programs of poppler-utils, when they are installed,
// each in a process of its own: what hostile files do to them ends there.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/child.h"
#include "base/environment.h"
#include "base/folder.h"
#include "base/log.h"
#include "image/codecs/codec.h"

namespace munja::image::codecs::pdf {
namespace {

using namespace std::string_view_literals;

constexpr double kPointsPerInch = 72;
// Where nobody says otherwise and the page is no scan.
constexpr double kUsualDpi = 200;
// Of scans, which are drawn pixel by pixel.
constexpr double kLeastDpi = 50, kMostDpi = 1200;
// The part of a page's width and height that its only picture covers at least.
constexpr double kCovered = 0.9;
// The header stands within so many bytes.
constexpr size_t kHeader = 1024;
// What the programs say about a file and a page.
constexpr size_t kMostText = 4 << 20;

struct Page {
  int of = 0;                    // Pages in the file.
  double width = 0, height = 0;  // Points.
};

std::string_view FirstLine(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

// The number behind a name at the start of a line of text.
std::optional<double> NumberBehind(std::string_view text,
                                   std::string_view name) {
  for (size_t at = 0; at < text.size();) {
    const std::string_view line = FirstLine(text.substr(at));
    at += line.size() + 1;
    if (!line.starts_with(name)) continue;
    std::istringstream in{std::string(line.substr(name.size()))};
    in.imbue(std::locale::classic());
    double value = 0;
    if (in >> value) return value;
  }
  return std::nullopt;
}

// What one of the programs wrote about the file; its complaints in words of
// ours.
Result<std::vector<uint8_t>> Ask(std::vector<std::string> command, Bytes bytes,
                                 size_t most) {
#ifdef MUNJA_NO_PDF
  (void)command, (void)bytes, (void)most;
  return Unsupported("this build of the library reads no PDF files");
#else
  command.push_back("/dev/stdin");
  Result<ChildResult> ran = RunChild(command, bytes, most);
  if (!ran.ok()) {
    if (ran.status().code() != Code::kNotFound)
      return std::move(ran).TakeStatus();
    return Unsupported("pages are drawn by " + command[0] +
                       " of poppler-utils, which is not installed");
  }
  const std::string& said = ran->errors;
  if (said.find("Incorrect password") != std::string::npos)
    return Unsupported("the file is encrypted with a password");
  if (said.find("Invalid page count") != std::string::npos ||
      said.find("Wrong page range") != std::string::npos)
    return Malformed("the file has no pages");
  if (ran->exit_code > 128)
    return Malformed(command[0] + " was ended by signal " +
                     std::to_string(ran->exit_code - 128));
  if (ran->exit_code != 0)
    return Malformed("damaged: " + std::string(FirstLine(said)));
  if (!said.empty())
    Log(Severity::kInfo, "pdf: " + std::string(FirstLine(said)));
  return std::move(ran->output);
#endif
}

std::string_view Text(const std::vector<uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<Page> Describe(Bytes bytes, int number) {
  const std::string n = std::to_string(number);
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> said,
                         Ask({"pdfinfo", "-f", n, "-l", n}, bytes, kMostText));
  const std::string_view text = Text(said);
  Page page;
  page.of = static_cast<int>(NumberBehind(text, "Pages:").value_or(0));
  if (page.of < 1) return Malformed("the file has no pages");
  // "Page    1 size:  595.44 x 842.04 pts (A4)"
  for (size_t at = 0; at < text.size();) {
    const std::string_view line = FirstLine(text.substr(at));
    at += line.size() + 1;
    const size_t size = line.find(" size:");
    if (!line.starts_with("Page ") || size == std::string_view::npos) continue;
    std::istringstream in{std::string(line.substr(size + " size:"sv.size()))};
    in.imbue(std::locale::classic());
    char x = 0;
    in >> page.width >> x >> page.height;
  }
  if (!(page.width > 0 && page.height > 0))
    return Malformed("page " + n + " has no size");
  return page;
}

// The picture that is all there is on a page, or nearly so.
struct Scan {
  double dpi = 0;  // At this one a pixel is drawn for each of its. 0: no scan.
  bool has_masks = false;
};

Result<Scan> FindScan(Bytes bytes, int number, const Page& page) {
  const std::string n = std::to_string(number);
  MUNJA_ASSIGN_OR_RETURN(
      const std::vector<uint8_t> said,
      Ask({"pdfimages", "-list", "-f", n, "-l", n}, bytes, kMostText));
  std::istringstream lines{std::string(Text(said))};
  std::string line;
  Scan scan;
  for (int row = 0; std::getline(lines, line); ++row) {
    constexpr int kHeadRows = 2;
    if (row < kHeadRows) continue;
    // page num type width height color comp bpc enc interp object ID x-ppi
    // y-ppi size ratio
    std::istringstream in(line);
    in.imbue(std::locale::classic());
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    constexpr size_t kType = 2, kWidth = 3, kHeight = 4, kXDpi = 12, kYDpi = 13;
    if (words.size() <= kYDpi) return Scan();
    if (words[kType] == "smask" || words[kType] == "mask") {
      scan.has_masks = true;
      continue;
    }
    if (words[kType] != "image" || scan.dpi > 0) return Scan();
    const auto number_at = [&](size_t i) {
      double value = 0;
      std::from_chars(words[i].data(), words[i].data() + words[i].size(),
                      value);
      return value;
    };
    const double x = number_at(kXDpi), y = number_at(kYDpi);
    if (!(x >= kLeastDpi && x <= kMostDpi && std::abs(x - y) <= 1))
      return Scan();
    double width = number_at(kWidth), height = number_at(kHeight);
    // The sizes of a page that is shown turned are those of the paper.
    if ((width > height) != (page.width > page.height))
      std::swap(width, height);
    // What is listed is rounded: a picture as large as the page says it better.
    const double whole = width / page.width * kPointsPerInch;
    const double other = height / page.height * kPointsPerInch;
    scan.dpi = x;
    if (std::abs(whole - x) <= 1 && std::abs(other - y) <= 1) {
      // A little less, as parts of pixels are drawn whole.
      constexpr double kLess = 1 - 1e-5;
      scan.dpi = std::min(whole, other) * kLess;
    }
    if (whole < kCovered * scan.dpi || other < kCovered * scan.dpi)
      return Scan();
  }
  return scan;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    path_ = Environment("TMPDIR");
    if (path_.empty()) path_ = "/tmp";
    path_ += "/munja-pdf-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~TemporaryFolder() {
    if (path_.empty()) return;
    if (const auto names = NamesIn(path_); names.ok())
      for (const std::string& name : *names)
        unlink((path_ + "/" + name).c_str());
    rmdir(path_.c_str());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }  // Empty: there is none.

 private:
  std::string path_;
};

// Whether both show the same: what is drawn may lie a pixel beside the picture
// that it is drawn from, but has no mark of its own on it.
bool ShowTheSame(const Image& a, const Image& b) {
  // In blocks of pixels, which differ by what a shift makes and not by more.
  constexpr int kBlock = 16;
  constexpr int kMostDifference = 24;
  if (a.width() != b.width() || a.height() != b.height()) return false;
  for (int y = 0; y < a.height(); y += kBlock) {
    const int rows = std::min(kBlock, a.height() - y);
    for (int x = 0; x < a.width(); x += kBlock) {
      const int bytes = 3 * std::min(kBlock, a.width() - x);
      int difference = 0;
      for (int row = y; row < y + rows; ++row) {
        const uint8_t* const p = a.row(row) + 3 * x;
        const uint8_t* const q = b.row(row) + 3 * x;
        for (int i = 0; i < bytes; ++i) difference += p[i] - q[i];
      }
      if (std::abs(difference) > kMostDifference * rows * bytes) return false;
    }
  }
  return true;
}

// The pixels of the page's only picture, as the page shows it; none where it is
// turned there, or something lies over it.
std::optional<Image> TakeScan(Bytes bytes, int number, const Image& drawn) {
  const TemporaryFolder folder;
  if (folder.path().empty()) return std::nullopt;
  const std::string n = std::to_string(number);
  const auto ran = RunChild(
      {"pdfimages", "-f", n, "-l", n, "/dev/stdin", folder.path() + "/p"},
      bytes, kMostText);
  if (!ran.ok() || ran->exit_code != 0) return std::nullopt;
  const auto names = NamesIn(folder.path());
  if (!names.ok() || names->size() != 1) return std::nullopt;
  DecodeLimits limits;
  limits.max_pixels = int64_t{drawn.width()} * drawn.height();
  Result<Image> image = DecodeFile(folder.path() + "/" + (*names)[0], limits);
  if (!image.ok() || !ShowTheSame(*image, drawn)) return std::nullopt;
  return std::move(image).value();
}

}  // namespace

bool Sniff(Bytes bytes) {
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()),
                              std::min(bytes.size(), kHeader));
  return head.find("%PDF-") != std::string_view::npos;
}

int Count(Bytes bytes) {
  const Result<Page> page = Describe(bytes, 1);
  return page.ok() ? page->of : 0;
}

Result<Image> Decode(Bytes bytes, const DecodeLimits& limits) {
  const int number = limits.picture + 1;
  MUNJA_ASSIGN_OR_RETURN(const Page page, Describe(bytes, number));
  Scan scan;
  if (limits.dpi <= 0) {
    MUNJA_ASSIGN_OR_RETURN(scan, FindScan(bytes, number, page));
  }
  const double dpi = limits.dpi > 0 ? limits.dpi
                     : scan.dpi > 0 ? scan.dpi
                                    : kUsualDpi;
  const auto pixels = [&](double points) {
    const double count = std::ceil(points / kPointsPerInch * dpi);
    return static_cast<int64_t>(std::min(count, 1e9));
  };
  const int64_t width = pixels(page.width), height = pixels(page.height);
  MUNJA_RETURN_IF_ERROR(CheckSize(width, height, limits));
  const std::string n = std::to_string(number);
  std::ostringstream resolution;
  resolution.imbue(std::locale::classic());
  resolution.precision(12);
  resolution << dpi;
  // Sizes are rounded there in another way, perhaps.
  const auto most = static_cast<size_t>(3 * (width + 2) * (height + 2) + 64);
  MUNJA_ASSIGN_OR_RETURN(
      const std::vector<uint8_t> drawn,
      Ask({"pdftoppm", "-r", resolution.str(), "-cropbox", "-f", n, "-l", n},
          bytes, most));
  DecodeLimits first = limits;
  first.picture = 0;
  MUNJA_ASSIGN_OR_RETURN(Image image,
                         pnm::Decode(drawn, first).With("page " + n));
  if (scan.dpi > 0 && !scan.has_masks)
    if (auto taken = TakeScan(bytes, number, image)) image = std::move(*taken);
  // The sizes of a page that is shown turned are those of the paper.
  const bool is_turned =
      (image.width() > image.height()) != (page.width > page.height);
  if (is_turned)
    image.SetPaper(page.height, page.width);
  else
    image.SetPaper(page.width, page.height);
  return image;
}

}  // namespace munja::image::codecs::pdf
