// Prints the name of the built-in model.
#include <cstdio>

#include "munja/munja.hpp"

int main() {
  try {
    std::printf("%s\n", munja::Engine().name().c_str());
  } catch (const munja::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
