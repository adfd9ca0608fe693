// Pieces of XML files.
#ifndef MUNJA_DOCUMENT_WRITERS_XML_H_
#define MUNJA_DOCUMENT_WRITERS_XML_H_

#include <string>
#include <string_view>

#include "document/words.h"

namespace munja::document {

// Escaped, for elements and attributes in either quotes; U+FFFD for what XML
// cannot hold, a space for tabs and line breaks.
void AppendXml(std::string_view text, std::string& out);

// "left top right bottom".
void AppendEdges(const PixelBox& box, std::string& out);

// A number for ' name="12"'.
void AppendAttribute(std::string_view name, long long value, std::string& out);
void AppendAttribute(std::string_view name, std::string_view text,
                     std::string& out);

// "x,y x,y ..." in whole pixels inside of the page.
std::string WholePoints(const geometry::Quad& quad, int width, int height);

}  // namespace munja::document

#endif  // MUNJA_DOCUMENT_WRITERS_XML_H_
