// The files that munja read writes: one for each format.
#ifndef MUNJA_CLI_PAGE_FILES_H_
#define MUNJA_CLI_PAGE_FILES_H_

#include <optional>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "munja/munja.hpp"

namespace munja::cli {

std::vector<std::string> FormatNames();

// Pages go to the files as they are added; Finish() puts the files in place. A
// format that has one page in a file (PAGE XML) gets more files: the second
// page of "book.page.xml" is in "book-2.page.xml".
class PageFiles {
 public:
  // kSuccess, or a message and an exit code. `output`: the name of the file; of
  // several formats each gets its own extension in the place of theirs, if it
  // has one, or behind it.
  int Open(const std::vector<std::string>& formats, const std::string& output);
  // The same with the extension of each format behind `base`.
  int OpenBase(const std::vector<std::string>& formats,
               const std::string& base);
  // To all files; one that it cannot be added to is not written at all. `name`:
  // the page in messages.
  int Add(const munja::Page& page, const munja::PageOptions& options,
          const std::string& name);
  int Finish();
  // Whether there is no file left that pages can be added to.
  bool is_done() const;
  // The names that OpenBase() gives.
  static std::vector<std::string> NamesOf(
      const std::vector<std::string>& formats, const std::string& base);
  // The names of what is written.
  std::vector<std::string> names() const;

 private:
  int OpenFile(const std::string& format, const std::string& file);
  struct File {
    std::string name;                     // As users call it.
    std::optional<munja::Writer> writer;  // None: it has failed.
    std::string format = {};
    int pages = 0;
  };
  static munja::Status AddTo(File* file, const munja::Page& page,
                             const munja::PageOptions& options);
  std::vector<File> files_;
  int write_failure_ = kSuccess;
};

}  // namespace munja::cli

#endif  // MUNJA_CLI_PAGE_FILES_H_
