#include "cli/pages.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "cli/engine.h"
#include "cli/inputs.h"
#include "cli/limits.h"
#include "cli/streams.h"

namespace munja::cli {
namespace {

bool IsPdf(std::span<const uint8_t> bytes) {
  constexpr std::string_view kHead = "%PDF-";
  return std::ranges::equal(bytes.first(std::min(bytes.size(), kHead.size())),
                            kHead);
}

}  // namespace

FileOutcome ReadPages(munja::Engine& engine, const std::string& file,
                      const PageArguments& a, const std::string& dump_directory,
                      const std::function<int(const ReadPage&)>& use) {
  FileOutcome outcome;
  InputBytes input;
  outcome.first_failure = input.Read(file);
  if (outcome.first_failure != kSuccess) return outcome;
  const std::span<const uint8_t> bytes = input.bytes();
  const int count = PicturesIn(bytes, a.all_frames);
  const auto read = [&](int index) -> int {
    const std::string number = std::to_string(index + 1);
    const std::string part = count > 1 ? "#page=" + number : "";
    const std::string name = DisplayName(file) + part;
    const munja::Result<munja::Image> image =
        munja::Image::Decode(bytes, Decoding(a.threads, index));
    if (!image.ok()) return Fail(image.error(), Subject::kInput, name);
    munja::ReadOptions options = {.min_confidence = a.min_confidence,
                                  .dump_directory = dump_directory};
    if (!dump_directory.empty() && count > 1)
      options.dump_directory += "/page-" + number;
    const munja::Result<munja::Page> page =
        a.is_line ? engine.ReadLine(*image, options)
                  : engine.Read(*image, options);
    if (!page.ok()) return FailRead(page.error(), name);
    ReadPage result = {name, index, count, *image, *page, {}};
    result.options.source = file + part;
    result.options.image = &*image;
    // The file is that of the first of its images, a PDF file that of all.
    result.options.keep_pdf = IsPdf(bytes);
    if (index == 0 || result.options.keep_pdf) result.options.file = bytes;
    return use(result);
  };
  for (int i = 0; i < count; ++i) {
    const int code = read(i);
    input.Release();
    if (code == kSuccess) ++outcome.pages;
    if (outcome.first_failure == kSuccess) outcome.first_failure = code;
    const bool is_cancelled =
        code == kUnavailable && CheckLimits().code() == MUNJA_CANCELLED;
    if (code == kCannotWrite || is_cancelled) break;
  }
  return outcome;
}

}  // namespace munja::cli
