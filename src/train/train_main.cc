// munja-train: synthetic text, training, export.
#include <cstdio>

int main() {
  std::fprintf(stderr, "munja-train: no command given\n");
  return 2;
}
