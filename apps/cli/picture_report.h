// Pictures with what was read in them, as a page of HTML that needs nothing
// else: boxes over the picture, the text beside it, the time of each stage.
#ifndef MUNJA_CLI_PICTURE_REPORT_H_
#define MUNJA_CLI_PICTURE_REPORT_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "munja/munja.hpp"

namespace munja::cli {

class PictureReport {
 public:
  // `title` is the page's headline.
  explicit PictureReport(const std::string& title);

  // A picture and what was read in it. `file` is embedded as it is where
  // browsers show its format, else `image`, made smaller.
  void AddRead(const std::string& name, std::span<const uint8_t> file,
               const munja::Image& image, const munja::Page& page);
  // The same beside labels: `lines` is what munja::Evaluation::Compare()
  // returns. Lines that are not right come with their part of the picture.
  // `page` may be null.
  void AddCompared(const std::string& path, const munja::Image& image,
                   const munja::Page* page,
                   const nlohmann::ordered_json& lines);
  // A table of figures, at the head of the page: before the first Take().
  void SetFigures(const nlohmann::ordered_json& figures);

  // The bytes since the last call, so that memory holds one picture.
  std::string Take();
  // The end of the page, after Take(); alone, the whole page.
  std::string Finish();

 private:
  void Begin(const std::string& name, std::string_view file,
             const munja::Image& image);
  void AddTimes(const munja::Page& page);

  std::string title_, figures_, body_;
  bool is_begun_ = false;  // The head has been taken.
  int64_t pictures_ = 0, wrong_ = 0;
};

}  // namespace munja::cli

#endif  // MUNJA_CLI_PICTURE_REPORT_H_
