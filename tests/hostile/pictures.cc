// Pictures of every format: damaged, cut off, put together from two.
#include <cstring>
#include <utility>

#include "driver.h"
#include "image/codecs/testing.h"
#include "image/decode.h"
#include "image/testing.h"

namespace munja::hostile {
namespace {

// Small enough that the memory of one picture cannot hide what another takes
// beside its pixels.
constexpr int64_t kMostPixels = 4'000'000;

class Pictures : public Target {
 public:
  Pictures() {
    for (auto& file : image::test_pictures::EveryVariant()) {
      seeds_.push_back({file.name, {file.bytes.begin(), file.bytes.end()}});
    }
  }

  void AddSeed(const std::string& path, const std::string& bytes) override {
    if (bytes.size() > 1 << 20 || image::SniffFormat(Bytes(bytes)) == nullptr)
      return;
    seeds_.push_back({path, bytes});
  }

  Case Make(Random& random) override {
    const File& seed = random.Pick(seeds_);
    Case c;
    File file = {"picture", seed.bytes};
    switch (random.Below(8)) {
      case 0:
      case 1: {
        file.bytes.resize(random.Below(seed.bytes.size()));
        c.how = "the first " + std::to_string(file.bytes.size()) + " bytes of ";
        c.whole = seed.bytes;
        break;
      }
      case 2:
        file.bytes = Splice(random, seed.bytes, random.Pick(seeds_).bytes);
        c.how = "the beginning of ";
        break;
      default:
        MutateBytes(random, file.bytes);
        c.how = "damaged ";
        break;
    }
    c.how += seed.name;
    c.files = {std::move(file)};
    return c;
  }

  std::string Try(const Case& c, const std::string&) override {
    const Result<image::Image> picture = Decode(c.files[0].bytes);
    if (!picture.ok()) return Judge(picture.status());
    if (int64_t{picture->width()} * picture->height() > kMostPixels)
      return "more pixels than allowed";
    // Decoding twice reveals rows that were not written. A truncated picture
    // that can be read equals the whole one.
    const Result<image::Image> other =
        Decode(c.whole.empty() ? c.files[0].bytes : c.whole);
    if (!other.ok()) {
      // A damaged seed may be read without what is damaged.
      return c.whole.empty() ? "the second time an error: " +
                                   std::string(other.status().message())
                             : "";
    }
    if (image::test_pictures::LargestDifference(*picture, *other) == 0)
      return "";
    return c.whole.empty() ? "other pixels the second time"
                           : "cut off, and read as another picture";
  }

 private:
  static std::span<const uint8_t> Bytes(const std::string& bytes) {
    return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
  }
  static Result<image::Image> Decode(const std::string& bytes) {
    image::DecodeLimits limits;
    limits.max_pixels = kMostPixels;
    // The copy has exactly this size, so that a sanitizer detects accesses
    // beyond it.
    const std::vector<uint8_t> copy(bytes.begin(), bytes.end());
    return image::Decode(copy, limits);
  }

  std::vector<File> seeds_;
};

}  // namespace
}  // namespace munja::hostile

int main(int argc, char** argv) {
  munja::hostile::Pictures target;
  return munja::hostile::Run(
      argc, argv, {.name = "pictures", .case_seconds = 5, .case_mib = 256},
      target);
}
