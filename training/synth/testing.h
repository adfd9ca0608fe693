// Files and recipes for the tests of synthetic text.
#ifndef MUNJA_SYNTH_TESTING_H_
#define MUNJA_SYNTH_TESTING_H_

#include <string>
#include <string_view>

#include "synth/alphabet.h"

namespace munja::train::test_files {

// Writes a file of the running test's own folder and returns its path.
std::string Write(const std::string& name, std::string_view content);

// An alphabet of these characters.
Alphabet MakeAlphabet(std::string_view characters);
// Printable ASCII.
Alphabet Ascii();

// training/recipes/ of these sources.
std::string Recipe(const std::string& name);

// DejaVu's fonts are part of what the training kit is built and tested with.
inline constexpr const char* kFont =
    "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf";

}  // namespace munja::train::test_files

#endif  // MUNJA_SYNTH_TESTING_H_
