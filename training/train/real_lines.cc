#include "train/real_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "document/json_lines.h"
#include "image/decode.h"
#include "image/homography.h"
#include "image/transform.h"
#include "synth/float_picture.h"
#include "synth/line_optics.h"
#include "train/character_classes.h"

namespace munja::train {
namespace {

constexpr size_t kMostLabelBytes = size_t{64} << 20;
// Apart from the streams of drawn lines, which seeds of runs choose.
constexpr uint64_t kRealSeed = 0x4EA1'0000'0000'0000u;
// The em of the type, as a share of a crop's height, about.
constexpr float kEm = 0.75f;

bool IsTrue(const nlohmann::json& json, const char* key) {
  const auto it = json.find(key);
  return it != json.end() && it->is_boolean() && it->get<bool>();
}

bool IsFalse(const nlohmann::json& json, const char* key) {
  const auto it = json.find(key);
  return it != json.end() && it->is_boolean() && !it->get<bool>();
}

// Margins that another cropper would have left, a slope and a little
// perspective.
Result<image::Image> SeeFromElsewhere(const image::Image& picture,
                                      Random& random) {
  const auto w = static_cast<float>(picture.width()),
             h = static_cast<float>(picture.height());
  const float stretch = random.LogUniform(0.8f, 1.3f);
  const int width = std::max(4, static_cast<int>(std::lround(stretch * w))),
            height = picture.height();
  // Added, or a little cut off, as a part of the height; beyond the border its
  // pixels repeat. Words end where their crops end, so that sides are hardly
  // cut.
  const float most = random.Chance(0.3f) ? 0.2f : 0.08f;
  // A slope grows with the length up to a limit, so that long lines stay in.
  const float slope = random.Chance(0.5f) ? random.Uniform(-0.05f, 0.05f) * h *
                                                std::min(1.0f, w / h / 4)
                                          : 0.0f;
  std::array<std::array<float, 2>, 4> corners;
  for (size_t i = 0; i < corners.size(); ++i) {
    const bool is_right = i == 1 || i == 2, is_bottom = i >= 2;
    const float beside = random.Uniform(-0.03f, most) * h;
    const float above = random.Uniform(-0.07f, 0.5f * most) * h;
    corners[i] = {
        is_right ? w + beside : -beside,
        (is_bottom ? h + above : -above) + (is_right ? slope : -slope)};
  }
  auto map = image::QuadToRectangle(corners, width, height);
  if (!map.ok()) return std::move(map).TakeStatus();
  MUNJA_ASSIGN_OR_RETURN(image::Image out, image::Image::Create(width, height));
  MUNJA_RETURN_IF_ERROR(image::WarpPerspective(
      picture.view(), *map, out, image::Interpolation::kBilinear));
  return out;
}

FloatPicture AsFloats(const image::Image& picture) {
  FloatPicture out(picture.width(), picture.height());
  for (int y = 0; y < picture.height(); ++y) {
    const uint8_t* row = picture.row(y);
    for (int c = 0; c < 3; ++c) {
      float* to = out.row(c, y);
      for (int x = 0; x < picture.width(); ++x)
        to[x] = static_cast<float>(row[3 * x + c]);
    }
  }
  return out;
}

}  // namespace

Status RealLines::Read(const std::string& label_file,
                       const std::vector<std::string>& alphabet) {
  MUNJA_ASSIGN_OR_RETURN(const CharacterClasses classes,
                         CharacterClasses::Create(alphabet));
  MUNJA_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                         ReadFile(label_file, kMostLabelBytes));
  const std::filesystem::path root =
      std::filesystem::absolute(label_file).parent_path().parent_path();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                              bytes.size());
  return document::ForEachObject(text, [&](const auto& json) -> Status {
    MUNJA_ASSIGN_OR_RETURN(const std::string image,
                           document::TextMember(json, "image"));
    const auto label = json.find("text");
    Crop crop;
    if (label != json.end() && label->is_string())
      crop.label.text = label->template get<std::string>();
    if (crop.label.text.empty() || crop.label.text == "###" ||
        IsTrue(json, "dev") || !classes.Encode(crop.label.text)) {
      ++left_out_;
      return Status();
    }
    crop.label.any_case = IsTrue(json, "ci");
    crop.label.any_spaces = IsFalse(json, "spaces");
    MUNJA_ASSIGN_OR_RETURN(crop.file, ReadFile((root / image).string()));
    crops_.push_back(std::move(crop));
    return Status();
  });
}

Result<RealLines> RealLines::Open(const std::vector<std::string>& label_files,
                                  const std::vector<std::string>& alphabet,
                                  uint64_t seed) {
  RealLines lines;
  lines.seed_ = seed ^ kRealSeed;
  for (const std::string& file : label_files) {
    const size_t before = lines.crops_.size();
    MUNJA_RETURN_IF_ERROR(lines.Read(file, alphabet).With(file));
    if (lines.crops_.size() == before)
      return Malformed(file + " labels no crop that can be trained on");
  }
  return lines;
}

Result<LineSample> RealLines::Make(uint64_t index) const {
  Random random(seed_, index);
  const Crop& crop = crops_[random.Below(crops_.size())];
  LineSample sample = {
      {}, crop.label.text, crop.label.any_case, crop.label.any_spaces};
  MUNJA_ASSIGN_OR_RETURN(const image::Image stored, image::Decode(crop.file));
  MUNJA_ASSIGN_OR_RETURN(const image::Image seen,
                         SeeFromElsewhere(stored, random));
  FloatPicture picture = AsFloats(seen);
  // They are worn already: half of what drawn lines get.
  const float strength = random.Uniform(0, 0.6f);
  const Scenery scenery =
      random.Chance(0.5f) ? Scenery::kScene : Scenery::kDocument;
  MUNJA_ASSIGN_OR_RETURN(
      sample.picture,
      TakeLinePicture(picture, kEm * static_cast<float>(seen.height()), scenery,
                      strength, random));
  return sample;
}

LineFeeder::Maker MixLines(LineFeeder::Maker drawn, LineFeeder::Maker real,
                           float share, uint64_t seed) {
  return [drawn = std::move(drawn), real = std::move(real), share,
          seed](uint64_t index) {
    Random random(seed ^ kRealSeed, ~index);
    return random.Chance(share) ? real(index) : drawn(index);
  };
}

}  // namespace munja::train
