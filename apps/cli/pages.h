// The pages of the files that are read, one at a time.
#ifndef MUNJA_CLI_PAGES_H_
#define MUNJA_CLI_PAGES_H_

#include <functional>
#include <optional>
#include <string>

#include "cli/exit_code.h"
#include "munja/munja.hpp"

namespace munja::cli {

struct PageArguments {
  int threads = 0;  // That decode; 0: one for each processor.
  bool is_line = false;
  bool all_frames = false;  // Animations have pages, too.
  std::optional<float> min_confidence;
};

struct ReadPage {
  std::string name;  // In messages; the options have that of results.
  int index, count;  // Among the pages of its file.
  const munja::Image& image;
  const munja::Page& page;
  munja::PageOptions options;  // For writers.
};

struct FileOutcome {
  int pages = 0;  // That were read and used.
  int first_failure = kSuccess;
};

// Reads the pages of a file ("-": standard input) and passes each to `use`,
// which returns an exit code, before the next is decoded. Pages that cannot be
// read do not stop the others; a result that cannot be written does. The pages
// of a file of several are named as PDF viewers name them: "book.pdf#page=2".
// `dump_directory`: for intermediate images; "": none.
FileOutcome ReadPages(munja::Engine& engine, const std::string& file,
                      const PageArguments& arguments,
                      const std::string& dump_directory,
                      const std::function<int(const ReadPage&)>& use);

}  // namespace munja::cli

#endif  // MUNJA_CLI_PAGES_H_
