// Loads, plans and runs synthetic models, made from random bytes as in
// model_fuzz, and damaged default models.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/control.h"
#include "call.h"
#include "driver.h"
#include "munja/runtime.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace munja::hostile {
namespace {

class Models : public Target {
 public:
  Models() : made_up_(Corpus("model_fuzz")), files_(Corpus("read_fuzz")) {
    for (const char* const name : {"detector.tflite", "recognizer.tflite"}) {
      std::ifstream in(std::string(MUNJA_SOURCE_DIR "/models/default/") + name,
                       std::ios::binary);
      files_.push_back({name, {std::istreambuf_iterator<char>(in), {}}});
    }
  }
  void AddSeed(const std::string& path, const std::string& bytes) override {
    if (path.ends_with(".tflite") && bytes.size() < 1 << 22)
      files_.push_back({path, bytes});
  }
  Case Make(Random& random) override {
    Case c;
    if (random.Once(4)) {
      const File& seed = random.Pick(files_);
      File file = {"model.tflite", seed.bytes};
      // A table, not a weight, most of the time.
      const size_t ends[] = {0, file.bytes.size() * 7 / 8,
                             random.Below(file.bytes.size() + 1)};
      const size_t at = ends[random.Below(3)];
      std::string piece = file.bytes.substr(at, 4096);
      const size_t length = piece.size();
      MutateBytes(random, piece);
      file.bytes.replace(at, length, piece);
      c.how = "damaged " + seed.name;
      c.files = {std::move(file)};
      return c;
    }
    File file = {"recipe", random.Once(2) ? random.Pick(made_up_).bytes : ""};
    if (file.bytes.empty()) {
      file.bytes.resize(20 + random.Below(300));
      for (char& byte : file.bytes) byte = static_cast<char>(random.Next());
    } else {
      MutateBytes(random, file.bytes);
    }
    c.how = "synthetic, from " + std::to_string(file.bytes.size()) + " bytes";
    c.files = {std::move(file)};
    return c;
  }
  std::string Try(const Case& c, const std::string&) override {
    // Models may ask for what they like; more than this they do not get.
    Control::Limits limits;
    limits.memory = size_t{256} << 20;
    limits.seconds = 5;
    Control control(limits);
    const ControlScope scope(&control);
    const std::string& bytes = c.files[0].bytes;
    const std::vector<uint8_t> copy(bytes.begin(), bytes.end());
    if (c.files[0].name == "recipe") {
      LLVMFuzzerTestOneInput(copy.data(), copy.size());  // Aborts on a bug.
      return "";
    }
    munja_network* model = nullptr;
    const munja_status status =
        munja_network_load_bytes(copy.data(), copy.size(), &model);
    if (status != MUNJA_OK) return Judge(status);
    munja_session* session = nullptr;
    munja_session_options options = {};
    options.struct_size = sizeof(options);
    options.threads = 1;
    std::string finding =
        Judge(munja_session_create(model, &options, &session));
    if (session != nullptr) finding = RunSession(session);
    munja_session_free(session);
    munja_network_free(model);
    return finding;
  }

 private:
  // Zeros into all inputs, free sizes small.
  static std::string RunSession(munja_session* session) {
    std::vector<munja_tensor> inputs;
    std::vector<std::vector<uint8_t>> memory;
    for (int32_t i = 0; i < munja_session_input_count(session); ++i) {
      munja_tensor_info info = {};
      info.struct_size = sizeof info;
      if (munja_session_input_info(session, i, &info) != MUNJA_OK) return "";
      munja_tensor& tensor = inputs.emplace_back();
      tensor = {};
      tensor.type = info.type;
      tensor.rank = info.rank;
      size_t bytes = 16;
      for (int32_t d = 0; d < info.rank; ++d) {
        tensor.dims[d] = info.dims[d] < 0 ? 32 : info.dims[d];
        bytes *= static_cast<size_t>(tensor.dims[d]);
        if (bytes > size_t{64} << 20) return "";
      }
      tensor.bytes = bytes / 16 * ElementBytes(info.type);
      memory.emplace_back(tensor.bytes + 1);
      tensor.data = memory.back().data();
    }
    return Judge(munja_session_run(session, inputs.data(),
                                   static_cast<int32_t>(inputs.size())));
  }
  static size_t ElementBytes(munja_element_type type) {
    switch (type) {
      case MUNJA_TYPE_COMPLEX128:
        return 16;
      case MUNJA_TYPE_INT64:
      case MUNJA_TYPE_UINT64:
      case MUNJA_TYPE_FLOAT64:
      case MUNJA_TYPE_COMPLEX64:
        return 8;
      case MUNJA_TYPE_FLOAT32:
      case MUNJA_TYPE_INT32:
      case MUNJA_TYPE_UINT32:
        return 4;
      case MUNJA_TYPE_FLOAT16:
      case MUNJA_TYPE_BFLOAT16:
      case MUNJA_TYPE_INT16:
      case MUNJA_TYPE_UINT16:
        return 2;
      default:
        return 1;
    }
  }

  std::vector<File> made_up_, files_;
};

}  // namespace
}  // namespace munja::hostile

int main(int argc, char** argv) {
  munja::hostile::Models target;
  return munja::hostile::Run(
      argc, argv, {.name = "models", .case_seconds = 20, .case_mib = 1024},
      target);
}
