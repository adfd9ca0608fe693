// Munja at the work that is compared; see job.h for what it obeys.
//
//   munja_driver network MODEL --size 640x640 [--threads N] [--classes 1]
//   munja_driver lines MODEL --size 48x320 --count 32 [--at-a-time N]
//                      [--classes 1]
//   munja_driver pages BUNDLE [--threads N] [--overrides JSON]
//
// --threads are those inside a run; --at-a-time sessions, forks that share the
// weights, run beside each other. With --classes the best class of each row and
// its value are what a run gives. All take --precision fp32|reduced.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "job.h"
#include "munja/munja.hpp"

namespace munja::compare {
namespace {

using SessionHandle = api::Handle<munja_session, munja_session_free>;
using EngineHandle = api::Handle<munja_engine, munja_engine_free>;
using DocumentHandle = api::Handle<munja_document, munja_document_free>;
using ImageHandle = api::Handle<munja_image, munja_image_free>;

void Check(munja_status status) {
  if (status != MUNJA_OK) Die(munja_last_error());
}

// Libraries without other precisions have no such option.
template <class AnyOptions>
void SetPrecision(const std::string& name, AnyOptions* options) {
  if (name == "fp32") return;
  if constexpr (requires { options->precision; }) {
    options->precision = static_cast<decltype(options->precision)>(1);
  } else {
    Die("this libmunja knows no precision but fp32");
  }
}

class NetworkJob : public Job {
 public:
  explicit NetworkJob(const Options& o)
      : count_(static_cast<size_t>(o.number("--count", 1))) {
    const Size size = ParseSize(o.text("--size", ""));
    pixels_ = Noise(static_cast<size_t>(size.height) *
                    static_cast<size_t>(size.width) * 3);
    munja_model* raw = nullptr;
    Check(munja_model_load(o.positional(1).c_str(), &raw));
    const api::Handle<munja_model, munja_model_free> model(raw);
    munja_session_options options = {};
    options.struct_size = sizeof options;
    options.threads = o.number("--threads", 1);
    options.best_classes = o.number("--classes", 0);
    SetPrecision(o.text("--precision", "fp32"), &options);
    munja_session* session = nullptr;
    Check(munja_session_create(model.get(), &options, &session));
    sessions_.emplace_back(session);
    for (int i = 1; i < o.number("--at-a-time", 1); ++i) {
      Check(munja_session_fork(sessions_[0].get(), options.threads, &session));
      sessions_.emplace_back(session);
    }
    munja_tensor_info info;
    Check(munja_session_input(sessions_[0].get(), 0, &info));
    input_.type = info.type;
    input_.rank = 4;
    const int32_t dims[] = {1, size.height, size.width, 3};
    std::memcpy(input_.dims, dims, sizeof dims);
    input_.data = pixels_.data();
    input_.bytes = pixels_.size() * sizeof(float);
  }
  void Run() override {
    OnThreads(static_cast<int>(sessions_.size()), count_,
              [&](int thread, size_t) {
                Check(munja_session_run(
                    sessions_[static_cast<size_t>(thread)].get(), &input_, 1));
              });
  }

 private:
  size_t count_;
  std::vector<float> pixels_;
  std::vector<SessionHandle> sessions_;
  munja_tensor input_ = {};
};

class PageJob : public Job {
 public:
  explicit PageJob(const Options& o) : threads_(o.number("--threads", 1)) {
    const std::string overrides = o.text("--overrides", "");
    munja_engine_options options = {};
    options.struct_size = sizeof options;
    options.model = o.positional(1).c_str();
    options.threads = threads_;
    options.overrides = overrides.empty() ? nullptr : overrides.c_str();
    SetPrecision(o.text("--precision", "fp32"), &options);
    munja_engine* engine = nullptr;
    Check(munja_engine_create(&options, &engine));
    engine_.reset(engine);
  }
  void Use(const std::string& picture) override { picture_ = picture; }
  void Run() override {
    munja_decode_options options = {};
    options.struct_size = sizeof options;
    options.threads = threads_;
    munja_image* image = nullptr;
    Check(munja_image_load(picture_.c_str(), &options, &image));
    const ImageHandle owner(image);
    munja_document* document = nullptr;
    Check(munja_engine_read(engine_.get(), image, nullptr, &document));
    document_.reset(document);
  }
  std::vector<std::string> Lines() const override {
    std::vector<std::string> lines;
    for (int32_t i = 0; i < munja_document_line_count(document_.get()); ++i) {
      munja_line line;
      Check(munja_document_line(document_.get(), i, &line));
      lines.push_back(line.text);
    }
    return lines;
  }

 private:
  int threads_;
  EngineHandle engine_;
  DocumentHandle document_;
  std::string picture_;
};

std::unique_ptr<Job> MakeJob(const Options& options) {
  const std::string& kind = options.positional(0);
  if (kind == "network" || kind == "lines")
    return std::make_unique<NetworkJob>(options);
  if (kind == "pages") return std::make_unique<PageJob>(options);
  Die("this driver cannot do '" + kind + "'");
}

}  // namespace
}  // namespace munja::compare

int main(int argc, char** argv) {
  const munja::compare::Options options(argc, argv);
  const auto job = munja::compare::MakeJob(options);
  return munja::compare::Serve(*job, options);
}
