// The C++ wrapper as a program uses it. Argument: a picture.
#include <cstdio>
#include <string>

#include "munja/munja.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto image = munja::api::Image::Load(argv[1]);
  if (image.width() != 900 || image.height() != 1180) return 1;
  try {
    munja::api::Image::Load(argv[1], {.max_pixels = 1000});
    std::fputs("a picture above the limit was decoded\n", stderr);
    return 1;
  } catch (const munja::api::Error& e) {
    if (e.status() != MUNJA_OUT_OF_MEMORY) return 1;
  }
  try {
    munja::api::Engine engine("/no/such/bundle");
    std::fputs("a bundle that does not exist was opened\n", stderr);
    return 1;
  } catch (const munja::api::Error& e) {
    if (e.status() != MUNJA_NOT_FOUND ||
        std::string(e.what()).find("/no/such/bundle") == std::string::npos) {
      std::fprintf(stderr, "%s\n", e.what());
      return 1;
    }
  }
  // Where a model is built in: options reach the engine.
  try {
    munja::api::Engine engine;
    const auto all = engine.Read(image);
    const auto boxes = engine.Read(image, {.task = MUNJA_DETECT_ONLY});
    const auto sure = engine.Read(image, {.min_confidence = 0.995f});
    const auto line = engine.Read(image, {.task = MUNJA_READ_LINE});
    if (all.lines().empty() || boxes.lines().empty() ||
        line.lines().size() != 1 || all.lines()[0].text[0] == 0 ||
        boxes.lines()[0].text[0] != 0 ||
        sure.lines().size() >= all.lines().size()) {
      std::fputs("options of Read do not reach the engine\n", stderr);
      return 1;
    }
  } catch (const munja::api::Error& e) {
    if (e.status() != MUNJA_NOT_FOUND) {
      std::fprintf(stderr, "%s\n", e.what());
      return 1;
    }
  }
  return 0;
}
