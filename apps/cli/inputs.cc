#include "cli/inputs.h"

#include <glob.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "cli/exit_code.h"
#include "cli/streams.h"

namespace munja::cli {
namespace {

double page_dpi = 0;  // Set before anything is read.

namespace fs = std::filesystem;

// " jpg jpeg ... " of the library has this extension.
bool IsPicture(const fs::path& path) {
  std::string extension = path.extension().string();
  if (extension.size() < 2) return false;
  extension.erase(0, 1);
  for (char& c : extension)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::string all = " " + std::string(munja_image_extensions()) + " ";
  return all.find(" " + extension + " ") != std::string::npos;
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

// Reads the rest of a stream.
template <class Bytes>
void ReadRest(std::istream& stream, Bytes* bytes) {
  constexpr size_t kBlock = size_t{1} << 16;
  bytes->clear();
  while (stream) {
    const size_t size = bytes->size();
    bytes->resize(size + kBlock);
    stream.read(reinterpret_cast<char*>(bytes->data() + size), kBlock);
    bytes->resize(size + static_cast<size_t>(stream.gcount()));
  }
}

// The names in a list, one a line; false when it cannot be read.
bool ReadList(const std::string& list, std::vector<std::string>* names) {
  std::string bytes;
  if (IsStandardInput(list)) {
    std::vector<unsigned char> read;
    constexpr size_t kMost = size_t{64} << 20;
    if (!ReadStandardInput(kMost, &read)) return false;
    bytes.assign(read.begin(), read.end());
  } else {
    std::ifstream stream(list, std::ios::binary);
    if (!stream) {
      PrintError(list, "cannot open the list");
      return false;
    }
    ReadRest(stream, &bytes);
  }
  for (size_t begin = 0; begin < bytes.size();) {
    const size_t end = std::min(bytes.find('\n', begin), bytes.size());
    std::string name = bytes.substr(begin, end - begin);
    if (!name.empty() && name.back() == '\r') name.pop_back();
    if (!name.empty()) names->push_back(std::move(name));
    begin = end + 1;
  }
  return true;
}

}  // namespace

Inputs ExpandInputs(const std::vector<std::string>& arguments,
                    const InputOptions& options) {
  Inputs inputs;
  std::vector<std::string> all = arguments;
  if (!options.list.empty() && !ReadList(options.list, &all)) ++inputs.errors;
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

munja_decode_options DecodeOptions(int threads, int32_t picture) {
  munja_decode_options options = {};
  options.struct_size = sizeof options;
  options.threads = threads;
  options.picture = picture;
  options.dpi = page_dpi;
  return options;
}

munja_status LoadImage(const std::string& file, int threads, ImageHandle* image,
                       std::vector<unsigned char>* bytes) {
  const munja_decode_options options = DecodeOptions(threads);
  munja_image* loaded = nullptr;
  munja_status status = MUNJA_OK;
  if (IsStandardInput(file)) {
    std::vector<unsigned char> read;
    // The limit is the library's. After a failed read the decoder fails and
    // reports its message, too.
    ReadStandardInput(size_t{512} << 20, &read);
    status = munja_image_decode(read.data(), read.size(), &options, &loaded);
    if (bytes != nullptr) *bytes = std::move(read);
  } else {
    status = munja_image_load(file.c_str(), &options, &loaded);
    std::error_code error;
    if (bytes != nullptr && status == MUNJA_OK &&
        fs::is_regular_file(file, error)) {
      std::ifstream stream(file, std::ios::binary);
      ReadRest(stream, bytes);
    }
  }
  if (status == MUNJA_OK) image->reset(loaded);
  return status;
}

int LoadFile(const std::string& file, std::vector<unsigned char>* bytes) {
  if (IsStandardInput(file))
    return ReadStandardInput(size_t{512} << 20, bytes) ? kSuccess : kBadInput;
  if (const int code = CheckIsFile(file); code != kSuccess) return code;
  std::error_code error;
  if (fs::is_directory(file, error)) {
    PrintError(file, "a folder is no picture");
    return kBadInput;
  }
  std::ifstream stream(file, std::ios::binary);
  if (stream) ReadRest(stream, bytes);
  if (stream.is_open() && !stream.bad()) return kSuccess;
  PrintError(file, std::string("cannot read: ") + std::strerror(errno));
  return kBadInput;
}

int32_t PicturesIn(const std::vector<unsigned char>& bytes, bool all) {
  const std::string head(
      bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(
                                         std::min<size_t>(bytes.size(), 4)));
  if (!all && (head == "GIF8" || head == "RIFF")) return 1;
  int32_t count = 0;
  if (munja_image_count(bytes.data(), bytes.size(), &count) != MUNJA_OK)
    return 1;
  return std::max(count, 1);
}

std::string DisplayName(const std::string& file) {
  return IsStandardInput(file) ? "standard input" : file;
}

}  // namespace munja::cli
