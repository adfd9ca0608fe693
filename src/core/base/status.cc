#include "base/status.h"

namespace munja {

const char* CodeName(Code code) {
  switch (code) {
    case Code::kOk:
      return "ok";
    case Code::kInvalidArgument:
      return "invalid argument";
    case Code::kMalformed:
      return "malformed";
    case Code::kUnsupported:
      return "unsupported";
    case Code::kOutOfMemory:
      return "out of memory";
    case Code::kIo:
      return "input/output error";
    case Code::kNotFound:
      return "not found";
    case Code::kUnavailable:
      return "unavailable";
    case Code::kCancelled:
      return "cancelled";
    case Code::kInternal:
      return "internal error";
    case Code::kTimedOut:
      return "timed out";
    case Code::kNeedsValues:
      return "needs values";
  }
  return "unknown";
}

Status MakeStatus(Code code, const StrPart* parts, size_t count) {
  return Status(code, StrCatParts(parts, count));
}

void Status::AddContext(const StrPart* parts, size_t count) {
  rep_->message = StrCatParts(parts, count) + ": " + rep_->message;
}

}  // namespace munja
