// A PDF file of others whose pages get text: where its objects are, and what of
// a page changes.
#ifndef MUNJA_DOCUMENT_PDF_SOURCE_H_
#define MUNJA_DOCUMENT_PDF_SOURCE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "document/pdf/syntax.h"

namespace munja::document::pdf {

// The shown part of a page, in units of its user space, and how far it is
// turned for that: 0, 90, 180 or 270 degrees clockwise.
struct PageView {
  double left = 0, bottom = 0, right = 0, top = 0;
  int rotation = 0;

  // As shown.
  double width() const { return rotation % 180 ? top - bottom : right - left; }
  double height() const { return rotation % 180 ? right - left : top - bottom; }
  // From units to the right and up from the lower left corner of what is shown
  // to user space: a, b, c, d, e, f of `cm`.
  std::array<double, 6> FromShown() const;
};

struct SourcePage {
  ObjectReference object;
  Dictionary dictionary;  // Its own entries.
  Dictionary resources;   // Its own or inherited.
  Dictionary fonts;       // Fonts that the resources name.
  std::string contents;   // References, each with a blank before it.
  PageView view;
};

class SourceFile {
 public:
  // The bytes must stay until another call gives the same again.
  //
  //   kUnsupported  the file is encrypted, or says something in a way that is
  //                 not understood
  //   kMalformed    it is damaged: what is found by repair is no ground to
  //                 build on
  static Result<SourceFile> Open(std::string_view bytes);

  // Whether these are the bytes of this file, at another place perhaps.
  bool IsOf(std::string_view bytes) const;
  void SetBytes(std::string_view bytes) { bytes_ = bytes; }

  size_t pages() const { return pages_.size(); }
  Result<SourcePage> Page(size_t index);

  // The root of the pages' tree, its kids as references.
  struct Root {
    ObjectReference object;
    Dictionary dictionary;
    std::string kids;
    int64_t count = 0;
  };
  Result<Root> PagesRoot();
  // The reference to it.
  std::string pages_root() const;

  // The number that the next new object gets.
  size_t next_object() const { return next_object_; }
  // The newest trailer, where its table stands, and whether that is a stream.
  const Dictionary& trailer() const { return trailer_; }
  size_t table() const { return table_; }
  bool has_table_stream() const { return has_table_stream_; }

 private:
  struct Place {
    enum Kind : uint8_t { kFree, kAtOffset, kInStream } kind = kFree;
    size_t at = 0;       // The offset, or the number of the stream's object.
    int64_t detail = 0;  // The generation, or the index in the stream.
  };
  struct ObjectStream {
    std::string bytes;
    std::map<size_t, size_t> offsets;  // By object.
  };
  struct Node {
    ObjectReference object;
    size_t parent = 0;                   // Index; the root is its own.
    std::vector<std::string> inherited;  // By name; empty: pages have none.
  };

  Status ReadTables();
  Result<Dictionary> ReadTable(std::string_view rest);
  Result<Dictionary> ReadTableStream(size_t at);
  // From behind "N G obj" on.
  Result<std::string_view> AtOffset(size_t at, size_t number);
  // The value of the object, "null" where there is none.
  Result<std::string_view> Object(const ObjectReference& reference);
  // The value itself, or that of the object that it refers to.
  Result<std::string_view> Resolve(std::string_view value);
  Result<Dictionary> DictionaryOf(std::string_view value);
  // The bytes of the stream that begins here with its dictionary.
  Result<std::string> StreamOf(std::string_view rest, Dictionary* dictionary);
  Result<const ObjectStream*> StreamOfObjects(size_t number);
  Status ReadPages();
  Status AddNode(const ObjectReference& object, size_t parent, int depth);
  // The value of one of kInherited, resolved; "null": none.
  Result<std::string> Inherited(const SourcePage& page, size_t node,
                                size_t name);
  Result<std::array<double, 4>> BoxOf(std::string_view value);

  std::string_view bytes_;
  size_t size_ = 0, mark_ = 0;  // Size and hash, to know the file again.
  std::map<size_t, Place> places_;
  std::map<size_t, ObjectStream> streams_;
  size_t inflated_ = 0;  // Bytes.
  std::vector<Node> nodes_;
  std::vector<size_t> pages_;  // Nodes.
  std::set<size_t> seen_;      // Objects of the tree.
  size_t next_object_ = 1, table_ = 0;
  bool has_table_stream_ = false;
  Dictionary trailer_;
};

}  // namespace munja::document::pdf

#endif  // MUNJA_DOCUMENT_PDF_SOURCE_H_
