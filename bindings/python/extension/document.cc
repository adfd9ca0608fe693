#include "document.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>

namespace munja_python {
namespace {

nb::tuple Tuple(const munja::Polygon& polygon) {
  const auto point = [&](size_t i) {
    return nb::make_tuple(polygon[i].x, polygon[i].y);
  };
  return nb::make_tuple(point(0), point(1), point(2), point(3));
}

// A line, word or character of a document.
template <class T>
struct Part {
  std::shared_ptr<const munja::Page> page;
  T part;
};
using Character = Part<munja::Character>;
using Word = Part<munja::Word>;
using Line = Part<munja::Line>;

// A list of parts of the same document.
template <class T, class Range>
nb::list ListOf(const std::shared_ptr<const munja::Page>& page,
                const Range& range) {
  nb::list list;
  for (T part : range) list.append(Part<T>{page, part});
  return list;
}

template <class T>
nb::class_<Part<T>> BindPart(nb::module_& m, const char* name,
                             const char* documentation) {
  using P = Part<T>;
  return nb::class_<P>(m, name, documentation)
      .def_prop_ro(
          "text", [](const P& self) { return self.part.text(); }, "Its text.")
      .def_prop_ro(
          "confidence", [](const P& self) { return self.part.confidence(); },
          "How sure the network is, from 0 to 1.")
      .def_prop_ro(
          "polygon", [](const P& self) { return Tuple(self.part.polygon()); },
          nb::sig("def polygon(self) -> tuple[tuple[float, float], "
                  "tuple[float, float], tuple[float, float], tuple[float, "
                  "float]]"),
          "Four corners (x, y) in pixels of the upright image, clockwise from "
          "the text's own top left.")
      .def_prop_ro(
          "box",
          [](const P& self) {
            const munja::Box box = self.part.box();
            return nb::make_tuple(box.left, box.top, box.right, box.bottom);
          },
          nb::sig("def box(self) -> tuple[float, float, float, float]"),
          "The upright rectangle around it: left, top, right, bottom.")
      .def("__str__", [](const P& self) { return self.part.text(); })
      .def("__repr__", [name](const P& self) {
        return nb::str("<munja.{} {!r}>").format(name, self.part.text());
      });
}

nb::object UnknownScript(const Line& self) {
  const std::string_view script = self.part.unknown_script();
  if (script.empty()) return nb::none();
  return nb::str(script.data(), script.size());
}

nb::tuple Baseline(const Line& self) {
  const auto baseline = self.part.baseline();
  return nb::make_tuple(nb::make_tuple(baseline[0].x, baseline[0].y),
                        nb::make_tuple(baseline[1].x, baseline[1].y));
}

const char* DirectionName(const Line& self) {
  switch (self.part.direction()) {
    case MUNJA_DIRECTION_RIGHT_TO_LEFT:
      return "right-to-left";
    case MUNJA_DIRECTION_DOWN:
      return "down";
    case MUNJA_DIRECTION_UP:
      return "up";
    default:
      return "left-to-right";
  }
}

// The document as a file of a format.
nb::bytes Write(const Document& self, const std::string& format,
                const std::string& source, const Image* image,
                const std::optional<nb::bytes>& file, double dpi) {
  munja::PageOptions options;
  options.source = source;
  options.image = image != nullptr ? &image->image : nullptr;
  options.dpi = dpi;
  if (file)
    options.file = {static_cast<const uint8_t*>(file->data()), file->size()};
  Call call(nullptr);
  const std::string bytes =
      Unwrap(call.Run([&]() -> munja::Result<std::string> {
        munja::Result<munja::Writer> writer = munja::Writer::Create(format);
        if (!writer.ok()) return writer.error();
        munja::Status status = writer->Add(*self.page, options);
        if (status.ok()) status = writer->Finish();
        if (!status.ok()) return status;
        return writer->Take();
      }));
  return nb::bytes(bytes.data(), bytes.size());
}

nb::dict Timing(const Document& self) {
  const munja_timing timing = self.page->timing();
  nb::dict result;
  result["decode"] = timing.decode;
  result["detect"] = timing.detect;
  result["recognize"] = timing.recognize;
  result["total"] = timing.total;
  return result;
}

nb::list Formats() {
  nb::list list;
  for (int32_t i = 0; i < munja_format_count(); ++i) {
    munja_format format = {};
    format.struct_size = sizeof format;
    munja::Check(munja_format_get(i, &format));
    list.append(
        nb::make_tuple(format.name, format.extension, format.media_type));
  }
  return list;
}

}  // namespace

void BindDocument(nb::module_& m) {
  BindPart<munja::Character>(m, "Character",
                             "A character of a line; spaces are some, too.");
  BindPart<munja::Word>(m, "Word", "A word, delimited by white space.")
      .def_prop_ro(
          "characters",
          [](const Word& self) {
            return ListOf<munja::Character>(self.page, self.part.characters());
          },
          nb::sig("def characters(self) -> list[Character]"),
          "Its characters.");
  BindPart<munja::Line>(m, "Line", "A line of text.")
      .def_prop_ro(
          "words",
          [](const Line& self) {
            return ListOf<munja::Word>(self.page, self.part.words());
          },
          nb::sig("def words(self) -> list[Word]"), "Its words.")
      .def_prop_ro(
          "characters",
          [](const Line& self) {
            return ListOf<munja::Character>(self.page, self.part.characters());
          },
          nb::sig("def characters(self) -> list[Character]"),
          "Its characters, spaces included.")
      .def_prop_ro(
          "block", [](const Line& self) { return self.part.block(); },
          "The number of its block: a paragraph, column or table part.")
      .def_prop_ro(
          "row", [](const Line& self) { return self.part.row(); },
          "Lines side by side that are read in sequence share a number; -1: a "
          "row by itself.")
      .def_prop_ro("direction", DirectionName,
                   "'left-to-right', 'right-to-left', 'down' or 'up', as seen "
                   "on the page.")
      .def_prop_ro("baseline", Baseline,
                   nb::sig("def baseline(self) -> tuple[tuple[float, float], "
                           "tuple[float, float]]"),
                   "Its start and end (x, y), in pixels.")
      .def_prop_ro("unknown_script", UnknownScript,
                   nb::sig("def unknown_script(self) -> str | None"),
                   "'cyrillic', 'cjk' ... of a line that the model cannot "
                   "read; else None.");
  nb::class_<Document>(m, "Document", "The text of one image.")
      .def_prop_ro("width",
                   [](const Document& self) { return self.page->width(); })
      .def_prop_ro("height",
                   [](const Document& self) { return self.page->height(); })
      .def_prop_ro(
          "lines",
          [](const Document& self) {
            return ListOf<munja::Line>(self.page, self.page->lines());
          },
          nb::sig("def lines(self) -> list[Line]"))
      .def_prop_ro("timing", Timing,
                   nb::sig("def timing(self) -> dict[str, float]"))
      .def("line_count",
           [](const Document& self) { return self.page->lines().size(); })
      .def("text", [](const Document& self) { return self.page->ToText(); })
      .def(
          "json",
          [](const Document& self, const std::string& source) {
            return self.page->ToJson(source);
          },
          nb::arg("source") = "")
      .def("write", Write, nb::arg("format"), nb::arg("source") = "",
           nb::arg("image").none() = nb::none(), nb::arg("file") = nb::none(),
           nb::arg("dpi") = 0.0);
  m.def("formats", Formats,
        nb::sig("def formats() -> list[tuple[str, str, str]]"));
}

}  // namespace munja_python
