// The pictures that a command line names.
#ifndef MUNJA_CLI_INPUTS_H_
#define MUNJA_CLI_INPUTS_H_

#include <string>
#include <vector>

#include "munja/image.h"
#include "munja/munja.hpp"

namespace munja::cli {

using ImageHandle = munja::Handle<munja_image, munja_image_free>;

struct Inputs {
  std::vector<std::string> files;  // In the order of reading; "-" is stdin.
  // The folder of each file below the argument that named a folder; else "".
  std::vector<std::string> folders;
  int errors = 0;  // Arguments that named nothing, reported.
};

struct InputOptions {
  bool is_recursive = false;  // Pictures of subfolders, too.
  std::string list;           // A file of names, one a line; "-": stdin.
};

// A folder stands for the pictures in it (by extension, sorted by name); a name
// that is no file, but has * or ? in it, for the files of that pattern, as
// shells expand it; anything else for itself.
Inputs ExpandInputs(const std::vector<std::string>& arguments,
                    const InputOptions& options = {});

// Sets the resolution of the pages of PDF files that are read from now on; 0:
// the library's choice.
void SetPageDpi(double dpi);
// How a picture of a file is decoded, by `threads` (0: one for each processor).
munja_decode_options DecodeOptions(int threads, int32_t picture = 0);

// Loads a picture; "-" reads standard input to its end. `threads` may decode it
// (0: one for each processor). `bytes` may be null: it receives those of
// the file, where they can be read a second time.
munja_status LoadImage(const std::string& file, int threads, ImageHandle* image,
                       std::vector<unsigned char>* bytes = nullptr);

// The bytes of a file, or of standard input. A message and the exit code when
// they cannot be read.
int LoadFile(const std::string& file, std::vector<unsigned char>* bytes);

// The pictures to read of a file with these bytes: all its pages, of an
// animation the first unless `all`. At least 1.
int32_t PicturesIn(const std::vector<unsigned char>& bytes, bool all);

// The name of the file in messages and results.
std::string DisplayName(const std::string& file);

}  // namespace munja::cli

#endif  // MUNJA_CLI_INPUTS_H_
