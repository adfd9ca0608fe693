// Prints the text of an image.
#include <cstdio>

#include "munja/munja.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    munja::Engine engine;
    const munja::Image image = munja::Image::Load(argv[1]).value();
    std::fputs(engine.Read(image).value().ToText().c_str(), stdout);
  } catch (const munja::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
