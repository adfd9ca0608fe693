// The files that munja read writes: one for each format.
#ifndef MUNJA_CLI_PAGE_FILES_H_
#define MUNJA_CLI_PAGE_FILES_H_

#include <string>
#include <vector>

#include "munja/munja.hpp"

namespace munja::cli {

using WriterHandle = munja::Handle<munja_writer, munja_writer_free>;

// The description of a format from munja_format_get().
struct Format {
  std::string name, extension, media_type;
};
const std::vector<Format>& Formats();
std::vector<std::string> FormatNames();
// By the end of a file's name; null where it says nothing.
const Format* FormatOf(const std::string& file);

// Whether a file of one of these formats shows the picture that was read.
bool ShowsPictures(const std::vector<std::string>& formats);

class PageFiles {
 public:
  // kSuccess, or a message and an exit code. `output`: the name of the file; of
  // several formats each gets its own extension in the place of theirs, if it
  // has one, or behind it.
  int Open(const std::vector<std::string>& formats, const std::string& output);
  // The same with the extension of each format behind `base`.
  int OpenBase(const std::vector<std::string>& formats,
               const std::string& base);
  // To all files; one that it cannot be added to is not written at all.
  int Add(const munja_page& page, const std::string& name);
  int Finish();
  // The names of what is written.
  std::vector<std::string> names() const;

 private:
  int OpenFile(const std::string& format, std::string file);
  struct File {
    std::string name, path;  // As users and as the library call it.
    WriterHandle writer;
    std::string bytes = {};
    bool has_failed = false;
  };
  static int Take(File* file);
  std::vector<File> files_;
};

}  // namespace munja::cli

#endif  // MUNJA_CLI_PAGE_FILES_H_
