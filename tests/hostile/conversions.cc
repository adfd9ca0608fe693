// Models to convert: ONNX, Paddle in both forms, ncnn, .tflite; through the C
// interface.
#include <iterator>
#include <utility>

#include "call.h"
#include "driver.h"
#include "munja/runtime.h"
#include "munja/tools/convert.h"

namespace munja::hostile {

constexpr int kCaseMib = 1024;

namespace {

// A model is one file, or two that belong together.
struct Model {
  std::string name;
  std::vector<File> files;  // The first is the one to convert.
};

// The input of a fuzzer that holds two files, with a line between them.
Model Split(const File& input, const std::string& marker,
            const std::string& first, const std::string& second) {
  const size_t at = input.bytes.find(marker);
  Model model = {input.name, {{first, input.bytes.substr(0, at)}}};
  if (at != std::string::npos)
    model.files.push_back({second, input.bytes.substr(at + marker.size())});
  return model;
}

class Conversions : public Target {
 public:
  Conversions() {
    for (const File& file : Corpus("onnx_import_fuzz"))
      models_.push_back({file.name, {{"model.onnx", file.bytes}}});
    for (const File& file : Corpus("read_fuzz"))
      models_.push_back({file.name, {{"model.tflite", file.bytes}}});
    for (const File& file : Corpus("ncnn_import_fuzz"))
      models_.push_back(Split(file, "--bin--\n", "model.param", "model.bin"));
    for (const File& file : Corpus("paddle_import_fuzz")) {
      const bool json = file.bytes.starts_with("{");
      models_.push_back(Split(file, "--parameters--\n",
                              json ? "inference.json" : "inference.pdmodel",
                              "inference.pdiparams"));
    }
  }
  void AddSeed(const std::string& path, const std::string& bytes) override {
    if (bytes.size() > 1 << 20) return;
    if (path.ends_with(".onnx"))
      models_.push_back({path, {{"model.onnx", bytes}}});
    if (path.ends_with(".tflite"))
      models_.push_back({path, {{"model.tflite", bytes}}});
  }
  Case Make(Random& random) override {
    const Model& model = random.Pick(models_);
    Case c;
    c.how = "damaged " + model.files[0].name + " of " + model.name;
    c.files = model.files;
    c.choice = random.Next();
    File& file = c.files[random.Below(c.files.size())];
    const bool text =
        file.name.ends_with(".json") || file.name.ends_with(".param");
    if (text && !random.Once(4))
      MutateText(random, file.bytes);
    else
      MutateBytes(random, file.bytes);
    if (c.files.size() > 1 && random.Once(30)) c.files.pop_back();
    return c;
  }
  std::string Try(const Case& c, const std::string& folder) override {
    munja_convert_options options = {};
    options.struct_size = sizeof(options);
    options.fp16 = c.choice & 1;
    options.skip_comparison = (c.choice >> 1 & 3) != 0;
    options.allow_custom_ops = c.choice >> 3 & 1;
    options.gpu_safe = (c.choice >> 4 & 3) == 0;
    char* report = nullptr;
    const Limit limit(kCaseMib);
    const munja_status status = munja_convert(
        (folder + "/" + c.files[0].name).c_str(),
        (folder + "/converted.tflite").c_str(), &options, &report);
    if (status != MUNJA_OK) return Judge(status);
    const std::string text = report != nullptr ? report : "";
    munja_free(report);
    if (!text.starts_with("{")) return "no report";
    // The written model can be loaded.
    munja_network* model = nullptr;
    const munja_status loaded =
        munja_network_load((folder + "/converted.tflite").c_str(), &model);
    munja_network_free(model);
    if (loaded == MUNJA_OK) return "";
    return std::string("converted, but not readable: ") + munja_last_error();
  }

 private:
  std::vector<Model> models_;
};

}  // namespace
}  // namespace munja::hostile

int main(int argc, char** argv) {
  munja::hostile::Conversions target;
  return munja::hostile::Run(argc, argv,
                             {.name = "conversions",
                              .write_files = true,
                              .case_seconds = 20,
                              .case_mib = munja::hostile::kCaseMib},
                             target);
}
