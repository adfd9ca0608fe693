#include "cli/page_files.h"

#include <algorithm>
#include <utility>

#include "cli/output.h"
#include "cli/streams.h"

namespace munja::cli {
namespace {

std::string ExtensionOf(const std::string& name) {
  for (const munja::Format& format : munja::Formats())
    if (format.name == name) return "." + format.extension;
  return "." + name;
}

// By its schema.
bool HasOnePage(const std::string& format) { return format == "page"; }

// "book.page.xml" -> "book-2.page.xml".
std::string NumberedName(const std::string& name, const std::string& format,
                         int number) {
  const std::string extension = ExtensionOf(format);
  std::string base = name, end;
  if (name.ends_with(extension)) {
    base.resize(name.size() - extension.size());
    end = extension;
  }
  return base + "-" + std::to_string(number) + end;
}

}  // namespace

std::vector<std::string> FormatNames() {
  std::vector<std::string> names;
  for (const munja::Format& format : munja::Formats())
    names.push_back(format.name);
  return names;
}

int PageFiles::Open(const std::vector<std::string>& formats,
                    const std::string& output) {
  if (formats.size() == 1) return OpenFile(formats[0], output);
  std::string base = output;
  if (const std::string name = munja::FormatOf(output); !name.empty())
    base.resize(base.size() - ExtensionOf(name).size());
  return OpenBase(formats, base);
}

int PageFiles::OpenBase(const std::vector<std::string>& formats,
                        const std::string& base) {
  const std::vector<std::string> names = NamesOf(formats, base);
  for (size_t i = 0; i < names.size(); ++i)
    if (const int code = OpenFile(formats[i], names[i]); code != kSuccess)
      return code;
  return kSuccess;
}

std::vector<std::string> PageFiles::NamesOf(
    const std::vector<std::string>& formats, const std::string& base) {
  std::vector<std::string> names;
  for (const std::string& format : formats)
    names.push_back(base + ExtensionOf(format));
  return names;
}

int PageFiles::OpenFile(const std::string& format, const std::string& file) {
  for (const File& other : files_)
    if (other.name == file)
      return UsageError("two formats would be written to " + file);
  munja::Result<munja::Writer> writer =
      munja::Writer::Open(format, OutputPath(file));
  if (!writer.ok()) return Fail(writer.error(), Subject::kInput, "");
  files_.push_back({file, *std::move(writer), format});
  return kSuccess;
}

munja::Status PageFiles::AddTo(File* file, const munja::Page& page,
                               const munja::PageOptions& options) {
  if (++file->pages == 1 || !HasOnePage(file->format))
    return file->writer->Add(page, options);
  if (file->name == "-")
    return {MUNJA_UNSUPPORTED,
            "a file of format page has one page: name files with -o or "
            "--output-dir"};
  munja::Result<munja::Writer> writer = munja::Writer::Open(
      file->format,
      OutputPath(NumberedName(file->name, file->format, file->pages)));
  if (!writer.ok()) return writer.error();
  munja::Status status = writer->Add(page, options);
  return status.ok() ? writer->Finish() : status;
}

int PageFiles::Add(const munja::Page& page, const munja::PageOptions& options,
                   const std::string& name) {
  int first = kSuccess;
  for (File& file : files_) {
    if (!file.writer) continue;
    const munja::Status status = AddTo(&file, page, options);
    if (status.ok()) continue;
    file.writer.reset();
    const bool is_output = status.code() == MUNJA_IO;
    const int code = is_output ? Fail(status, Subject::kOutput, file.name)
                               : Fail(status, Subject::kInput, name);
    int& kept = is_output ? write_failure_ : first;
    if (kept == kSuccess) kept = code;
  }
  return first != kSuccess ? first : is_done() ? write_failure_ : kSuccess;
}

int PageFiles::Finish() {
  for (File& file : files_) {
    if (!file.writer) continue;
    const munja::Status status = file.writer->Finish();
    if (status.ok()) continue;
    const int code = Fail(status, Subject::kOutput, file.name);
    if (write_failure_ == kSuccess) write_failure_ = code;
  }
  return write_failure_;
}

bool PageFiles::is_done() const {
  return std::none_of(files_.begin(), files_.end(),
                      [](const File& file) { return file.writer.has_value(); });
}

std::vector<std::string> PageFiles::names() const {
  std::vector<std::string> names;
  for (const File& file : files_) names.push_back(file.name);
  return names;
}

}  // namespace munja::cli
