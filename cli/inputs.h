// The pictures that a command line names.
#ifndef MUNJA_CLI_INPUTS_H_
#define MUNJA_CLI_INPUTS_H_

#include <string>
#include <vector>

#include "munja/image.h"
#include "munja/munja.hpp"

namespace munja::cli {

using ImageHandle = api::Handle<munja_image, munja_image_free>;

struct Inputs {
  std::vector<std::string> files;  // In the order of reading; "-" is stdin.
  int errors = 0;                  // Arguments that named nothing, reported.
};

// A folder stands for the pictures in it (by extension, sorted by name, not
// those of its subfolders); anything else for itself.
Inputs ExpandInputs(const std::vector<std::string>& arguments);

// Loads a picture; "-" reads standard input to its end. `threads` may decode it
// (0: one for each processor). `bytes` may be null: those of the file, where
// they can be read again.
munja_status LoadImage(const std::string& file, int threads, ImageHandle* image,
                       std::vector<unsigned char>* bytes = nullptr);

// What messages and results call it.
std::string DisplayName(const std::string& file);

}  // namespace munja::cli

#endif  // MUNJA_CLI_INPUTS_H_
