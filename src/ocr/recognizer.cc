#include "ocr/recognizer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "kernels/arg_max.h"
#include "ocr/line_windows.h"
#include "ocr/network_input.h"

namespace munja::ocr {
namespace {

// Columns that two neighboring windows of a long line share, in line heights:
// wide enough for a few characters, so that a blank is found in it.
constexpr int kOverlapHeights = 6;

Status CheckOutput(const TensorView& output) {
  const Shape& s = output.shape;
  if (output.type == ElementType::kFloat32 && s.rank() == 3 && s[0] == 1)
    return Status();
  return InvalidArgument("the recognizer gives a " +
                         std::string(ElementTypeName(output.type)) +
                         " tensor of shape " + s.ToString() +
                         " where float32 1 x steps x classes is expected");
}

}  // namespace

Result<Recognizer> Recognizer::Create(
    std::unique_ptr<runtime::Session> session,
    std::shared_ptr<const text::Dictionary> dictionary,
    const RecognizerContract& contract) {
  MUNJA_RETURN_IF_ERROR(CheckPictureInput(*session).With("recognizer"));
  // The shape may be free; a run of the smallest input tells the classes.
  const Shape smallest{1, contract.height, contract.min_width, 3};
  auto shapes = session->Plan({&smallest, 1});
  if (!shapes.ok()) return std::move(shapes).TakeStatus().With("recognizer");
  const Shape& output = shapes.value()[0];
  if (output.rank() != 3) {
    return InvalidArgument("recognizer: the output has shape " +
                           output.ToString() + ", wants 1 x steps x classes");
  }
  MUNJA_RETURN_IF_ERROR(dictionary->CheckClasses(output[2]).With("recognizer"));
  return Recognizer(std::move(session), std::move(dictionary), contract);
}

Result<Recognizer> Recognizer::Fork() const {
  MUNJA_ASSIGN_OR_RETURN(std::unique_ptr<runtime::Session> session,
                         session_->Fork(nullptr));
  return Recognizer(std::move(session), dictionary_, contract_);
}

Result<text::CtcText> Recognizer::Read(const image::ImageView& line) {
  const int multiple = contract_.width_multiple;
  const auto down = [&](int v) { return v / multiple * multiple; };
  const std::vector<Window> windows =
      SplitLine(line.width, down(contract_.max_width),
                down(kOverlapHeights * contract_.height), multiple);
  steps_.clear();
  for (const Window& window : windows) {
    image::ImageView view = line;
    view.data += static_cast<size_t>(window.begin) * 3;
    view.width = window.end - window.begin;
    MUNJA_RETURN_IF_ERROR(ReadWindow(view));
    StitchSteps(window_steps_, static_cast<size_t>(window.begin / multiple),
                steps_);
  }
  return text::DecodeCtc(steps_, *dictionary_);
}

Status Recognizer::ReadWindow(const image::ImageView& window) {
  const int multiple = contract_.width_multiple;
  const int columns = (window.width + multiple - 1) / multiple * multiple;
  MUNJA_ASSIGN_OR_RETURN(
      const TensorView input,
      FillInput(window, std::max(columns, contract_.min_width),
                contract_.normalization, input_, nullptr));
  MUNJA_ASSIGN_OR_RETURN(const std::span<const TensorView> outputs,
                         session_->Run({&input, 1}));
  MUNJA_RETURN_IF_ERROR(CheckOutput(outputs[0]));
  const size_t steps = static_cast<size_t>(outputs[0].shape[1]);
  const size_t classes = static_cast<size_t>(outputs[0].shape[2]);
  const float* probabilities = outputs[0].as<float>();
  window_steps_.resize(steps);
  for (size_t i = 0; i < steps; ++i) {
    const auto best = kernels::ArgMax(probabilities + i * classes, classes);
    window_steps_[i] = {static_cast<int>(best.index), best.value};
  }
  return Status();
}

}  // namespace munja::ocr
