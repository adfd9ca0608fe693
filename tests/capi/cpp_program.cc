// The C++ interface as a program uses it. Argument: an image.
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "munja/munja.hpp"
#include "munja/tools/tools.hpp"

namespace {

int failures = 0;

void Expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  ++failures;
}

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFiles(const std::string& directory) {
  const std::string path = directory + "/file";
  munja::Check(munja::WriteFile(path, "old"));
  {
    munja::OutputFile dropped = munja::OutputFile::Open(path).value();
    munja::Check(dropped.Write("lost"));
  }
  munja::OutputFile file = munja::OutputFile::Open(path).value();
  munja::Check(file.Write("ne"));
  Expect(Contents(path) == "old", "the old file stays until Commit()");
  munja::Check(file.Write("w"));
  munja::Check(file.Commit());
  Expect(Contents(path) == "new", "Commit() puts the parts in place");
  Expect(file.Write("more").code() == MUNJA_INVALID_ARGUMENT &&
             file.Commit().code() == MUNJA_INVALID_ARGUMENT,
         "a file is committed once");
  Expect(munja::WriteFile(directory, "x").code() == MUNJA_IO &&
             munja::OutputFile::Open(directory).code() == MUNJA_IO,
         "a directory is no file");
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  const munja::Image image = munja::Image::Load(argv[1]).value();
  Expect(image.width() == 900 && image.height() == 1180, "the size");
  const auto limited = munja::Image::Load(argv[1], {.max_pixels = 1000});
  Expect(!limited.ok() && limited.code() == MUNJA_OUT_OF_MEMORY,
         "an image above the limit is refused");
  bool is_thrown = false;
  try {
    (void)limited.value();
  } catch (const munja::Error& e) {
    is_thrown = e.code() == MUNJA_OUT_OF_MEMORY;
  }
  Expect(is_thrown, "value() of a failure throws");
  const auto absent = munja::Engine::Create({.model = "/no/such/model"});
  Expect(absent.code() == MUNJA_NOT_FOUND &&
             absent.message().find("/no/such/model") != std::string::npos,
         "a model that does not exist");

  munja::Engine engine;
  const munja::Page all = engine.Read(image).value();
  const munja::Page boxes = engine.Detect(image).value();
  const munja::Page sure =
      engine.Read(image, {.min_confidence = 0.995f}).value();
  const munja::Page line = engine.ReadLine(image).value();
  Expect(!all.lines().empty() && !all.lines()[0].text().empty(), "lines");
  Expect(!boxes.lines().empty() && boxes.lines()[0].text().empty(), "boxes");
  Expect(line.lines().size() == 1, "one line");
  Expect(sure.lines().size() < all.lines().size(), "confident lines only");

  std::string words, text;
  size_t characters = 0;
  for (const munja::Line one : all.lines()) {
    text += one.text();
    for (const munja::Word word : one.words()) {
      words += word.text();
      Expect(word.box().left >= one.box().left - 1 &&
                 word.box().right <= one.box().right + 1,
             "a word lies in its line");
      characters += word.characters().size();
    }
  }
  std::erase(text, ' ');
  Expect(words == text, "the words are those of the lines");
  Expect(characters > 100, "characters");

  // A part of the image: the same lines, in the same place.
  const munja::Box top = {0, 0, 900, 400};
  const munja::Page part = engine.Read(image, {.region = top}).value();
  Expect(
      !part.lines().empty() && part.lines()[0].text() == all.lines()[0].text(),
      "the first line of a region");
  if (!part.lines().empty())
    Expect(part.lines()[0].box().top > all.lines()[0].box().top - 8 &&
               part.lines()[0].box().top < all.lines()[0].box().top + 8,
           "a region is in pixels of the image");
  const auto outside = engine.Read(image, {.region = munja::Box{0, 0, 901, 9}});
  Expect(outside.code() == MUNJA_INVALID_ARGUMENT, "a region outside");

  // A writer with a sink gives the bytes that Take() does.
  std::string streamed;
  auto sink = munja::Writer::Create("hocr", [&](std::string_view bytes) {
    streamed += bytes;
    return true;
  });
  auto kept = munja::Writer::Create("hocr");
  for (munja::Writer* writer : {&sink.value(), &kept.value()}) {
    munja::Check(writer->Add(all, {.source = "x.jpg"}));
    munja::Check(writer->Finish());
  }
  Expect(!streamed.empty() && streamed == kept->Take().value(), "a sink");
  auto refusing =
      munja::Writer::Create("hocr", [](std::string_view) { return false; });
  munja::Status status = refusing->Add(all);
  if (status.ok()) status = refusing->Finish();
  Expect(status.code() == MUNJA_IO, "a sink that refuses");

  const auto directory = std::filesystem::temp_directory_path() /
                         ("munja_cpp_program_" + std::to_string(::getpid()));
  std::filesystem::create_directories(directory);
  WriteFiles(directory);
  std::filesystem::remove_all(directory);
  return failures == 0 ? 0 : 1;
} catch (const munja::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
