#include "cli/inputs.h"

#include <glob.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/exit_code.h"
#include "cli/shown.h"
#include "cli/streams.h"

namespace munja::cli {
namespace {

double page_dpi = 0;  // Set before anything is read.

namespace fs = std::filesystem;

bool IsPicture(const fs::path& path) {
  std::string extension = path.extension().string();
  if (extension.size() < 2) return false;
  extension.erase(0, 1);
  for (char& c : extension)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  static const std::vector<std::string> known = munja::ImageExtensions();
  return std::find(known.begin(), known.end(), extension) != known.end();
}

void AddFolder(const std::string& folder, bool is_recursive, Inputs* inputs) {
  std::vector<std::pair<std::string, std::string>> found;
  std::error_code error;
  // Folders that cannot be listed are named, not passed over.
  std::vector<fs::path> open = {folder};
  for (size_t i = 0; i < open.size(); ++i) {
    const fs::path here = open[i];
    std::error_code failed;
    for (fs::directory_iterator it(here, failed), end; !failed && it != end;
         it.increment(failed)) {
      std::error_code ignored;
      if (it->is_regular_file(ignored) && IsPicture(it->path())) {
        std::string below =
            it->path().parent_path().lexically_relative(folder).string();
        if (below == ".") below.clear();
        found.emplace_back(it->path().string(), std::move(below));
      } else if (is_recursive && !it->is_symlink(ignored) &&
                 it->is_directory(ignored)) {
        open.push_back(it->path());
      }
    }
    if (failed) {
      PrintError(here.string(), "cannot list the folder: " + failed.message());
      ++inputs->errors;
      error = failed;
    }
  }
  if (found.empty() && !error) {
    PrintError(folder, "there are no pictures in this folder");
    ++inputs->errors;
  }
  std::sort(found.begin(), found.end());
  for (auto& [file, below] : found) {
    inputs->files.push_back(std::move(file));
    inputs->folders.push_back(std::move(below));
  }
}

void AddPattern(const std::string& pattern, Inputs* inputs) {
  glob_t found = {};
  if (::glob(pattern.c_str(), 0, nullptr, &found) != 0) {
    PrintError(pattern, "no file has a name like this");
    ++inputs->errors;
  }
  for (size_t i = 0; i < found.gl_pathc; ++i) {
    inputs->files.emplace_back(found.gl_pathv[i]);
    inputs->folders.emplace_back();
  }
  ::globfree(&found);
}

// The names in a list; false, with a message, when there are none. A line ends
// each or, with `has_nul`, a zero byte, as find -print0 writes.
bool ReadList(const std::string& list, bool has_nul,
              std::vector<std::string>* names) {
  std::vector<unsigned char> read;
  constexpr size_t kMost = size_t{64} << 20;
  if (ReadInput(list, &read, kMost) != kSuccess) return false;
  const std::string bytes(read.begin(), read.end());
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const char end_of_name = has_nul ? '\0' : '\n';
  bool is_empty = true;
  for (size_t begin = bytes.starts_with(kByteOrderMark) ? 3 : 0;
       begin < bytes.size();) {
    const size_t end = std::min(bytes.find(end_of_name, begin), bytes.size());
    std::string name = bytes.substr(begin, end - begin);
    if (!has_nul && !name.empty() && name.back() == '\r') name.pop_back();
    if (!has_nul && name.find('\0') != std::string::npos) {
      PrintError(DisplayName(list),
                 "a name has a zero byte in it: --null reads lists whose names "
                 "end with one");
      return false;
    }
    is_empty = is_empty && name.empty();
    if (!name.empty()) names->push_back(std::move(name));
    begin = end + 1;
  }
  if (is_empty)
    PrintError(DisplayName(list), "there are no names in this list");
  return !is_empty;
}

// The library reads it.
constexpr char kPassword[] = "MUNJA_PDF_PASSWORD";

bool NeedsPassword(const std::string& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(stream), {});
  if (!bytes.starts_with("%PDF-") ||
      bytes.find("/Encrypt") == std::string::npos)
    return false;
  constexpr double kLeastDpi = 4;  // Whether it opens is all that is wanted.
  return munja::Image::Decode(
             {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()},
             {.dpi = kLeastDpi})
             .code() == MUNJA_UNSUPPORTED;
}

// Letters that are typed are not shown.
std::string AskForPassword(const std::string& file) {
  std::fprintf(stderr, "Password of %s: ", Shown(file).c_str());
  termios before = {};
  const bool is_hidden = ::tcgetattr(STDIN_FILENO, &before) == 0;
  termios hidden = before;
  hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  if (is_hidden) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
  std::string line;
  std::getline(std::cin, line);
  if (is_hidden) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
  std::fputs("\n", stderr);
  return line;
}

}  // namespace

Inputs ExpandInputs(const std::vector<std::string>& arguments,
                    const InputOptions& options) {
  Inputs inputs;
  std::vector<std::string> all = arguments;
  if (!options.list.empty() &&
      !ReadList(options.list, options.is_list_of_nul, &all))
    ++inputs.errors;
  for (const std::string& argument : all) {
    std::error_code error;
    if (argument.empty()) {
      PrintError("", "an argument is empty where a picture is expected");
      ++inputs.errors;
      continue;
    }
    const bool is_pattern = argument.find_first_of("*?") != std::string::npos;
    if (argument != "-" && fs::is_directory(argument, error)) {
      AddFolder(argument, options.is_recursive, &inputs);
    } else if (is_pattern && !fs::exists(argument, error)) {
      AddPattern(argument, &inputs);
    } else {
      inputs.files.push_back(argument);
      inputs.folders.emplace_back();
    }
  }
  return inputs;
}

void SetPageDpi(double dpi) { page_dpi = dpi; }

void SetPdfPassword(const std::string& password,
                    const std::vector<std::string>& files) {
  if (!password.empty()) {
    ::setenv(kPassword, password.c_str(), 1);
    return;
  }
  if (std::getenv(kPassword) != nullptr || ::isatty(STDIN_FILENO) == 0 ||
      ::isatty(STDERR_FILENO) == 0)
    return;
  for (const std::string& file : files) {
    if (!NeedsPassword(file)) continue;
    const std::string typed = AskForPassword(file);
    if (!typed.empty()) ::setenv(kPassword, typed.c_str(), 1);
    return;
  }
}

munja::DecodeOptions Decoding(int threads, int picture) {
  return {.threads = threads, .picture = picture, .dpi = page_dpi};
}

munja::Result<munja::Image> LoadImage(const std::string& file, int threads) {
  if (!IsStandardInput(file))
    return munja::Image::Load(file, Decoding(threads));
  std::vector<unsigned char> bytes;
  // After a failed read the decoder fails and reports its message, too.
  ReadInput(file, &bytes);
  return munja::Image::Decode(bytes, Decoding(threads));
}

int PicturesIn(std::span<const uint8_t> bytes, bool all) {
  const std::string head(
      bytes.begin(), bytes.begin() + std::min<ptrdiff_t>(std::ssize(bytes), 4));
  if (!all && (head == "GIF8" || head == "RIFF")) return 1;
  const munja::Result<int> count = munja::Image::Count(bytes);
  return count.ok() ? std::max(*count, 1) : 1;
}

std::string DisplayName(const std::string& file) {
  return IsStandardInput(file) ? "standard input" : file;
}

}  // namespace munja::cli
