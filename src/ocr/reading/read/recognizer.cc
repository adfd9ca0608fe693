#include "reading/read/recognizer.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "kernels/reduce/arg_max.h"
#include "reading/read/line_windows.h"

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

// The best classes of each row of `output`. `are_best`: a row is pairs of a
// number and its probability.
void TakeBest(const TensorView& output, bool are_best,
              std::vector<text::CtcStep>& steps) {
  const size_t length = static_cast<size_t>(output.shape[2]);
  const float* row = output.as<float>();
  steps.resize(static_cast<size_t>(output.shape[1]));
  for (text::CtcStep& step : steps) {
    if (are_best) {
      step = {static_cast<int>(row[0]), row[1], {}};
      const size_t others = std::min(length / 2 - 1, text::kOtherChoices);
      for (size_t i = 0; i < others; ++i)
        step.others[i] = {static_cast<int>(row[2 * i + 2]), row[2 * i + 3]};
    } else {
      const kernels::ArgMaxResult best = kernels::ArgMax(row, length);
      step = {static_cast<int>(best.index), best.value, {}};
    }
    row += length;
  }
}

text::CtcStep StepOf(
    const std::array<text::CtcChoice, 1 + text::kOtherChoices>& best) {
  text::CtcStep step = {best[0].cls, best[0].probability, {}};
  std::copy(best.begin() + 1, best.end(), step.others.begin());
  return step;
}

// The most probable allowed classes of each row, the best first.
void TakeAllowed(const TensorView& output, std::span<const char> allowed,
                 const text::HangulLetters* letters,
                 std::vector<text::CtcStep>& steps) {
  const auto length = static_cast<size_t>(output.shape[2]);
  const size_t classes =
      letters == nullptr ? std::min(length, allowed.size()) : allowed.size();
  const float* row = output.as<float>();
  steps.resize(static_cast<size_t>(output.shape[1]));
  for (text::CtcStep& step : steps) {
    std::array<text::CtcChoice, 1 + text::kOtherChoices> best = {};
    for (size_t cls = 0; cls < classes; ++cls) {
      if (allowed[cls] == 0) continue;
      const int number = static_cast<int>(cls);
      text::InsertChoice(
          {number,
           letters == nullptr ? row[cls] : letters->Probability(row, number)},
          best);
    }
    step = StepOf(best);
    row += length;
  }
}

void TakeLetters(const TensorView& output, const text::HangulLetters& letters,
                 std::vector<text::CtcStep>& steps) {
  const float* row = output.as<float>();
  steps.resize(static_cast<size_t>(output.shape[1]));
  for (text::CtcStep& step : steps) {
    std::array<text::CtcChoice, 1 + text::kOtherChoices> best;
    letters.TakeBest(row, best);
    step = StepOf(best);
    row += output.shape[2];
  }
}

}  // namespace

Result<Recognizer> Recognizer::Create(
    std::unique_ptr<runtime::Session> session,
    std::shared_ptr<const text::Dictionary> dictionary,
    const RecognizerConfig& config, const text::Language& language,
    std::shared_ptr<const std::vector<char>> allowed) {
  MUNJA_RETURN_IF_ERROR(CheckImageInput(*session).With("recognizer"));
  // The shape may be free; a run of the smallest input tells the classes.
  const Shape smallest{1, config.height, config.min_width, 3};
  auto shapes = session->Plan({&smallest, 1});
  if (!shapes.ok()) return std::move(shapes).TakeStatus().With("recognizer");
  const Shape& output = shapes.value()[0];
  if (output.rank() != 3) {
    return InvalidArgument("recognizer: the output has shape " +
                           output.ToString() + ", wants 1 x steps x classes");
  }
  const int64_t best_of = session->outputs()[0].classes;
  if (best_of > 0 && allowed != nullptr)
    return InvalidArgument(
        "recognizer: the network gives the best classes only, and allowed "
        "characters need all of them");
  std::optional<text::HangulLetters> letters;
  if (config.hangul_letters) {
    MUNJA_ASSIGN_OR_RETURN(letters, text::HangulLetters::Create(*dictionary));
    if (best_of > 0 || output[2] != letters->columns())
      return InvalidArgument(
          "recognizer: the network gives " + std::to_string(output[2]) +
          " columns, and with Hangul by letters the dictionary wants " +
          std::to_string(letters->columns()) + ", all of them");
  } else {
    MUNJA_RETURN_IF_ERROR(
        dictionary->CheckClasses(best_of > 0 ? best_of : output[2])
            .With("recognizer"));
  }
  auto corrector =
      std::make_shared<const LineCorrector>(*dictionary, config, language);
  return Recognizer(std::move(session), std::move(dictionary), config,
                    std::move(corrector), std::move(allowed), letters);
}

