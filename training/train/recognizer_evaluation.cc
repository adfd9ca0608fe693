#include "train/recognizer_evaluation.h"

#include <filesystem>
#include <utility>

#include "document/labels.h"
#include "image/decode.h"

namespace munja::train {
namespace {

constexpr int kMaxWidth = 3200;
constexpr int kBatchColumns = 16384;

// N x steps x columns -> N x steps classes, on the processor.
torch::Tensor BestClasses(const RecognizerNetImpl& net,
                          const torch::Tensor& logits,
                          const CharacterClasses& classes) {
  const text::HangulLetters* letters = classes.letters();
  if (letters == nullptr) return logits.argmax(2).to(torch::kCPU).contiguous();
  using Letters = text::HangulLetters;
  const std::vector<torch::Tensor> parts =
      logits.split_with_sizes(net.parts(), 2);
  const torch::Tensor whole = parts[0].argmax(2);
  const torch::Tensor syllable =
      (parts[1].argmax(2) * Letters::kVowels + parts[2].argmax(2)) *
          Letters::kFinals +
      parts[3].argmax(2) + letters->Compose(0, 0, 0);
  const int any = letters->any_syllable();
  const torch::Tensor other =
      torch::where(whole > any, whole + (Letters::kSyllables - 1), whole);
  return torch::where(whole == any, syllable, other)
      .to(torch::kCPU)
      .contiguous();
}

}  // namespace

Result<LineSet> HeldOutLines(const LineFeeder::Maker& maker, int count,
                             int height) {
  LineSet set;
  set.name = "held-out";
  for (int i = 0; i < count; ++i) {
    MUNJA_ASSIGN_OR_RETURN(LineSample sample, maker(static_cast<uint64_t>(i)));
    ScaledLine line;
    MUNJA_ASSIGN_OR_RETURN(line.picture,
                           ScaleLine(sample.picture.view(), height, kMaxWidth));
    line.text = std::move(sample.text);
    set.lines.push_back(std::move(line));
  }
  return set;
}

Result<LineSet> LabeledLines(const std::string& labels_path, int height) {
  MUNJA_ASSIGN_OR_RETURN(const document::LabelSet labels,
                         document::ReadLabels(labels_path));
  const std::filesystem::path path(labels_path);
  const std::filesystem::path root =
      std::filesystem::absolute(path).parent_path().parent_path();
  LineSet set;
  set.name = path.stem().string();
  for (const document::LabeledImage& label : labels) {
    if (!label.is_crop) continue;
    MUNJA_ASSIGN_OR_RETURN(const image::Image picture,
                           image::DecodeFile((root / label.image).string()));
    ScaledLine line;
    MUNJA_ASSIGN_OR_RETURN(line.picture,
                           ScaleLine(picture.view(), height, kMaxWidth));
    line.text = label.text;
    set.lines.push_back(std::move(line));
  }
  if (set.lines.empty())
    return Malformed(labels_path + " labels no crops of lines");
  return set;
}

torch::Tensor ToTensor(const LineBatch& batch, torch::Device device) {
  const torch::Tensor pixels = torch::from_blob(
      const_cast<float*>(batch.pixels.data()),
      {batch.count, batch.height, batch.width, 3}, torch::kFloat32);
  // Interleaved pixels are what channels_last means: no copy on a processor.
  return pixels.permute({0, 3, 1, 2}).to(device);
}

document::Figures EvaluateLines(RecognizerNet& net, torch::Device device,
                                const CharacterClasses& classes,
                                const LineSet& set) {
  torch::NoGradGuard no_gradients;
  document::Score score;
  const auto groups =
      GroupByWidth(set.lines, kBatchColumns, /*max_lines=*/64, Random(1));
  for (const auto& group : groups) {
    std::vector<const ScaledLine*> lines;
    for (uint32_t i : group) lines.push_back(&set.lines[i]);
    const LineBatch batch = MakeLineBatch(lines, lines[0]->picture.height(),
                                          LineChanges::None(), Random(1));
    const torch::Tensor best =
        BestClasses(*net, net->forward(ToTensor(batch, device)), classes);
    const auto steps = static_cast<size_t>(best.size(1));
    const int64_t* rows = best.data_ptr<int64_t>();
    for (size_t i = 0; i < lines.size(); ++i) {
      document::LabeledImage label;
      label.is_crop = true;
      label.text = classes.LabelOf(lines[i]->text);
      score.AddCrop(label, classes.Decode(rows + i * steps, steps));
    }
  }
  return score.figures();
}

}  // namespace munja::train
