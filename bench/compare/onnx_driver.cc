// ONNX Runtime at the work that is compared; see job.h for what it obeys.
//
//   onnx_driver network LIBRARY MODEL --size 640x640 [--batch N] [--threads N]
//                       [--classes 1]
//   onnx_driver lines LIBRARY MODEL --size 48x320 --count 32 [--batch N]
//                     [--at-a-time N] [--threads N] [--classes 1]
//   onnx_driver pages LIBRARY DETECTOR RECOGNIZER DICTIONARY [--threads N]
//
// --threads are those inside a run; --at-a-time of them run beside each other.
// With --classes the largest of each row of the output is looked for.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "job.h"
#include "onnx_runtime.h"
#ifdef COMPARE_HAVE_OPENCV
#include "opencv_reader.h"
#endif

namespace munja::compare {
namespace {

class NetworkJob : public Job {
 public:
  explicit NetworkJob(const Options& o)
      : shape_(Shape(o)),
        input_(Noise(static_cast<size_t>(shape_[0] * shape_[1] * shape_[2] *
                                         shape_[3]))),
        runtime_(o.positional(1)),
        session_(runtime_, o.positional(2), o.number("--threads", 1)),
        at_a_time_(o.number("--at-a-time", 1)),
        runs_(static_cast<size_t>(o.number("--count", 1) / shape_[0])),
        wants_classes_(o.number("--classes", 0) != 0) {}
  void Run() override {
    OnThreads(at_a_time_, runs_, [&](int, size_t) {
      const auto output = session_.Run(input_.data(), shape_);
      if (wants_classes_) FindClasses(output);
    });
  }

 private:
  static std::vector<int64_t> Shape(const Options& o) {
    const Size size = ParseSize(o.text("--size", ""));
    return {o.number("--batch", 1), 3, size.height, size.width};
  }
  static void FindClasses(const OnnxSession::Output& output) {
    size_t rows = 1;
    for (size_t i = 0; i + 1 < output.shape.size(); ++i)
      rows *= static_cast<size_t>(output.shape[i]);
    const auto classes = static_cast<size_t>(output.shape.back());
    float sum = 0;
    for (size_t row = 0; row < rows; ++row) {
      const float* const values = output.data + row * classes;
      sum += values[ArgMax(values, classes)];
    }
    if (!(sum >= 0)) Die("the output holds no probabilities");
  }

  std::vector<int64_t> shape_;
  std::vector<float> input_;  // Only read.
  OnnxRuntime runtime_;
  OnnxSession session_;
  int at_a_time_;
  size_t runs_;
  bool wants_classes_;
};

#ifdef COMPARE_HAVE_OPENCV
class PageJob : public Job {
 public:
  explicit PageJob(const Options& o)
      : runtime_(o.positional(1)),
        reader_(runtime_, {o.positional(2), o.positional(3), o.positional(4)},
                o.number("--threads", 1)) {}
  void Use(const std::string& picture) override { picture_ = picture; }
  void Run() override { lines_ = reader_.Read(picture_); }
  std::vector<std::string> Lines() const override { return lines_; }
  PageWork Work() const override { return reader_.work(); }

 private:
  OnnxRuntime runtime_;
  OpencvReader reader_;
  std::string picture_;
  std::vector<std::string> lines_;
};
#endif

std::unique_ptr<Job> MakeJob(const Options& options) {
  const std::string& kind = options.positional(0);
  if (kind == "network" || kind == "lines")
    return std::make_unique<NetworkJob>(options);
#ifdef COMPARE_HAVE_OPENCV
  if (kind == "pages") return std::make_unique<PageJob>(options);
#endif
  Die("this driver cannot do '" + kind + "'");
}

}  // namespace
}  // namespace munja::compare

int main(int argc, char** argv) {
  const munja::compare::Options options(argc, argv);
  if (options.positional(0) == "version") {
    std::printf(
        "%s\n",
        munja::compare::OnnxRuntime(options.positional(1)).version().c_str());
    return 0;
  }
  const auto job = munja::compare::MakeJob(options);
  return munja::compare::Serve(*job, options);
}
