// The C++ wrapper as a program uses it. Argument: a picture.
#include <cstdio>
#include <string>

#include "munja/munja.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto image = munja::api::Image::Load(argv[1]);
  if (image.width() != 900 || image.height() != 1180) return 1;
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
  return 0;
}
