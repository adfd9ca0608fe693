// Bundles: values of bundle.json, bytes of the files, files that are missing,
// swapped, too many, or no files at all; through the C interface.
#include <fstream>
#include <iterator>
#include <utility>

#include "bundle/sha256.h"
#include "bundle/testing.h"
#include "call.h"
#include "driver.h"
#include "munja/model.h"
#include "munja/ocr.h"

namespace munja::hostile {
namespace {

struct Bundle {
  std::string name;
  std::vector<File> files;  // bundle.json is the first.
};

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string Sum(const std::string& bytes) {
  const auto sum = bundle::Sha256(
      {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  return sum.ok() ? *sum : "";
}

// Puts `to` in the place of `from` as far as it occurs.
void Replace(std::string& text, const std::string& from,
             const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
       at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

class Bundles : public Target {
 public:
  Bundles() {
    bundle::TinyBundle made;
    Bundle tiny = {"tiny bundle", FilesOf(made)};
    made.AddIntegerNetworks();
    Bundle both = {"tiny bundle in two precisions", FilesOf(made)};
    Bundle standard = {"default", {}};
    for (const char* const name :
         {"bundle.json", "detector.tflite", "recognizer.tflite",
          "dictionary.txt", "latin.lm", "korean.lm"}) {
      standard.files.push_back(
          {name,
           ReadAll(std::string(MUNJA_SOURCE_DIR "/models/default/") + name)});
    }
    bundles_ = {std::move(tiny), std::move(both), std::move(standard)};
  }
  void AddSeed(const std::string&, const std::string&) override {}

  Case Make(Random& random) override {
    const Bundle& bundle = bundles_[random.Below(bundles_.size())];
    Case c;
    c.files = bundle.files;
    c.choice = random.Next();
    File& json = c.files[0];
    const size_t other = 1 + random.Below(c.files.size() - 1);
    File& file = c.files[other];
    switch (random.Below(8)) {
      case 0:
      case 1:
      case 2:
        if (const size_t at = json.bytes.find("\"integer\"");
            at != std::string::npos && !random.Once(3)) {
          // The networks of the second precision alone.
          const size_t length = LengthOfMember(json.bytes, at);
          std::string piece = json.bytes.substr(at, length);
          MutateText(random, piece);
          json.bytes.replace(at, length, piece);
          c.how = "damaged \"integer\" of ";
          break;
        }
        MutateText(random, json.bytes);
        c.how = "damaged bundle.json of ";
        break;
      case 3:
      case 4:
      case 5: {
        // The sum is made to fit, so that the file itself is looked at.
        const std::string sum = Sum(file.bytes);
        const std::string size = ": " + std::to_string(file.bytes.size());
        if (file.name.ends_with(".txt") && !random.Once(3)) {
          MutateText(random, file.bytes);
        } else if (random.Once(2)) {
          MutateBytes(random, file.bytes);
        } else {
          // A table, not a weight, most of the time.
          const size_t at = random.Once(2) ? 0 : file.bytes.size() * 7 / 8;
          std::string piece = file.bytes.substr(at, 4096);
          const size_t length = piece.size();
          MutateBytes(random, piece);
          file.bytes.replace(at, length, piece);
        }
        if (!random.Once(10)) {
          Replace(json.bytes, sum, Sum(file.bytes));
          Replace(json.bytes, size, ": " + std::to_string(file.bytes.size()));
          Replace(json.bytes, size.substr(0, 1) + size.substr(2),
                  ":" + std::to_string(file.bytes.size()));
        }
        c.how = "damaged " + file.name + " of ";
        break;
      }
      case 6: {
        static const std::vector<File::Kind> kKinds = {
            File::kFolder, File::kFifo, File::kDanglingLink};
        File& any = c.files[random.Below(c.files.size())];
        c.how = any.name + " is no file, of ";
        if (random.Once(4)) {
          c.how = "without " + any.name + ", of ";
          any.name += ".away";
        } else {
          any.kind = random.Pick(kKinds);
        }
        break;
      }
      default: {
        // The sums still fit when the names are swapped along with the files.
        const size_t second = 1 + random.Below(c.files.size() - 1);
        const std::string a = c.files[other].name, b = c.files[second].name;
        if (random.Once(2)) {
          Replace(json.bytes, '"' + a + '"', "\"?\"");
          Replace(json.bytes, '"' + b + '"', '"' + a + '"');
          Replace(json.bytes, "\"?\"", '"' + b + '"');
          std::string text = json.bytes;
          SwapEntries(text, c.files[other], c.files[second]);
          json.bytes = text;
        } else {
          std::swap(c.files[other].bytes, c.files[second].bytes);
        }
        c.how = a + " and " + b + " swapped in ";
        break;
      }
    }
    c.how += bundle.name;
    return c;
  }

  std::string Try(const Case& c, const std::string& folder) override {
    std::string finding = Judge(munja_model_verify(folder.c_str()));
    if (!finding.empty()) return "verify: " + finding;
    munja_engine_options options = {};
    options.struct_size = sizeof(options);
    options.model = folder.c_str();
    options.threads = 1;
    options.precision = (c.choice & 7) == 0   ? MUNJA_PRECISION_FLOAT16
                        : (c.choice & 8) == 0 ? MUNJA_PRECISION_DEFAULT
                                              : MUNJA_PRECISION_FLOAT32;
    munja_engine* engine = nullptr;
    const munja_status status = munja_engine_create(&options, &engine);
    if (status != MUNJA_OK) {
      finding = Judge(status);
      return finding.empty() ? "" : "open: " + finding;
    }
    finding = Read(engine);
    munja_engine_free(engine);
    return finding.empty() ? "" : "read: " + finding;
  }

 private:
  // bundle.json is the first.
  static std::vector<File> FilesOf(const bundle::TinyBundle& made) {
    std::vector<File> files = {{"bundle.json", made.files.at("bundle.json")}};
    for (const auto& [name, text] : made.files)
      if (name != "bundle.json") files.push_back({name, text});
    return files;
  }
  // From its name to its last brace.
  static size_t LengthOfMember(const std::string& json, size_t at) {
    size_t end = json.find('{', at), depth = 0;
    for (; end < json.size(); ++end) {
      if (json[end] == '{') ++depth;
      if (json[end] == '}' && --depth == 0) return end + 1 - at;
    }
    return json.size() - at;
  }
  // Exchanges sizes and sums of two files where they stand.
  static void SwapEntries(std::string& json, const File& a, const File& b) {
    const std::pair<std::string, std::string> pairs[] = {
        {Sum(a.bytes), Sum(b.bytes)},
        {std::to_string(a.bytes.size()), std::to_string(b.bytes.size())}};
    for (const auto& [x, y] : pairs) {
      Replace(json, x, "?");
      Replace(json, y, x);
      Replace(json, "?", y);
    }
  }

  static std::string Read(munja_engine* engine) {
    constexpr int32_t kWidth = 160, kHeight = 64;
    std::vector<uint8_t> pixels(size_t{3} * kWidth * kHeight, 255);
    for (int32_t y = 20; y < 44; ++y)
      for (int32_t x = 16; x < 140; ++x)
        if (x / 4 % 2 == 0)
          for (int32_t i = 0; i < 3; ++i)
            pixels[static_cast<size_t>(3 * (y * kWidth + x) + i)] = 0;
    munja_image* image = nullptr;
    std::string finding = Judge(munja_image_from_rgb(
        pixels.data(), kWidth, kHeight, size_t{3} * kWidth, &image));
    munja_document* document = nullptr;
    if (finding.empty()) {
      const munja_status status =
          munja_engine_read(engine, image, nullptr, &document);
      finding = Judge(status);
      char* json = nullptr;
      if (status == MUNJA_OK)
        finding = Judge(munja_document_to_json(document, "picture", &json));
      munja_free(json);
    }
    munja_document_free(document);
    munja_image_free(image);
    return finding;
  }

  std::vector<Bundle> bundles_;
};

}  // namespace
}  // namespace munja::hostile

int main(int argc, char** argv) {
  munja::hostile::Bundles target;
  return munja::hostile::Run(argc, argv,
                             {.name = "bundles",
                              .write_files = true,
                              .case_seconds = 20,
                              .case_mib = 1024},
                             target);
}
