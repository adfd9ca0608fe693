#include "base/str_cat.h"

namespace munja {

std::string StrCatParts(const StrPart* parts, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    const StrPart& p = parts[i];
    switch (p.kind_) {
      case StrPart::Kind::kText:
        text.append(static_cast<const char*>(p.data_), p.size_);
        break;
      case StrPart::Kind::kLiteral:
        text += static_cast<const char*>(p.data_);
        break;
      case StrPart::Kind::kChar:
        text += static_cast<char>(p.signed_);
        break;
      case StrPart::Kind::kSigned:
        text += std::to_string(p.signed_);
        break;
      case StrPart::Kind::kUnsigned:
        text += std::to_string(p.unsigned_);
        break;
      case StrPart::Kind::kDouble:
        text += std::to_string(p.double_);
        break;
      case StrPart::Kind::kObject:
        text += p.write_(p.data_);
        break;
    }
  }
  return text;
}

}  // namespace munja
