#include "tflite_api/types.h"

#include <utility>

namespace munja::compat {
namespace {

struct TypeRow {
  ElementType ours;
  TfLiteType theirs;
};
constexpr TypeRow kTypes[] = {
    {ElementType::kFloat32, kTfLiteFloat32},
    {ElementType::kFloat16, kTfLiteFloat16},
    {ElementType::kInt32, kTfLiteInt32},
    {ElementType::kUInt8, kTfLiteUInt8},
    {ElementType::kInt64, kTfLiteInt64},
    {ElementType::kString, kTfLiteString},
    {ElementType::kBool, kTfLiteBool},
    {ElementType::kInt16, kTfLiteInt16},
    {ElementType::kComplex64, kTfLiteComplex64},
    {ElementType::kInt8, kTfLiteInt8},
    {ElementType::kFloat64, kTfLiteFloat64},
    {ElementType::kComplex128, kTfLiteComplex128},
    {ElementType::kUInt64, kTfLiteUInt64},
    {ElementType::kResource, kTfLiteResource},
    {ElementType::kVariant, kTfLiteVariant},
    {ElementType::kUInt32, kTfLiteUInt32},
    {ElementType::kUInt16, kTfLiteUInt16},
    {ElementType::kInt4, kTfLiteInt4},
    {ElementType::kBFloat16, kTfLiteBFloat16},
};

const char* StatusName(TfLiteStatus status) {
  switch (status) {
    case kTfLiteOk:
      return "kTfLiteOk";
    case kTfLiteError:
      return "kTfLiteError";
    case kTfLiteDelegateError:
      return "kTfLiteDelegateError";
    case kTfLiteApplicationError:
      return "kTfLiteApplicationError";
    case kTfLiteDelegateDataNotFound:
      return "kTfLiteDelegateDataNotFound";
    case kTfLiteDelegateDataWriteError:
      return "kTfLiteDelegateDataWriteError";
    case kTfLiteDelegateDataReadError:
      return "kTfLiteDelegateDataReadError";
    case kTfLiteUnresolvedOps:
      return "kTfLiteUnresolvedOps";
    case kTfLiteCancelled:
      return "kTfLiteCancelled";
    case kTfLiteOutputShapeNotKnown:
      return "kTfLiteOutputShapeNotKnown";
  }
  return "an unknown status";
}

}  // namespace

TfLiteType ToTfLiteType(ElementType type) {
  for (const TypeRow& row : kTypes)
    if (row.ours == type) return row.theirs;
  return kTfLiteNoType;
}

std::optional<ElementType> FromTfLiteType(TfLiteType type) {
  for (const TypeRow& row : kTypes)
    if (row.theirs == type) return row.ours;
  return std::nullopt;
}

size_t TfLiteTypeSize(TfLiteType type) {
  const std::optional<ElementType> ours = FromTfLiteType(type);
  return ours ? ElementSize(*ours) : 0;
}

TfLiteStatus ToTfLiteStatus(Code code) {
  switch (code) {
    case Code::kOk:
      return kTfLiteOk;
    case Code::kInvalidArgument:
      return kTfLiteApplicationError;
    case Code::kCancelled:
      return kTfLiteCancelled;
    case Code::kUnavailable:
      return kTfLiteDelegateError;
    default:
      return kTfLiteError;
  }
}

Status FromTfLiteStatus(TfLiteStatus status, std::string what) {
  switch (status) {
    case kTfLiteOk:
      return {};
    case kTfLiteCancelled:
      return Status(Code::kCancelled, std::move(what) + " was cancelled");
    case kTfLiteUnresolvedOps:
      return Unsupported(std::move(what) + " gave " + StatusName(status));
    default:
      return Internal(std::move(what) + " gave " + StatusName(status));
  }
}

}  // namespace munja::compat
