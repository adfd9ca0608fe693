// The attributes of a source's operator, and a log of those that its
// translation reads.
#ifndef MUNJA_IMPORT_COMPOSE_SOURCE_ATTRIBUTES_H_
#define MUNJA_IMPORT_COMPOSE_SOURCE_ATTRIBUTES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/attributes.h"

namespace munja::importer {

// While one exists, it records what this thread's translations read: the tests
// of defaults require a row for every attribute that is read.
class AttributeLog {
 public:
  AttributeLog() { current_ = this; }
  ~AttributeLog() { current_ = nullptr; }
  AttributeLog(const AttributeLog&) = delete;
  AttributeLog& operator=(const AttributeLog&) = delete;

  using Names = std::set<std::string, std::less<>>;
  const std::map<std::string, Names>& read() const { return read_; }

  static void Note(std::string_view name) {
    if (current_ != nullptr) current_->Add(name);
  }

  // The operator that is translated from here to the end of the block.
  class Scope {
   public:
    explicit Scope(const std::string& op) : outer_(op_) { op_ = &op; }
    ~Scope() { op_ = outer_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    const std::string* outer_;
  };

 private:
  void Add(std::string_view name);

  static thread_local AttributeLog* current_;
  static thread_local const std::string* op_;
  std::map<std::string, Names> read_;
};

// graph::Attributes whose readers are logged.
class SourceAttributes {
 public:
  void Set(std::string_view name, graph::AttributeValue value) {
    all_.Set(name, std::move(value));
  }
  const graph::AttributeValue* Find(std::string_view name) const {
    return Read(name).Find(name);
  }
  bool Has(std::string_view name) const { return Read(name).Has(name); }
  Result<int64_t> Int(std::string_view name, int64_t fallback) const {
    return Read(name).Int(name, fallback);
  }
  Result<double> Float(std::string_view name, double fallback) const {
    return Read(name).Float(name, fallback);
  }
  Result<bool> Bool(std::string_view name, bool fallback) const {
    return Read(name).Bool(name, fallback);
  }
  Result<std::string> Text(std::string_view name,
                           std::string_view fallback) const {
    return Read(name).Text(name, fallback);
  }
  Result<std::vector<int64_t>> Ints(std::string_view name) const {
    return Read(name).Ints(name);
  }

 private:
  const graph::Attributes& Read(std::string_view name) const {
    AttributeLog::Note(name);
    return all_;
  }

  graph::Attributes all_;
};

}  // namespace munja::importer

#endif  // MUNJA_IMPORT_COMPOSE_SOURCE_ATTRIBUTES_H_
