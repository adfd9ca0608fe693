// The interface as openapi.json describes it: the same file is what clients
// get and what requests are checked against.
#ifndef MUNJA_SERVER_CONTRACT_H_
#define MUNJA_SERVER_CONTRACT_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/text.h"

namespace munja::server {

// The text of openapi.json.
std::string_view OpenApiText();

// An operation: a method of a path.
struct Operation {
  std::string id, path;                // "read", "/v1/read".
  std::map<std::string, Json> query;   // Names of parameters, their schemas.
  std::map<std::string, Json> bodies;  // Media types, their schemas.
  bool needs_key = true;
};

struct Found {
  const Operation* operation = nullptr;
  std::string id;       // In the place of "{id}".
  std::string allowed;  // Methods of the path where the given one is none.
};

class Contract {
 public:
  explicit Contract(std::string_view text = OpenApiText());

  // HEAD is answered as GET is.
  Found Find(const std::string& method, const std::string& path) const;

  // Sets *options to the parameters with their types. Returns what is wrong
  // with them, "" for nothing.
  std::string ReadQuery(const Operation& operation,
                        const std::multimap<std::string, std::string>& query,
                        Json* options) const;

  // The type that fits, without its parameters; "": none does.
  static std::string MediaTypeOf(const Operation& operation,
                                 std::string_view content_type);

  // Says what is wrong with a value by a schema, "" for nothing. `where` names
  // it.
  std::string Problem(const Json& schema, const Json& value,
                      const std::string& where) const;

 private:
  const Json& Resolved(const Json& schema) const;

  const Json description_;
  struct Path {
    std::string text;
    std::map<std::string, Operation> methods;  // "GET".
  };
  std::vector<Path> paths_;
};

}  // namespace munja::server

#endif  // MUNJA_SERVER_CONTRACT_H_
