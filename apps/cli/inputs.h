// The pictures that a command line names.
#ifndef MUNJA_CLI_INPUTS_H_
#define MUNJA_CLI_INPUTS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "munja/munja.hpp"

namespace munja::cli {

struct Inputs {
  std::vector<std::string> files;  // In the order of reading; "-" is stdin.
  // The folder of each file below the argument that named a folder; else "".
  std::vector<std::string> folders;
  int errors = 0;  // Arguments that named nothing, reported.
};

struct InputOptions {
  bool is_recursive = false;    // Pictures of subfolders, too.
  std::string list;             // A file of names, one a line; "-": stdin.
  bool is_list_of_nul = false;  // A zero byte ends each name, not a line.
};

// A folder stands for the pictures in it (by extension, sorted by name); a name
// that is no file, but has * or ? in it, for the files of that pattern, as
// shells expand it; anything else for itself.
Inputs ExpandInputs(const std::vector<std::string>& arguments,
                    const InputOptions& options = {});

// Sets the resolution of the pages of PDF files that are read from now on; 0:
// the library's choice.
void SetPageDpi(double dpi);
// Sets the password of PDF files that are read from now on; "":
// $MUNJA_PDF_PASSWORD or, where one of the files needs one and a person sits at
// the terminal, what that person types.
void SetPdfPassword(const std::string& password,
                    const std::vector<std::string>& files);
// How a picture of a file is decoded, by `threads` (0: one for each processor).
munja::DecodeOptions Decoding(int threads, int picture = 0);

// The first picture of a file; "-" reads standard input to its end.
munja::Result<munja::Image> LoadImage(const std::string& file, int threads);

// The pictures to read of a file with these bytes: all its pages, of an
// animation the first unless `all`. At least 1.
int PicturesIn(std::span<const uint8_t> bytes, bool all);

// The name of the file in messages and results.
std::string DisplayName(const std::string& file);

}  // namespace munja::cli

#endif  // MUNJA_CLI_INPUTS_H_
