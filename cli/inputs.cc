#include "cli/inputs.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "cli/exit_code.h"
#include "cli/streams.h"

namespace munja::cli {
namespace {

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

void AddFolder(const std::string& folder, Inputs* inputs) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored) && IsPicture(it->path()))
      found.push_back(it->path().string());
  }
  if (error) {
    PrintError(folder, "cannot list the folder: " + error.message());
    ++inputs->errors;
  } else if (found.empty()) {
    PrintError(folder, "there are no pictures in this folder");
    ++inputs->errors;
  }
  std::sort(found.begin(), found.end());
  inputs->files.insert(inputs->files.end(), found.begin(), found.end());
}

}  // namespace

Inputs ExpandInputs(const std::vector<std::string>& arguments) {
  Inputs inputs;
  for (const std::string& argument : arguments) {
    std::error_code error;
    if (argument.empty()) {
      PrintError("", "an argument is empty where a picture is expected");
      ++inputs.errors;
      continue;
    }
    if (argument != "-" && fs::is_directory(argument, error)) {
      AddFolder(argument, &inputs);
    } else {
      inputs.files.push_back(argument);
    }
  }
  return inputs;
}

munja_status LoadImage(const std::string& file, int threads, ImageHandle* image,
                       std::vector<unsigned char>* bytes) {
  munja_decode_options options = {};
  options.struct_size = sizeof options;
  options.threads = threads;
  munja_image* loaded = nullptr;
  munja_status status = MUNJA_OK;
  if (IsStandardInput(file)) {
    std::vector<unsigned char> read;
    // What the library takes. What cannot be read is no picture: that message
    // comes, too.
    ReadStandardInput(size_t{512} << 20, &read);
    status = munja_image_decode(read.data(), read.size(), &options, &loaded);
    if (bytes != nullptr) *bytes = std::move(read);
  } else {
    status = munja_image_load(file.c_str(), &options, &loaded);
    std::error_code error;
    if (bytes != nullptr && status == MUNJA_OK &&
        fs::is_regular_file(file, error)) {
      std::ifstream stream(file, std::ios::binary);
      bytes->assign(std::istreambuf_iterator<char>(stream), {});
    }
  }
  if (status == MUNJA_OK) image->reset(loaded);
  return status;
}

std::string DisplayName(const std::string& file) {
  return IsStandardInput(file) ? "standard input" : file;
}

}  // namespace munja::cli