Recognizer::Recognizer(std::unique_ptr<runtime::Session> session,
                       std::shared_ptr<const text::Dictionary> dictionary,
                       const RecognizerConfig& config,
                       std::shared_ptr<const LineCorrector> corrector,
                       std::shared_ptr<const std::vector<char>> allowed,
                       std::optional<text::HangulLetters> letters)
    : session_(std::move(session)),
      dictionary_(std::move(dictionary)),
      config_(config),
      allowed_(std::move(allowed)),
      letters_(letters),
      pristine_(std::move(corrector)),
      corrector_(*pristine_),
      hypothesis_(corrector_.Hypothesis()),
      character_places_(*dictionary_),
      input_(session_->inputs()[0], config.normalization) {}

Result<Recognizer> Recognizer::Fork(std::shared_ptr<ThreadPool> pool) const {
  MUNJA_ASSIGN_OR_RETURN(std::unique_ptr<runtime::Session> session,
                         session_->Fork(std::move(pool)));
  return Recognizer(std::move(session), dictionary_, config_, pristine_,
                    allowed_, letters_);
}

Status Recognizer::Read(const image::ImageView& line, text::CtcLine& text) {
  const int multiple = config_.width_multiple;
  const auto down = [&](int v) { return v / multiple * multiple; };
  const std::vector<Window> windows =
      SplitLine(line.width, down(config_.max_width),
                down(kOverlapHeights * config_.height), multiple);
  hypothesis_.Start(multiple);
  for (const Window& window : windows) {
    image::ImageView view = line;
    view.data += static_cast<size_t>(window.begin) * 3;
    view.width = window.end - window.begin;
    MUNJA_RETURN_IF_ERROR(ReadWindow(view));
    StitchSteps(window_steps_, static_cast<size_t>(window.begin / multiple),
                hypothesis_.steps);
  }
  if (config_.part_words)
    ink_columns_.FindEmpty(line, &hypothesis_.is_empty_column);
  corrector_.Correct(hypothesis_);
  text::DecodeCtc(hypothesis_.steps, *dictionary_, text);
  text.guess = hypothesis_.script;
  text.confidence = hypothesis_.confidence.value_or(text.confidence);
  character_places_.Find(line, multiple, text.marks);
  return Status();
}

Status Recognizer::ReadWindow(const image::ImageView& window) {
  const int multiple = config_.width_multiple;
  const int columns = (window.width + multiple - 1) / multiple * multiple;
  MUNJA_ASSIGN_OR_RETURN(
      const TensorView input,
      input_.Fill(window, std::max(columns, config_.min_width), nullptr));
  // Recurrent networks begin each line anew.
  session_->ResetVariables();
  MUNJA_ASSIGN_OR_RETURN(const std::span<const TensorView> outputs,
                         session_->Run({&input, 1}));
  MUNJA_RETURN_IF_ERROR(CheckOutput(outputs[0]));
  TakeSteps(outputs[0]);
  return Status();
}

void Recognizer::TakeSteps(const TensorView& output) {
  if (allowed_ != nullptr)
    TakeAllowed(output, *allowed_, letters_ ? &*letters_ : nullptr,
                window_steps_);
  else if (letters_)
    TakeLetters(output, *letters_, window_steps_);
  else
    TakeBest(output, session_->outputs()[0].classes > 0, window_steps_);
}

}  // namespace munja::ocr
