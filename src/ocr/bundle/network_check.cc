#include "bundle/network_check.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace munja::bundle {
namespace {

constexpr const char kSwapped[] =
    ": are detector and recognizer swapped in the bundle?";

// Sizes of the images that a detector is tried with: each a few multiples long,
// and different, so that height and width cannot be taken for each other.
constexpr int32_t kTriedHeight = 128, kTriedWidth = 160;
constexpr int32_t kTriedLine = 320;

bool TakesPictures(const runtime::Session& session) {
  return session.inputs().size() == 1 && !session.outputs().empty() &&
         session.inputs()[0].shape.rank() == 4;
}

int32_t Or(int32_t stated, int32_t otherwise) {
  return stated == kDynamic ? otherwise : stated;
}

// The model's own output, also where the session gives the best classes only.
Result<Shape> OutputFor(runtime::Session& session, int32_t height,
                        int32_t width) {
  const Shape picture{1, height, width, 3};
  MUNJA_ASSIGN_OR_RETURN(const std::vector<Shape> outputs,
                         session.Plan({&picture, 1}));
  Shape output = outputs[0];
  const int64_t classes = session.outputs()[0].classes;
  if (classes > 0 && output.rank() > 0)
    output[output.rank() - 1] = static_cast<int32_t>(classes);
  return output;
}

bool IsKnown(const Shape& shape) {
  for (const int32_t side : shape.dims())
    if (side < 0) return false;
  return true;
}

bool IsMap(const Shape& output, int32_t height, int32_t width) {
  return output.elements() == static_cast<int64_t>(height) * width;
}

// 1 x steps x classes.
bool AreSteps(const Shape& output) {
  return output.rank() == 3 && output[0] == 1;
}

struct Tried {
  int32_t height, width;
  Result<Shape> output;
};

// As a detector would be used.
Tried TryAsDetector(runtime::Session& session, int32_t multiple) {
  const Shape& input = session.inputs()[0].shape;
  const auto up = [&](int32_t side) {
    return (side + multiple - 1) / multiple * multiple;
  };
  const int32_t height = Or(input[1], up(kTriedHeight));
  const int32_t width = Or(input[2], up(kTriedWidth));
  return {height, width, OutputFor(session, height, width)};
}

std::string SizeText(int32_t height, int32_t width) {
  return std::to_string(height) + "x" + std::to_string(width);
}

Status CheckType(const runtime::Session& session, const char* role) {
  const ElementType type = session.outputs()[0].type;
  if (type == ElementType::kFloat32) return Status();
  return Malformed(std::string("the output of the ") + role + " is " +
                   ElementTypeName(type) + ", float32 is expected");
}

class NamedSession final : public runtime::Session {
 public:
  NamedSession(std::unique_ptr<runtime::Session> session, std::string file)
      : session_(std::move(session)), file_(std::move(file)) {}

  std::span<const runtime::TensorInfo> inputs() const override {
    return session_->inputs();
  }
  std::span<const runtime::TensorInfo> outputs() const override {
    return session_->outputs();
  }
  Result<std::span<const TensorView>> Run(
      std::span<const TensorView> inputs) override {
    auto result = session_->Run(inputs);
    if (result.ok()) return result;
    return Blame(std::move(result).TakeStatus());
  }
  Result<std::vector<Shape>> Plan(std::span<const Shape> inputs) override {
    auto result = session_->Plan(inputs);
    if (result.ok()) return result;
    return Blame(std::move(result).TakeStatus());
  }
  Result<std::unique_ptr<runtime::Session>> Fork(
      std::shared_ptr<ThreadPool> pool) const override {
    MUNJA_ASSIGN_OR_RETURN(auto fork, session_->Fork(std::move(pool)));
    return WithFileName(std::move(fork), file_);
  }
  std::vector<runtime::NodeProfile> Profile() const override {
    return session_->Profile();
  }
  void ResetProfile() override { session_->ResetProfile(); }
  runtime::MemoryUse memory() const override { return session_->memory(); }
  std::vector<runtime::NodeOwner> Owners() const override {
    return session_->Owners();
  }
  void ResetVariables() override { session_->ResetVariables(); }

 private:
  Status Blame(Status status) const {
    if (status.code() == Code::kInvalidArgument)
      status = Malformed(std::string(status.message()));
    return std::move(status).With(file_);
  }

  std::unique_ptr<runtime::Session> session_;
  std::string file_;
};

}  // namespace

Status CheckDetector(runtime::Session& session,
                     const ocr::DetectorConfig& config) {
  if (!TakesPictures(session)) return Status();  // Its maker says so.
  const Tried tried = TryAsDetector(session, config.side_multiple);
  if (tried.output.ok()) {
    const Shape& output = *tried.output;
    if (!IsKnown(output) || IsMap(output, tried.height, tried.width))
      return CheckType(session, "detector");
    return Malformed(
        "the detector's output is " + output.ToString() + " for a picture of " +
        SizeText(tried.height, tried.width) + ", where a map 1x" +
        SizeText(tried.height, tried.width) + "x1 is expected" +
        (AreSteps(output)
             ? std::string("; this looks like a recognizer") + kSwapped
             : ""));
  }
  Status status = tried.output.status().Clone();
  const int32_t height = Or(session.inputs()[0].shape[1], 48);
  const Result<Shape> line = OutputFor(session, height, kTriedLine);
  if (!line.ok() || !AreSteps(*line)) return status;
  return Malformed(std::string(status.message()) + "; its output is " +
                   line->ToString() + " for a line of " +
                   SizeText(height, kTriedLine) +
                   ": this looks like a recognizer" + kSwapped);
}

Status CheckRecognizer(runtime::Session& session,
                       const ocr::RecognizerConfig& config) {
  if (!TakesPictures(session)) return Status();
  const Shape& input = session.inputs()[0].shape;
  const Result<Shape> output =
      OutputFor(session, config.height, Or(input[2], config.min_width));
  if (output.ok() && (!IsKnown(*output) || AreSteps(*output))) {
    if (input[2] != kDynamic)
      return Malformed("the recognizer takes lines " +
                       std::to_string(input[2]) +
                       " pixels wide only; lines have all widths: convert its "
                       "source with a free width");
    return CheckType(session, "recognizer");
  }
  const int32_t multiple = ocr::DetectorConfig().side_multiple;
  const Tried tried = TryAsDetector(session, multiple);
  const bool is_detector = tried.output.ok() && IsKnown(*tried.output) &&
                           IsMap(*tried.output, tried.height, tried.width);
  const std::string hint =
      is_detector ? std::string("; this looks like a detector") + kSwapped : "";
  if (output.ok())
    return Malformed("the recognizer's output is " + output->ToString() +
                     " for a line of " +
                     SizeText(config.height, config.min_width) +
                     ", where 1 x steps x classes is expected" + hint);
  if (hint.empty() && input[1] != kDynamic && input[1] != config.height)
    return Malformed("the recognizer takes lines " + std::to_string(input[1]) +
                     " pixels high, recognizer.height of the bundle's config "
                     "is " +
                     std::to_string(config.height) + ": set it to " +
                     std::to_string(input[1]));
  if (hint.empty()) return output.status().Clone();
  return Malformed(std::string(output.status().message()) + hint);
}

std::unique_ptr<runtime::Session> WithFileName(
    std::unique_ptr<runtime::Session> session, std::string file) {
  return std::make_unique<NamedSession>(std::move(session), std::move(file));
}

}  // namespace munja::bundle
