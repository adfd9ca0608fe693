#include "image/codecs/pdf_listing.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace munja::image::codecs::pdf {
namespace {

using namespace std::string_view_literals;

// Resolutions of scans, which are rendered pixel by pixel.
constexpr double kLeastDpi = 50, kMostDpi = 1200;
// The part of a page's width and height that its only image covers at least.
constexpr double kCovered = 0.9;

// Takes the first line off.
std::string_view TakeLine(std::string_view* text) {
  const size_t end = text->find('\n');
  const std::string_view line = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  return line;
}

std::istringstream Stream(std::string_view text) {
  std::istringstream in{std::string(text)};
  in.imbue(std::locale::classic());
  return in;
}

constexpr std::string_view kPages = "Pages:";

bool IsSize(double value) { return value > 0 && std::isfinite(value); }

}  // namespace

Result<PdfPage> ReadPdfInfo(std::string_view said) {
  PdfPage page;
  // The last such line: before it stand title and author, which come from the
  // file and may have lines that look like this.
  for (std::string_view rest = said; !rest.empty();) {
    const std::string_view line = TakeLine(&rest);
    if (!line.starts_with(kPages)) continue;
    std::istringstream in = Stream(line.substr(kPages.size()));
    double pages = 0;
    in >> pages;
    page.pages = 0;
    if (pages >= 1 && pages <= std::numeric_limits<int>::max())
      page.pages = static_cast<int>(pages);
    said = rest;
  }
  if (page.pages < 1) return Malformed("the file has no pages");
  // "Page    1 size:  595.44 x 842.04 pts (A4)"
  while (!said.empty()) {
    const std::string_view line = TakeLine(&said);
    const size_t size = line.find(" size:");
    if (!line.starts_with("Page ") || size == std::string_view::npos) continue;
    std::istringstream in = Stream(line.substr(size + " size:"sv.size()));
    char x = 0;
    double width = 0, height = 0;
    if (!(in >> width >> x >> height)) width = 0;
    const bool is_size = IsSize(width) && IsSize(height);
    page.width = is_size ? width : 0;
    page.height = is_size ? height : 0;
  }
  return page;
}

PdfScan ReadPdfPictures(std::string_view said, const PdfPage& page) {
  PdfScan scan;
  for (int row = 0; !said.empty(); ++row) {
    const std::string_view line = TakeLine(&said);
    constexpr int kHeadRows = 2;
    if (row < kHeadRows) continue;
    // page num type width height color comp bpc enc interp object ID x-ppi
    // y-ppi size ratio
    std::istringstream in = Stream(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    constexpr size_t kType = 2, kWidth = 3, kHeight = 4, kXDpi = 12, kYDpi = 13;
    if (words.size() <= kYDpi) return {};
    if (words[kType] == "smask" || words[kType] == "mask") {
      scan.has_masks = true;
      continue;
    }
    if (words[kType] != "image" || scan.dpi > 0) return {};
    const auto number_at = [&](size_t i) {
      double value = 0;
      std::from_chars(words[i].data(), words[i].data() + words[i].size(),
                      value);
      return value;
    };
    const double x = number_at(kXDpi), y = number_at(kYDpi);
    if (!(x >= kLeastDpi && x <= kMostDpi && std::abs(x - y) <= 1)) return {};
    double width = number_at(kWidth), height = number_at(kHeight);
    // The sizes of a page that is shown turned are those of the paper.
    if ((width > height) != (page.width > page.height))
      std::swap(width, height);
    // Listed values are rounded: an image as large as the page is more exact.
    const double whole = width / page.width * kPointsPerInch;
    const double other = height / page.height * kPointsPerInch;
    scan.dpi = x;
    if (std::abs(whole - x) <= 1 && std::abs(other - y) <= 1) {
      // A little less, as parts of pixels are drawn whole.
      constexpr double kLess = 1 - 1e-5;
      scan.dpi = std::min(whole, other) * kLess;
    }
    if (!(whole >= kCovered * scan.dpi && other >= kCovered * scan.dpi))
      return {};
  }
  return scan;
}

std::vector<WordPlace> ReadPdfWords(std::string_view said) {
  std::vector<WordPlace> words;
  while (!said.empty()) {
    // <word xMin="90.000" yMin="302.768" xMax="132.672"
    // yMax="324.968">Rye</word>
    std::string_view line = TakeLine(&said);
    const size_t begin = line.find("<word ");
    if (begin == line.npos) continue;
    line = line.substr(begin, line.find('>', begin) - begin);
    const auto side = [&](std::string_view name, double* value) {
      const size_t at = line.find(name);
      if (at == line.npos) return false;
      std::istringstream in = Stream(line.substr(at + name.size()));
      return static_cast<bool>(in >> *value) && std::isfinite(*value);
    };
    WordPlace word;
    if (side("xMin=\"", &word.left) && side("yMin=\"", &word.top) &&
        side("xMax=\"", &word.right) && side("yMax=\"", &word.bottom))
      words.push_back(word);
  }
  return words;
}

}  // namespace munja::image::codecs::pdf
