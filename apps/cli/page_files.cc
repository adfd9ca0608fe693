#include "cli/page_files.h"

#include <algorithm>
#include <utility>

#include "cli/exit_code.h"
#include "cli/streams.h"
#include "munja/tools/file.h"

namespace munja::cli {
namespace {

bool EndsWith(const std::string& file, const std::string& extension) {
  return file.size() > extension.size() + 1 && file.ends_with("." + extension);
}

}  // namespace

const std::vector<Format>& Formats() {
  static const std::vector<Format> formats = [] {
    std::vector<Format> all;
    for (int32_t i = 0; i < munja_format_count(); ++i) {
      munja_format format = {};
      format.struct_size = sizeof format;
      if (munja_format_get(i, &format) == MUNJA_OK)
        all.push_back({format.name, format.extension, format.media_type});
    }
    return all;
  }();
  return formats;
}

std::vector<std::string> FormatNames() {
  std::vector<std::string> names;
  for (const Format& format : Formats()) names.push_back(format.name);
  return names;
}

const Format* FormatOf(const std::string& file) {
  const Format* longest = nullptr;
  for (const Format& format : Formats())
    if (EndsWith(file, format.extension) &&
        (longest == nullptr ||
         format.extension.size() > longest->extension.size()))
      longest = &format;
  return longest;
}

bool ShowsPictures(const std::vector<std::string>& formats) {
  return std::any_of(formats.begin(), formats.end(), [](const auto& name) {
    for (const Format& format : Formats())
      if (format.name == name)
        return format.media_type == "application/pdf" ||
               format.media_type.starts_with("image/");
    return false;
  });
}

int PageFiles::Open(const std::vector<std::string>& formats,
                    const std::string& output) {
  std::string base = output;
  if (formats.size() > 1) {
    if (const Format* const format = FormatOf(output))
      base.resize(base.size() - format->extension.size() - 1);
  }
  if (formats.size() > 1) return OpenBase(formats, base);
  return OpenFile(formats[0], output);
}

int PageFiles::OpenBase(const std::vector<std::string>& formats,
                        const std::string& base) {
  for (const std::string& name : formats) {
    const auto format =
        std::find_if(Formats().begin(), Formats().end(),
                     [&](const Format& f) { return f.name == name; });
    const int code = OpenFile(
        name,
        base + "." + (format != Formats().end() ? format->extension : name));
    if (code != kSuccess) return code;
  }
  return kSuccess;
}

int PageFiles::OpenFile(const std::string& format, std::string file) {
  munja_writer* raw = nullptr;
  const munja_status status =
      munja_writer_create(format.c_str(), nullptr, &raw);
  if (status != MUNJA_OK) return Fail(status, Subject::kInput, "");
  WriterHandle writer(raw);
  for (const File& other : files_)
    if (other.name == file)
      return UsageError("two formats would be written to " + file);
  std::string path = OutputPath(file);
  files_.push_back({std::move(file), std::move(path), std::move(writer)});
  return kSuccess;
}

int PageFiles::Take(File* file) {
  char* bytes = nullptr;
  size_t size = 0;
  const munja_status status =
      munja_writer_take(file->writer.get(), &bytes, &size);
  if (status != MUNJA_OK) return Fail(status, Subject::kOutput, file->name);
  file->bytes.append(bytes, size);
  munja_free(bytes);
  return kSuccess;
}

int PageFiles::Add(const munja_page& page, const std::string& name) {
  int first = kSuccess;
  for (File& file : files_) {
    if (file.has_failed) continue;
    const munja_status status = munja_writer_add(file.writer.get(), &page);
    const int code =
        status != MUNJA_OK ? Fail(status, Subject::kInput, name) : Take(&file);
    file.has_failed = code != kSuccess;
    if (first == kSuccess) first = code;
  }
  return first;
}

int PageFiles::Finish() {
  int first = kSuccess;
  for (File& file : files_) {
    if (file.has_failed) continue;
    munja_status status = munja_writer_finish(file.writer.get());
    int code = kSuccess;
    if (status != MUNJA_OK)
      code = Fail(status, Subject::kOutput, file.name);
    else
      code = Take(&file);
    if (code == kSuccess) {
      status = munja_write_file(file.path.c_str(), file.bytes.data(),
                                file.bytes.size());
      if (status != MUNJA_OK) code = Fail(status, Subject::kOutput, file.name);
    }
    if (first == kSuccess) first = code;
  }
  return first;
}

std::vector<std::string> PageFiles::names() const {
  std::vector<std::string> names;
  for (const File& file : files_) names.push_back(file.name);
  return names;
}

}  // namespace munja::cli
