#include "import/compose/source_attributes.h"

namespace munja::importer {

thread_local AttributeLog* AttributeLog::current_ = nullptr;
thread_local const std::string* AttributeLog::op_ = nullptr;

void AttributeLog::Add(std::string_view name) {
  if (op_ != nullptr) read_[*op_].emplace(name);
}

}  // namespace munja::importer
