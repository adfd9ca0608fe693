#include "train/distillation.h"

#include "bundle/fields.h"
#include "train/schedule.h"

namespace munja::train {

Status Distillation::Read(const nlohmann::json* json, const std::string& path) {
  if (json == nullptr) return Status();
  bundle::Fields fields(*json, path);
  fields.Read("teacher", &teacher);
  fields.Read("weight", &weight);
  MUNJA_RETURN_IF_ERROR(fields.Finish(/*refuse_unknown=*/true));
  if (teacher.empty())
    return Malformed(path + ".teacher is missing: the network to learn of");
  return CheckRange(path, "weight", weight, 0, 1000);
}

}  // namespace munja::train
