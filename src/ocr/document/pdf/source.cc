#include "document/pdf/source.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>
#include <utility>

#include "document/writers/deflate.h"

namespace munja::document::pdf {
namespace {

// References to references, and levels of the tree, as far as honest files go.
constexpr int kMostHops = 32, kMostLevels = 100;
// Bytes of all streams of objects and tables, uncompressed.
constexpr size_t kMostInflated = size_t{256} << 20;
// Bytes from the file's ends that tell it from others.
constexpr size_t kMark = 64 << 10;
// By the standard, the most objects that a file has.
constexpr int64_t kMostObjects = 8'388'607;
constexpr std::string_view kNull = "null";
// Entries that pages inherit from the levels above.
constexpr std::array<std::string_view, 4> kInherited = {"Resources", "MediaBox",
                                                        "CropBox", "Rotate"};
enum InheritedName : size_t { kResources, kMediaBox, kCropBox, kRotate };

size_t MarkOf(std::string_view bytes) {
  const std::hash<std::string_view> hash;
  const size_t tail = bytes.size() - std::min(bytes.size(), kMark);
  return hash(bytes.substr(0, kMark)) * 31 + hash(bytes.substr(tail));
}

Status Damaged(const std::string& where) {
  return Malformed("the file is damaged (" + where + ")");
}

std::string Named(size_t number) { return "object " + std::to_string(number); }

// Undoes the prediction of PNG, whose rows begin with its kind.
Result<std::string> Unpredicted(std::string_view bytes, size_t columns) {
  std::string out;
  std::string before(columns, '\0');
  while (!bytes.empty()) {
    const char kind = bytes[0];
    std::string row(bytes.substr(1, columns));
    bytes.remove_prefix(std::min(bytes.size(), columns + 1));
    row.resize(columns, '\0');
    for (size_t i = 0; i < columns; ++i) {
      const int left = i > 0 ? static_cast<uint8_t>(row[i - 1]) : 0;
      const int up = static_cast<uint8_t>(before[i]);
      const int corner = i > 0 ? static_cast<uint8_t>(before[i - 1]) : 0;
      const int guess = left + up - corner;
      const auto far = [&](int value) { return std::abs(guess - value); };
      int add = 0;
      switch (kind) {
        case 0:
          break;
        case 1:
          add = left;
          break;
        case 2:
          add = up;
          break;
        case 3:
          add = (left + up) / 2;
          break;
        case 4:
          add = far(left) <= far(up) && far(left) <= far(corner) ? left
                : far(up) <= far(corner)                         ? up
                                                                 : corner;
          break;
        default:
          return Damaged("predicted rows");
      }
      row[i] = static_cast<char>(row[i] + add);
    }
    out += row;
    before.swap(row);
  }
  return out;
}

}  // namespace

std::array<double, 6> PageView::FromShown() const {
  switch (rotation) {
    case 90:
      return {0, 1, -1, 0, right, bottom};
    case 180:
      return {-1, 0, 0, -1, right, top};
    case 270:
      return {0, -1, 1, 0, left, top};
    default:
      return {1, 0, 0, 1, left, bottom};
  }
}

Result<SourceFile> SourceFile::Open(std::string_view bytes) {
  SourceFile file;
  file.bytes_ = bytes;
  file.size_ = bytes.size();
  file.mark_ = MarkOf(bytes);
  if (!bytes.starts_with("%PDF-"))
    return Unsupported("the file does not begin with %PDF-");
  MUNJA_RETURN_IF_ERROR(file.ReadTables());
  if (!file.trailer_["Encrypt"].empty())
    return Unsupported("the file is encrypted");
  MUNJA_RETURN_IF_ERROR(file.ReadPages());
  MUNJA_RETURN_IF_ERROR(file.PagesRoot().TakeStatus());
  for (size_t i = 0; i < file.pages(); ++i)
    MUNJA_RETURN_IF_ERROR(
        file.Page(i).TakeStatus().With("page ", std::to_string(i + 1)));
  return file;
}

bool SourceFile::IsOf(std::string_view bytes) const {
  return bytes.size() == size_ && MarkOf(bytes) == mark_;
}

Status SourceFile::ReadTables() {
  constexpr std::string_view kStart = "startxref";
  const size_t start = bytes_.rfind(kStart);
  if (start == bytes_.npos) return Damaged("no startxref");
  std::string_view rest = bytes_.substr(start + kStart.size());
  auto next = IntegerOf(TakeValue(&rest));
  std::set<int64_t> read;
  bool is_newest = true;
  // The tables from the newest on, and of each, before older ones, the stream
  // with what readers of old versions do not see.
  while (next) {
    if (*next < 0 || *next >= static_cast<int64_t>(bytes_.size()))
      return Damaged("a table outside of the file");
    if (!read.insert(*next).second) return Damaged("tables in a circle");
    const auto at = static_cast<size_t>(*next);
    rest = bytes_.substr(at);
    const bool is_table = TakeWord("xref", &rest);
    MUNJA_ASSIGN_OR_RETURN(Dictionary trailer,
                           is_table ? ReadTable(rest) : ReadTableStream(at));
    if (const auto hidden = IntegerOf(trailer["XRefStm"]); hidden && is_table) {
      if (*hidden < 0 || *hidden >= static_cast<int64_t>(bytes_.size()))
        return Damaged("a table outside of the file");
      MUNJA_RETURN_IF_ERROR(
          ReadTableStream(static_cast<size_t>(*hidden)).TakeStatus());
    }
    next.reset();
    if (!trailer["Prev"].empty()) {
      next = IntegerOf(trailer["Prev"]);
      if (!next) return Damaged("the place of a table");
    }
    if (!is_newest) continue;
    is_newest = false;
    table_ = at;
    has_table_stream_ = !is_table;
    const auto size = IntegerOf(trailer["Size"]);
    if (!size || *size < 1 || *size > kMostObjects)
      return Damaged("the number of objects");
    next_object_ = static_cast<size_t>(*size);
    trailer_ = std::move(trailer);
  }
  if (is_newest) return Damaged("no table");
  if (!places_.empty())
    next_object_ = std::max(next_object_, places_.rbegin()->first + 1);
  return Status();
}

Result<Dictionary> SourceFile::ReadTable(std::string_view rest) {
  while (!TakeWord("trailer", &rest)) {
    const auto first = IntegerOf(TakeValue(&rest));
    const auto count = IntegerOf(TakeValue(&rest));
    if (!first || !count || *first < 0 || *count < 0 || *first > kMostObjects ||
        *count > kMostObjects - *first)
      return Damaged("a table's section");
    for (int64_t i = 0; i < *count; ++i) {
      const auto offset = IntegerOf(TakeValue(&rest));
      const auto generation = IntegerOf(TakeValue(&rest));
      const std::string_view kind = TakeValue(&rest);
      if (!offset || !generation || *offset < 0 || (kind != "n" && kind != "f"))
        return Damaged("a table's row");
      Place place;
      if (kind == "n")
        place = {Place::kAtOffset, static_cast<size_t>(*offset), *generation};
      // Newer ones were there before.
      places_.emplace(static_cast<size_t>(*first + i), place);
    }
  }
  auto trailer = Dictionary::Parse(TakeValue(&rest));
  if (!trailer) return Damaged("the trailer");
  return *std::move(trailer);
}

Result<Dictionary> SourceFile::ReadTableStream(size_t at) {
  std::string_view rest = bytes_.substr(at);
  const auto number = IntegerOf(TakeValue(&rest));
  const auto generation = IntegerOf(TakeValue(&rest));
  if (!number || !generation || !TakeWord("obj", &rest))
    return Damaged("no table where one should be");
  Dictionary dictionary;
  MUNJA_ASSIGN_OR_RETURN(const std::string rows, StreamOf(rest, &dictionary));
  if (dictionary["Type"] != "/XRef") return Damaged("no table of objects");
  const auto widths = ElementsOf(dictionary["W"]);
  if (!widths || widths->size() != 3) return Damaged("a table's columns");
  std::array<size_t, 3> width{};
  for (size_t i = 0; i < 3; ++i) {
    const auto value = IntegerOf((*widths)[i]);
    if (!value || *value < 0 || *value > 7) return Damaged("a table's columns");
    width[i] = static_cast<size_t>(*value);
  }
  const size_t row = width[0] + width[1] + width[2];
  if (row == 0) return Damaged("a table's columns");
  std::string index(dictionary["Index"]);
  if (index.empty()) index = "[0 " + std::string(dictionary["Size"]) + "]";
  const auto sections = ElementsOf(index);
  if (!sections || sections->size() % 2 != 0)
    return Damaged("a table's sections");
  size_t from = 0;
  const auto field = [&](size_t column, size_t if_none) {
    size_t value = width[column] > 0 ? 0 : if_none;
    for (size_t i = 0; i < width[column]; ++i)
      value = value << 8 | static_cast<uint8_t>(rows[from++]);
    return value;
  };
  for (size_t i = 0; i < sections->size(); i += 2) {
    const auto first = IntegerOf((*sections)[i]);
    const auto count = IntegerOf((*sections)[i + 1]);
    if (!first || !count || *first < 0 || *count < 0 || *first > kMostObjects ||
        *count > kMostObjects - *first)
      return Damaged("a table's sections");
    for (int64_t k = 0; k < *count; ++k) {
      if (rows.size() - from < row) return Damaged("a table without its end");
      const size_t kind = field(0, 1), second = field(1, 0),
                   third = field(2, 0);
      Place place;
      if (kind == 1 || kind == 2)
        place = {kind == 1 ? Place::kAtOffset : Place::kInStream, second,
                 static_cast<int64_t>(third)};
      places_.emplace(static_cast<size_t>(*first + k), place);
    }
  }
  return dictionary;
}

Result<std::string_view> SourceFile::AtOffset(size_t at, size_t number) {
  if (at >= bytes_.size()) return Damaged(Named(number));
  std::string_view rest = bytes_.substr(at);
  const auto found = IntegerOf(TakeValue(&rest));
  const auto generation = IntegerOf(TakeValue(&rest));
  if (!found || *found != static_cast<int64_t>(number) || !generation ||
      !TakeWord("obj", &rest))
    return Damaged(Named(number));
  return rest;
}

Result<std::string_view> SourceFile::Object(const ObjectReference& reference) {
  const auto found = places_.find(reference.number);
  if (found == places_.end() || found->second.kind == Place::kFree)
    return kNull;
  const Place& place = found->second;
  std::string_view rest;
  if (place.kind == Place::kInStream) {
    MUNJA_ASSIGN_OR_RETURN(const ObjectStream* const stream,
                           StreamOfObjects(place.at));
    const auto at = stream->offsets.find(reference.number);
    if (at == stream->offsets.end()) return Damaged(Named(reference.number));
    rest = std::string_view(stream->bytes).substr(at->second);
  } else {
    if (place.detail != reference.generation) return kNull;
    MUNJA_ASSIGN_OR_RETURN(rest, AtOffset(place.at, reference.number));
  }
  const std::string_view value = TakeValue(&rest);
  if (value.empty()) return Damaged(Named(reference.number));
  return value;
}

Result<std::string_view> SourceFile::Resolve(std::string_view value) {
  for (int hop = 0; hop < kMostHops; ++hop) {
    const auto reference = ReferenceOf(value);
    if (!reference) return value.empty() ? kNull : value;
    MUNJA_ASSIGN_OR_RETURN(value, Object(*reference));
  }
  return Damaged("references in a circle");
}

Result<Dictionary> SourceFile::DictionaryOf(std::string_view value) {
  MUNJA_ASSIGN_OR_RETURN(const std::string_view resolved, Resolve(value));
  if (resolved == kNull) return Dictionary();
  auto dictionary = Dictionary::Parse(resolved);
  if (!dictionary) return Damaged("no dictionary where one should be");
  return *std::move(dictionary);
}

Result<std::string> SourceFile::StreamOf(std::string_view rest,
                                         Dictionary* dictionary) {
  auto parsed = Dictionary::Parse(TakeValue(&rest));
  if (!parsed || !TakeWord("stream", &rest)) return Damaged("no stream");
  *dictionary = *std::move(parsed);
  if (rest.starts_with('\r')) rest.remove_prefix(1);
  if (rest.starts_with('\n')) rest.remove_prefix(1);
  MUNJA_ASSIGN_OR_RETURN(const std::string_view length,
                         Resolve((*dictionary)["Length"]));
  const auto size = IntegerOf(length);
  if (!size || *size < 0 || static_cast<size_t>(*size) > rest.size())
    return Damaged("the length of a stream");
  const std::string_view packed = rest.substr(0, static_cast<size_t>(*size));
  // One value, or an array of one.
  const auto only = [&](std::string_view name) -> std::string_view {
    const std::string_view value = (*dictionary)[name];
    const auto elements = ElementsOf(value);
    if (!elements) return value;
    return elements->size() == 1 ? elements->front() : "[]";
  };
  const std::string_view filter = only("Filter");
  if (!(*dictionary)["F"].empty())
    return Unsupported("objects in another file");
  if (filter.empty()) {
    inflated_ += packed.size();
    return std::string(packed);
  }
  if (filter != "/FlateDecode" && filter != "/Fl")
    return Unsupported("objects packed by " + std::string(filter));
  auto bytes =
      Inflate(packed, kMostInflated - std::min(inflated_, kMostInflated));
  if (!bytes.ok()) return std::move(bytes).TakeStatus();
  inflated_ += bytes->size();
  MUNJA_ASSIGN_OR_RETURN(const Dictionary how,
                         DictionaryOf(only("DecodeParms")));
  const int64_t predictor = IntegerOf(how["Predictor"]).value_or(1);
  if (predictor == 1) return bytes;
  const int64_t columns = IntegerOf(how["Columns"]).value_or(1);
  if (predictor < 10 || IntegerOf(how["Colors"]).value_or(1) != 1 ||
      IntegerOf(how["BitsPerComponent"]).value_or(8) != 8 || columns < 1 ||
      columns > 1 << 16)
    return Unsupported("objects by another predictor");
  return Unpredicted(*bytes, static_cast<size_t>(columns));
}

Result<const SourceFile::ObjectStream*> SourceFile::StreamOfObjects(
    size_t number) {
  if (const auto known = streams_.find(number); known != streams_.end())
    return &known->second;
  const auto found = places_.find(number);
  if (found == places_.end() || found->second.kind != Place::kAtOffset)
    return Damaged(Named(number));
  MUNJA_ASSIGN_OR_RETURN(const std::string_view rest,
                         AtOffset(found->second.at, number));
  Dictionary dictionary;
  ObjectStream stream;
  MUNJA_ASSIGN_OR_RETURN(stream.bytes, StreamOf(rest, &dictionary));
  const auto count = IntegerOf(dictionary["N"]);
  const auto first = IntegerOf(dictionary["First"]);
  if (dictionary["Type"] != "/ObjStm" || !count || *count < 0 || !first ||
      *first < 0)
    return Damaged(Named(number));
  std::string_view head = stream.bytes;
  for (int64_t i = 0; i < *count; ++i) {
    const auto object = IntegerOf(TakeValue(&head));
    const auto offset = IntegerOf(TakeValue(&head));
    if (!object || !offset || *object < 0 || *offset < 0 ||
        static_cast<size_t>(*offset) > stream.bytes.size() ||
        static_cast<size_t>(*first + *offset) > stream.bytes.size())
      return Damaged(Named(number));
    stream.offsets.emplace(*object, *first + *offset);
  }
  return &streams_.emplace(number, std::move(stream)).first->second;
}

Status SourceFile::ReadPages() {
  MUNJA_ASSIGN_OR_RETURN(const Dictionary catalog,
                         DictionaryOf(trailer_["Root"]));
  const auto root = ReferenceOf(catalog["Pages"]);
  if (!root) return Damaged("no pages");
  MUNJA_RETURN_IF_ERROR(AddNode(*root, 0, 0));
  if (pages_.empty()) return Malformed("the file has no pages");
  return Status();
}

Status SourceFile::AddNode(const ObjectReference& object, size_t parent,
                           int depth) {
  if (depth > kMostLevels) return Damaged("the levels of its pages");
  if (!seen_.insert(object.number).second)
    return Unsupported("a page stands in the file twice");
  const size_t node = nodes_.size();
  nodes_.push_back({object, parent, {}});
  MUNJA_ASSIGN_OR_RETURN(const std::string_view value, Object(object));
  const auto dictionary = Dictionary::Parse(value);
  if (!dictionary) return Damaged(Named(object.number));
  if ((*dictionary)["Kids"].empty()) {
    pages_.push_back(node);
    return Status();
  }
  for (const std::string_view name : kInherited)
    nodes_[node].inherited.emplace_back((*dictionary)[name]);
  MUNJA_ASSIGN_OR_RETURN(const std::string_view array,
                         Resolve((*dictionary)["Kids"]));
  const auto kids = ElementsOf(array);
  if (!kids) return Damaged("the pages of " + Named(object.number));
  for (const std::string_view kid : *kids) {
    const auto reference = ReferenceOf(kid);
    if (!reference) return Damaged("the pages of " + Named(object.number));
    MUNJA_RETURN_IF_ERROR(AddNode(*reference, node, depth + 1));
  }
  return Status();
}

Result<std::string> SourceFile::Inherited(const SourcePage& page, size_t node,
                                          size_t name) {
  std::string_view value = page.dictionary[kInherited[name]];
  while (true) {
    MUNJA_ASSIGN_OR_RETURN(const std::string_view resolved, Resolve(value));
    const size_t parent = nodes_[node].parent;
    if (resolved != kNull || parent == node) return std::string(resolved);
    value = nodes_[parent].inherited[name];
    node = parent;
  }
}

Result<std::array<double, 4>> SourceFile::BoxOf(std::string_view value) {
  const auto elements = ElementsOf(value);
  if (!elements || elements->size() != 4) return Damaged("a box");
  std::array<double, 4> sides{};
  for (size_t i = 0; i < 4; ++i) {
    MUNJA_ASSIGN_OR_RETURN(const std::string_view number,
                           Resolve((*elements)[i]));
    const auto side = NumberOf(number);
    if (!side) return Damaged("a box");
    sides[i] = *side;
  }
  if (sides[0] > sides[2]) std::swap(sides[0], sides[2]);
  if (sides[1] > sides[3]) std::swap(sides[1], sides[3]);
  return sides;
}

Result<SourcePage> SourceFile::Page(size_t index) {
  const size_t node = pages_.at(index);
  SourcePage page;
  page.object = nodes_[node].object;
  MUNJA_ASSIGN_OR_RETURN(const std::string_view value, Object(page.object));
  auto dictionary = Dictionary::Parse(value);
  if (!dictionary) return Damaged(Named(page.object.number));
  page.dictionary = *std::move(dictionary);

  MUNJA_ASSIGN_OR_RETURN(const std::string media,
                         Inherited(page, node, kMediaBox));
  MUNJA_ASSIGN_OR_RETURN(const auto sheet, BoxOf(media));
  MUNJA_ASSIGN_OR_RETURN(const std::string crop,
                         Inherited(page, node, kCropBox));
  auto shown = sheet;
  if (crop != kNull) {
    MUNJA_ASSIGN_OR_RETURN(shown, BoxOf(crop));
    for (size_t i = 0; i < 2; ++i) {
      shown[i] = std::max(shown[i], sheet[i]);
      shown[i + 2] = std::min(shown[i + 2], sheet[i + 2]);
    }
    if (shown[0] >= shown[2] || shown[1] >= shown[3]) shown = sheet;
  }
  if (shown[0] >= shown[2] || shown[1] >= shown[3])
    return Damaged("a page without size");
  MUNJA_ASSIGN_OR_RETURN(const std::string turn,
                         Inherited(page, node, kRotate));
  const double degrees = turn == kNull ? 0 : NumberOf(turn).value_or(1);
  if (std::abs(degrees) > 1e6 || static_cast<int>(degrees) != degrees ||
      static_cast<int>(degrees) % 90 != 0)
    return Damaged("the rotation of a page");
  page.view = {shown[0], shown[1], shown[2], shown[3],
               (static_cast<int>(degrees) % 360 + 360) % 360};

  MUNJA_ASSIGN_OR_RETURN(const std::string resources,
                         Inherited(page, node, kResources));
  MUNJA_ASSIGN_OR_RETURN(page.resources, DictionaryOf(resources));
  MUNJA_ASSIGN_OR_RETURN(page.fonts, DictionaryOf(page.resources["Font"]));

  const std::string_view own = page.dictionary["Contents"];
  MUNJA_ASSIGN_OR_RETURN(const std::string_view contents, Resolve(own));
  if (const auto streams = ElementsOf(contents)) {
    for (const std::string_view stream : *streams) {
      if (!ReferenceOf(stream)) return Damaged("the contents of a page");
      page.contents += ' ' + std::string(stream);
    }
  } else if (contents != kNull) {
    page.contents = ' ' + std::string(own);
  }
  return page;
}

std::string SourceFile::pages_root() const {
  const ObjectReference& root = nodes_.front().object;
  return std::to_string(root.number) + ' ' + std::to_string(root.generation) +
         " R";
}

Result<SourceFile::Root> SourceFile::PagesRoot() {
  Root root;
  root.object = nodes_.front().object;
  MUNJA_ASSIGN_OR_RETURN(const std::string_view value, Object(root.object));
  auto dictionary = Dictionary::Parse(value);
  if (!dictionary) return Damaged(Named(root.object.number));
  root.dictionary = *std::move(dictionary);
  MUNJA_ASSIGN_OR_RETURN(const std::string_view array,
                         Resolve(root.dictionary["Kids"]));
  const auto kids = ElementsOf(array);
  if (!kids) return Damaged("no pages");
  for (const std::string_view kid : *kids) root.kids += std::string(kid) + ' ';
  root.count = static_cast<int64_t>(pages_.size());
  return root;
}

}  // namespace munja::document::pdf
