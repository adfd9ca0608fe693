// The results of two other servers' interfaces, so that their clients work
// unchanged: LiteParse's and PaddleX's.
#ifndef MUNJA_SERVER_CONTRACTS_H_
#define MUNJA_SERVER_CONTRACTS_H_

#include <string>

#include "munja/munja.hpp"
#include "server/text.h"

namespace munja::server {

inline constexpr char kLiteParse[] = "liteparse", kPaddleX[] = "paddlex";

// Whether it is one of the two above, which are no formats of the library.
bool IsContract(const std::string& format);

// Collects the pages of a request in the form of one of them.
class ContractResult {
 public:
  explicit ContractResult(std::string contract)
      : contract_(std::move(contract)) {}
  void Add(const munja::Page& page);
  // `is_pdf`: the file was one.
  std::string Finish(bool is_pdf) const;

 private:
  const std::string contract_;
  Json results_ = Json::array(), pages_ = Json::array();
};

}  // namespace munja::server

#endif  // MUNJA_SERVER_CONTRACTS_H_
