#include "base/status.h"

namespace munja {

struct Status::Rep {
  Code code;
  std::string message;
};

Status::Status(Code code, std::string message)
    : rep_(new Rep{code, std::move(message)}) {
  assert(code != Code::kOk);
}

std::string_view Status::message() const {
  return rep_ != nullptr ? std::string_view(rep_->message) : std::string_view();
}

Status Status::Clone() const {
  return rep_ != nullptr ? Status(rep_->code, rep_->message) : Status();
}

Code Status::CodeOf(const Rep& rep) { return rep.code; }

void Status::Free(Rep* rep) noexcept { delete rep; }

void Status::AddContext(const StrPart* parts, size_t count) {
  rep_->message = StrCatParts(parts, count) + ": " + rep_->message;
}

Status MakeStatus(Code code, const StrPart* parts, size_t count) {
  return Status(code, StrCatParts(parts, count));
}

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

}  // namespace munja
