// PDF: pages drawn by the programs of poppler-utils, when they are installed,
// each in a process of its own: what hostile files do to them ends there.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
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
#include "image/codecs/pdf_listing.h"

namespace munja::image::codecs::pdf {
namespace {

// Default resolution for pages that are not scans.
constexpr double kUsualDpi = 200;
// The header stands within so many bytes.
constexpr size_t kHeader = 1024;
// Limit of the programs' output about a file and a page.
constexpr size_t kMostText = 4 << 20;

#ifndef MUNJA_NO_PDF
std::string_view FirstLine(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

std::string NotInstalled(const std::string& program) {
  return "pages are drawn by " + program +
         " of poppler-utils, which is not installed";
}
#endif

// The programs try it as the owner's and as the user's.
std::vector<std::string> PasswordOptions() {
  const std::string password = Environment("MUNJA_PDF_PASSWORD");
  if (password.empty()) return {};
  return {"-opw", password, "-upw", password};
}

// Returns the output of one of the programs for the file, which is named before
// the `last` of its arguments; its complaints in our own words.
Result<std::vector<uint8_t>> Ask(std::vector<std::string> command, Bytes bytes,
                                 size_t most,
                                 const std::vector<std::string>& last = {}) {
#ifdef MUNJA_NO_PDF
  (void)command, (void)bytes, (void)most, (void)last;
  return Available();
#else
  const std::vector<std::string> password = PasswordOptions();
  command.insert(command.end(), password.begin(), password.end());
  command.push_back("/dev/stdin");
  command.insert(command.end(), last.begin(), last.end());
  Result<ChildResult> ran = RunChild(command, bytes, most);
  if (!ran.ok()) {
    if (ran.status().code() != Code::kNotFound)
      return std::move(ran).TakeStatus();
    return Unsupported(NotInstalled(command[0]));
  }
  const std::string& said = ran->errors;
  if (said.find("Incorrect password") != std::string::npos)
    return Unsupported(
        password.empty()
            ? "the file is encrypted: MUNJA_PDF_PASSWORD must be its password"
            : "the file is encrypted, and not with the password in "
              "MUNJA_PDF_PASSWORD");
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

// How many points the unit of the file's pages is, which poppler does not know:
// 1 unless every page states the same where it can be seen, which is not in
// compressed objects.
double UserUnitOf(Bytes bytes, int pages) {
  constexpr std::string_view kKey = "/UserUnit";
  constexpr double kMost = 75'000;  // ISO 32000's for the size of a page.
  const std::string_view file(reinterpret_cast<const char*>(bytes.data()),
                              bytes.size());
  double unit = 1;
  int found = 0;
  for (size_t at = file.find(kKey); at != file.npos;
       at = file.find(kKey, at + 1)) {
    std::istringstream text(
        std::string(file.substr(at + kKey.size(), size_t{16})));
    text.imbue(std::locale::classic());
    double value = 0;
    if (!(text >> value) || !(value > 0 && value <= kMost)) return 1;
    if (found++ > 0 && value != unit) return 1;
    unit = value;
  }
  return found == pages ? unit : 1;
}

std::string_view Text(const std::vector<uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<PdfPage> Describe(Bytes bytes, int number) {
  const std::string n = std::to_string(number);
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> said,
                         Ask({"pdfinfo", "-f", n, "-l", n}, bytes, kMostText));
  MUNJA_ASSIGN_OR_RETURN(const PdfPage page, ReadPdfInfo(Text(said)));
  if (page.width > 0) return page;
  return Malformed("page " + n + " has no size");
}

Result<PdfScan> FindScan(Bytes bytes, int number, const PdfPage& page) {
  const std::string n = std::to_string(number);
  MUNJA_ASSIGN_OR_RETURN(
      const std::vector<uint8_t> said,
      Ask({"pdfimages", "-list", "-f", n, "-l", n}, bytes, kMostText));
  return ReadPdfPictures(Text(said), page);
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

// Whether both show the same: what is drawn may lie a pixel beside the image
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

// The pixels of the page's only image, as the page shows it; none where it is
// turned there, or something lies over it.
std::optional<Image> TakeScan(Bytes bytes, int number, const Image& drawn) {
  const TemporaryFolder folder;
  if (folder.path().empty()) return std::nullopt;
  const std::string n = std::to_string(number);
  std::vector<std::string> command = {"pdfimages", "-f", n, "-l", n};
  const std::vector<std::string> password = PasswordOptions();
  command.insert(command.end(), password.begin(), password.end());
  command.insert(command.end(), {"/dev/stdin", folder.path() + "/p"});
  const auto ran = RunChild(command, bytes, kMostText);
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
  const Result<PdfPage> page = Describe(bytes, 1);
  return page.ok() ? page->pages : 0;
}

Result<Image> Decode(Bytes bytes, const DecodeLimits& limits) {
  const int number = limits.picture + 1;
  MUNJA_ASSIGN_OR_RETURN(const PdfPage page, Describe(bytes, number));
  PdfScan scan;
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
  // Larger pages cannot be written without a unit of their own.
  constexpr double kMostPoints = 14'400;
  double unit = UserUnitOf(bytes, page.pages);
  if (unit * std::max(page.width, page.height) > kMostPoints) unit = 1;
  if (is_turned)
    image.SetPaper(unit * page.height, unit * page.width);
  else
    image.SetPaper(unit * page.width, unit * page.height);
  image.SetPage(limits.picture);
  return image;
}

Result<std::vector<WordPlace>> Words(Bytes bytes, int page) {
  constexpr size_t kMostWords = 64 << 20;  // About 100 bytes a word.
  const std::string n = std::to_string(page + 1);
  MUNJA_ASSIGN_OR_RETURN(
      const std::vector<uint8_t> said,
      Ask({"pdftotext", "-bbox", "-cropbox", "-f", n, "-l", n}, bytes,
          kMostWords, {"-"}));
  return ReadPdfWords(Text(said));
}

Status Available() {
#ifdef MUNJA_NO_PDF
  return Unsupported("this build of the library reads no PDF files");
#else
  for (const char* program : {"pdfinfo", "pdfimages", "pdftoppm"})
    if (!RunChild({program, "-v"}, {}, kMostText).ok())
      return Unavailable(NotInstalled(program));
  return Status();
#endif
}

}  // namespace munja::image::codecs::pdf
