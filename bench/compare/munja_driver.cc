// Munja at the work that is compared; see job.h for what it obeys.
//
//   munja_driver network MODEL [--shape 1x640x640x3] [--threads N]
//                        [--classes 1]
//   munja_driver lines MODEL --shape 1x48x320x3 --count 32 [--at-a-time N]
//                      [--classes 1]
//   munja_driver pages BUNDLE [--threads N] [--overrides JSON]
//   munja_driver library
//
// --shape is that of every input with free sizes; others have their own. The
// last prints the path of the libmunja that runs, so that no one measures
// another one than he thinks.
// --threads are those inside a run; --at-a-time sessions, forks that share the
// weights, run beside each other. With --classes the best class of each row and
// its value are what a run gives. All take --precision fp32|reduced,
// pages also auto.
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "job.h"
#include "munja/munja.hpp"

namespace munja::compare {
namespace {

using SessionHandle = munja::Handle<munja_session, munja_session_free>;
using EngineHandle = munja::Handle<munja_engine, munja_engine_free>;
using DocumentHandle = munja::Handle<munja_document, munja_document_free>;
using ImageHandle = munja::Handle<munja_image, munja_image_free>;

void Check(munja_status status) {
  if (status != MUNJA_OK) Die(munja_last_error());
}

// "fp32", "reduced" or, of readers, "auto". A library that does not know the
// number says so.
template <class AnyOptions>
void SetPrecision(const std::string& name, AnyOptions* options) {
  if (name == "fp32") {
    options->precision = MUNJA_PRECISION_FLOAT32;
  } else if (name == "reduced") {
    options->precision = MUNJA_PRECISION_FLOAT16;
  } else if (name == "auto") {
    options->precision = MUNJA_PRECISION_MIXED;
  } else {
    Die("no precision is called '" + name + "'");
  }
}

// An input of a network, full of what no kernel can shortcut: noise for floats,
// all values of a byte; of other types, which may be indices, zeros.
class Input {
 public:
  Input(const munja_tensor_info& info, const std::vector<int32_t>& shape) {
    const std::vector<int32_t> dims =
        HasFreeSizes(info) && !shape.empty()
            ? shape
            : std::vector<int32_t>(info.dims, info.dims + info.rank);
    tensor_.type = info.type;
    tensor_.rank = static_cast<int32_t>(dims.size());
    size_t elements = 1;
    for (size_t i = 0; i < dims.size(); ++i) {
      // One of a kind unless --shape says otherwise.
      tensor_.dims[i] = dims[i] < 0 && i == 0 ? 1 : dims[i];
      if (tensor_.dims[i] < 0)
        Die("the input '" + std::string(info.name) +
            "' has free sizes: give them with --shape");
      elements *= static_cast<size_t>(tensor_.dims[i]);
    }
    Fill(elements);
    tensor_.data = bytes_.data();
    tensor_.bytes = bytes_.size();
  }
  const munja_tensor& tensor() const { return tensor_; }

 private:
  static bool HasFreeSizes(const munja_tensor_info& info) {
    return std::any_of(info.dims, info.dims + info.rank,
                       [](int32_t size) { return size < 0; });
  }
  void Fill(size_t elements) {
    switch (tensor_.type) {
      case MUNJA_TYPE_FLOAT32: {
        const std::vector<float> noise = Noise(elements);
        bytes_.resize(elements * sizeof(float));
        std::memcpy(bytes_.data(), noise.data(), bytes_.size());
        return;
      }
      case MUNJA_TYPE_INT8:
      case MUNJA_TYPE_UINT8:
        for (const float x : Noise(elements))
          bytes_.push_back(static_cast<uint8_t>(static_cast<int>(x * 128)));
        return;
      case MUNJA_TYPE_INT16:
        bytes_.resize(elements * 2);
        return;
      case MUNJA_TYPE_INT32:
        bytes_.resize(elements * 4);
        return;
      case MUNJA_TYPE_INT64:
        bytes_.resize(elements * 8);
        return;
      default:
        Die(std::string("no input of type ") +
            munja_element_type_name(tensor_.type) + " can be made up");
    }
  }

  munja_tensor tensor_ = {};
  std::vector<uint8_t> bytes_;
};

class NetworkJob : public Job {
 public:
  explicit NetworkJob(const Options& o)
      : count_(static_cast<size_t>(o.number("--count", 1))) {
    munja_network* raw = nullptr;
    Check(munja_network_load(o.positional(1).c_str(), &raw));
    const munja::Handle<munja_network, munja_network_free> model(raw);
    munja_session_options options = {};
    options.struct_size = sizeof options;
    options.threads = o.number("--threads", 1);
    options.top_k = o.number("--classes", 0);
    SetPrecision(o.text("--precision", "fp32"), &options);
    munja_session* session = nullptr;
    Check(munja_session_create(model.get(), &options, &session));
    sessions_.emplace_back(session);
    for (int i = 1; i < o.number("--at-a-time", 1); ++i) {
      Check(munja_session_fork(sessions_[0].get(), options.threads, &session));
      sessions_.emplace_back(session);
    }
    const std::vector<int32_t> shape = ParseShape(o.text("--shape", ""));
    for (int32_t i = 0; i < munja_session_input_count(session); ++i) {
      munja_tensor_info info = {};
      info.struct_size = sizeof info;
      Check(munja_session_input_info(session, i, &info));
      inputs_.emplace_back(info, shape);
    }
    for (const Input& input : inputs_) tensors_.push_back(input.tensor());
  }
  void Run() override {
    OnThreads(
        static_cast<int>(sessions_.size()), count_, [&](int thread, size_t) {
          Check(munja_session_run(sessions_[static_cast<size_t>(thread)].get(),
                                  tensors_.data(),
                                  static_cast<int32_t>(tensors_.size())));
        });
  }

 private:
  // "1x640x640x3"
  static std::vector<int32_t> ParseShape(const std::string& text) {
    std::vector<int32_t> shape;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, 'x');)
      shape.push_back(std::atoi(word.c_str()));
    if (shape.size() > MUNJA_MAX_RANK ||
        std::any_of(shape.begin(), shape.end(),
                    [](int32_t size) { return size <= 0; }))
      Die("'" + text + "' is no shape such as 1x640x640x3");
    return shape;
  }

  size_t count_;
  std::vector<Input> inputs_;
  std::vector<munja_tensor> tensors_;
  std::vector<SessionHandle> sessions_;
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
      munja_line line = {};
      line.struct_size = sizeof line;
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

// Where the loader found it.
std::string Library() {
  Dl_info info;
  if (dladdr(dlsym(RTLD_DEFAULT, "munja_version"), &info) == 0)
    Die("where libmunja lies is not known");
  return info.dli_fname;
}

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
  if (options.positional(0) == "library") {
    std::printf("%s\n", munja::compare::Library().c_str());
    return 0;
  }
  const auto job = munja::compare::MakeJob(options);
  return munja::compare::Serve(*job, options);
}
