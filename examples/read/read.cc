// Prints the lines of an image: confidence, box, text.
//
//   read receipt.jpg
//   1.00  173,174 737,264  BAKERY NORTHWIND
//   ...
#include <cstdio>
#include <string>

#include "munja/munja.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: read IMAGE\n", stderr);
    return 2;
  }
  const auto fail = [](const std::string& message) {
    std::fprintf(stderr, "read: %s\n", message.c_str());
    return 1;
  };
  // The engine is the expensive part: one serves any number of images.
  munja::Result<munja::Engine> engine = munja::Engine::Create();
  if (!engine.ok()) return fail(engine.message());
  const munja::Result<munja::Image> image = munja::Image::Load(argv[1]);
  if (!image.ok()) return fail(image.message());
  const munja::Result<munja::Page> page = engine->Read(*image);
  if (!page.ok()) return fail(page.message());
  for (const munja::Line line : page->lines()) {
    const munja::Box box = line.box();
    std::printf("%.2f  %.0f,%.0f %.0f,%.0f  %s\n", line.confidence(), box.left,
                box.top, box.right, box.bottom,
                std::string(line.text()).c_str());
  }
  return 0;
}
