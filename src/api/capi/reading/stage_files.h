// StageFiles: writes what passes between the stages to a folder.
#ifndef MUNJA_CAPI_READING_STAGE_FILES_H_
#define MUNJA_CAPI_READING_STAGE_FILES_H_

#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "reading/stage_sink.h"

namespace munja::capi {

// 1-input.png, 2-text-map.png, 3-boxes.png, 4-line-001.png ...
class StageFiles : public ocr::StageSink {
 public:
  // Makes the folder. kIo.
  static Result<std::unique_ptr<StageFiles>> Create(const std::string& folder);

  Status OnInput(const image::ImageView& input) override;
  Status OnProbabilityMap(const ocr::ProbabilityMap& map) override;
  Status OnBoxes(const image::ImageView& page,
                 std::span<const ocr::TextBox> boxes) override;
  Status OnLines(std::span<const ocr::PageLine> lines) override;

 private:
  explicit StageFiles(std::string folder) : folder_(std::move(folder)) {}
  std::string folder_;
};

// A copy of the page with the quads drawn over it.
Result<image::Image> DrawQuads(const image::ImageView& page,
                               std::span<const geometry::Quad> quads);

}  // namespace munja::capi

#endif  // MUNJA_CAPI_READING_STAGE_FILES_H_
