#include "train/detector_evaluation.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "image/decode.h"
#include "image/resize.h"
#include "reading/find/boxes.h"
#include "reading/find/detector.h"
#include "reading/network/config.h"

namespace munja::train {
namespace {

ocr::DetectorConfig EvaluationContract() {
  ocr::DetectorConfig contract;
  contract.limit_side = kEvaluationSide;
  contract.threshold = 0.3f;
  contract.box_threshold = 0.5f;
  contract.unclip_ratio = 1.5f;
  return contract;
}

// 1 x 3 x H x W; mid-gray around the page.
torch::Tensor Input(const image::Image& page, const ocr::DetectorInput& plan,
                    torch::Device device) {
  torch::Tensor pixels = torch::zeros({plan.height, plan.width, 3});
  float* data = pixels.data_ptr<float>();
  for (int y = 0; y < page.height(); ++y) {
    float* out = data + 3 * (static_cast<size_t>(y + plan.top) * plan.width +
                             static_cast<size_t>(plan.left));
    const uint8_t* in = page.row(y);
    for (int i = 0; i < 3 * page.width(); ++i)
      out[i] = static_cast<float>(in[i]) / 127.5f - 1;
  }
  return pixels.permute({2, 0, 1}).unsqueeze(0).to(device);
}

// Makes the picture small enough and moves the outlines with it.
Status Shrink(LabeledPage& page) {
  const ocr::DetectorInput plan = ocr::PlanDetectorInput(
      page.picture.width(), page.picture.height(), EvaluationContract());
  if (plan.scaled_width == page.picture.width()) return Status();
  const double x =
      static_cast<double>(plan.scaled_width) / page.picture.width();
  const double y =
      static_cast<double>(plan.scaled_height) / page.picture.height();
  MUNJA_ASSIGN_OR_RETURN(
      image::Image smaller,
      image::Image::Create(plan.scaled_width, plan.scaled_height));
  MUNJA_RETURN_IF_ERROR(image::Resize(page.picture.view(), smaller));
  page.picture = std::move(smaller);
  for (document::LabeledLine& line : page.label.lines) {
    for (geometry::PointD& p : line.polygon) {
      p.x *= x;
      p.y *= y;
    }
  }
  return Status();
}

}  // namespace

Result<PageSet> HeldOutPages(const PageFeeder::Maker& maker, int count) {
  PageSet set;
  set.name = "held-out";
  for (int i = 0; i < count; ++i) {
    MUNJA_ASSIGN_OR_RETURN(PageSample sample, maker(static_cast<uint64_t>(i)));
    LabeledPage page;
    page.picture = std::move(sample.picture);
    for (const PageLine& line : sample.lines) {
      document::LabeledLine& label = page.label.lines.emplace_back();
      label.text = line.text;
      label.is_ignored = line.ignore;
      for (const geometry::Point& p : line.outline)
        label.polygon.push_back({p.x, p.y});
    }
    MUNJA_RETURN_IF_ERROR(Shrink(page));
    set.pages.push_back(std::move(page));
  }
  return set;
}

Result<PageSet> LabeledPages(const std::string& labels_path) {
  MUNJA_ASSIGN_OR_RETURN(document::LabelSet labels,
                         document::ReadLabels(labels_path));
  const std::filesystem::path path(labels_path);
  const std::filesystem::path root =
      std::filesystem::absolute(path).parent_path().parent_path();
  PageSet set;
  set.name = path.stem().string();
  for (document::LabeledImage& label : labels) {
    const bool outlined =
        std::any_of(label.lines.begin(), label.lines.end(),
                    [](const auto& line) { return !line.polygon.empty(); });
    if (label.is_crop || !outlined) continue;
    LabeledPage page;
    MUNJA_ASSIGN_OR_RETURN(page.picture,
                           image::DecodeFile((root / label.image).string()));
    page.label = std::move(label);
    MUNJA_RETURN_IF_ERROR(Shrink(page));
    set.pages.push_back(std::move(page));
  }
  if (set.pages.empty())
    return Malformed(labels_path + " has no outlines of lines");
  return set;
}

Result<document::Figures> EvaluatePages(DetectorNet& net, torch::Device device,
                                        const PageSet& set) {
  torch::NoGradGuard no_gradients;
  const ocr::DetectorConfig contract = EvaluationContract();
  document::Score score;
  for (const LabeledPage& page : set.pages) {
    const int width = page.picture.width(), height = page.picture.height();
    const ocr::DetectorInput plan =
        ocr::PlanDetectorInput(width, height, contract);
    const torch::Tensor map =
        torch::sigmoid(net->forward(Input(page.picture, plan, device))
                           .probability.to(torch::kFloat32))
            .to(torch::kCPU)
            .contiguous();
    ocr::ProbabilityMap text_map;
    text_map.values = {map.data_ptr<float>(), static_cast<size_t>(map.numel())};
    text_map.width = plan.width;
    text_map.height = plan.height;
    text_map.placement.offset_x = static_cast<float>(plan.left);
    text_map.placement.offset_y = static_cast<float>(plan.top);
    MUNJA_ASSIGN_OR_RETURN(const std::vector<ocr::TextBox> boxes,
                           ocr::FindBoxes(text_map, contract, width, height));
    document::Document found;
    for (const ocr::TextBox& box : boxes)
      found.lines.emplace_back().polygon = box.quad;
    score.AddPicture(page.label, found);
  }
  return score.figures();
}

}  // namespace munja::train
