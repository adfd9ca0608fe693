// Runs a fuzz target over files, so that every build replays the corpora.
// Arguments: files or folders. Each file is also replayed cut off at every 1/16
// of its length.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

int Replay(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), {});
  for (size_t part = 0; part <= 16; ++part) {
    const size_t size = bytes.size() * part / 16;
    // A copy of exactly this size, so that a sanitizer sees every overrun.
    const std::vector<uint8_t> input(bytes.begin(),
                                     bytes.begin() + static_cast<long>(size));
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::filesystem::is_directory(argv[i])) {
      for (const auto& entry :
           std::filesystem::recursive_directory_iterator(argv[i]))
        if (entry.is_regular_file()) files += Replay(entry.path());
    } else if (std::filesystem::exists(argv[i])) {
      files += Replay(argv[i]);
    }
  }
  const uint8_t nothing = 0;
  LLVMFuzzerTestOneInput(&nothing, 0);
  std::printf("%d files replayed\n", files);
  return 0;
}
