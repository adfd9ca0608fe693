#include "pruning_study/yolo_loss.h"

#include <cmath>
#include <numbers>

#include "pruning_study/yolo_assignment.h"
#include "pruning_study/yolo_boxes.h"
#include "train/distillation_loss.h"

namespace munja::train {
namespace {

constexpr double kBoxGain = 0.05, kObjectGain = 0.7, kKindGain = 0.3;
constexpr std::array<double, kYoloLevels> kBalance = {4.0, 1.0, 0.4};

// The matches of one level, of all pictures.
struct LevelMatches {
  std::vector<int64_t> picture, anchor, row, column;
  std::vector<float> anchors, boxes;  // Two and four numbers for each.

  void Add(int64_t p, const YoloMatch& m, int side, const ObjectBox& box) {
    picture.push_back(p);
    anchor.push_back(m.anchor);
    row.push_back(m.row);
    column.push_back(m.column);
    const auto size = AnchorSize(m.level, m.anchor, side);
    anchors.insert(anchors.end(), size.begin(), size.end());
    for (const float number :
         {(box.left + box.right) / 2, (box.top + box.bottom) / 2, box.width(),
          box.height()})
      boxes.push_back(number);
  }
};

torch::Tensor Longs(const std::vector<int64_t>& numbers) {
  return torch::tensor(numbers, torch::kInt64);
}

torch::Tensor Floats(const std::vector<float>& numbers, int64_t width) {
  return torch::tensor(numbers, torch::kFloat32).view({-1, width});
}

std::array<LevelMatches, kYoloLevels> Match(
    const std::array<torch::Tensor, kYoloLevels>& logits, int classes, int side,
    const std::vector<std::vector<ObjectBox>>& objects) {
  torch::NoGradGuard no_gradients;
  std::array<torch::Tensor, kYoloLevels> plain;
  for (size_t l = 0; l < plain.size(); ++l)
    plain[l] = logits[l].detach().to(torch::kCPU, torch::kFloat32).contiguous();
  std::array<LevelMatches, kYoloLevels> all;
  for (size_t p = 0; p < objects.size(); ++p) {
    std::array<YoloMap, kYoloLevels> maps;
    for (size_t l = 0; l < maps.size(); ++l) {
      const torch::Tensor& t = plain[l];
      maps[l] = {t.data_ptr<float>() + t.stride(0) * static_cast<int64_t>(p),
                 static_cast<int>(t.size(2)), static_cast<int>(t.size(3))};
    }
    for (const YoloMatch& m : AssignObjects(maps, classes, side, objects[p]))
      all[static_cast<size_t>(m.level)].Add(
          static_cast<int64_t>(p), m, side,
          objects[p][static_cast<size_t>(m.object)]);
  }
  return all;
}

}  // namespace

torch::Tensor CompleteOverlap(const torch::Tensor& a, const torch::Tensor& b) {
  constexpr double kTiny = 1e-7;
  const auto low = [](const torch::Tensor& t) {
    return t.narrow(1, 0, 2) - t.narrow(1, 2, 2) / 2;
  };
  const auto high = [](const torch::Tensor& t) {
    return t.narrow(1, 0, 2) + t.narrow(1, 2, 2) / 2;
  };
  const torch::Tensor common =
      (torch::min(high(a), high(b)) - torch::max(low(a), low(b)))
          .clamp_min(0)
          .prod(1);
  const torch::Tensor area =
      a.narrow(1, 2, 2).prod(1) + b.narrow(1, 2, 2).prod(1) - common + kTiny;
  const torch::Tensor overlap = common / area;
  const torch::Tensor hull =
      torch::max(high(a), high(b)) - torch::min(low(a), low(b));
  const torch::Tensor diagonal = hull.square().sum(1) + kTiny;
  const torch::Tensor distance =
      (a.narrow(1, 0, 2) - b.narrow(1, 0, 2)).square().sum(1);
  const auto slope = [](const torch::Tensor& t) {
    return torch::atan(t.select(1, 2) / (t.select(1, 3) + kTiny));
  };
  constexpr double kScale = 4 / (std::numbers::pi * std::numbers::pi);
  const torch::Tensor shape = (slope(a) - slope(b)).square() * kScale;
  const torch::Tensor weight =
      (shape / (shape - overlap + (1 + kTiny))).detach();
  return overlap - distance / diagonal - weight * shape;
}

torch::Tensor YoloLoss(const std::array<torch::Tensor, kYoloLevels>& logits,
                       int classes, int side,
                       const std::vector<std::vector<ObjectBox>>& objects) {
  const auto matches = Match(logits, classes, side, objects);
  torch::Tensor total = torch::zeros({}, logits[0].options());
  for (size_t l = 0; l < logits.size(); ++l) {
    const torch::Tensor& map = logits[l];
    const torch::Device device = map.device();
    const torch::Tensor fields =
        map.to(torch::kFloat32)
            .view({map.size(0), kYoloAnchors, kYoloBoxFields + classes,
                   map.size(2), map.size(3)});
    constexpr int kObject = 4;
    const torch::Tensor object = fields.select(2, kObject);
    torch::Tensor target = torch::zeros_like(object);
    const LevelMatches& m = matches[l];
    if (!m.picture.empty()) {
      const auto stride = static_cast<double>(kYoloStrides[l]);
      const torch::Tensor picture = Longs(m.picture).to(device);
      const torch::Tensor anchor = Longs(m.anchor).to(device);
      const torch::Tensor row = Longs(m.row).to(device);
      const torch::Tensor column = Longs(m.column).to(device);
      const torch::Tensor chosen =
          fields.permute({0, 1, 3, 4, 2}).index({picture, anchor, row, column});
      const torch::Tensor p = torch::sigmoid(chosen.narrow(1, 0, 4));
      const torch::Tensor cell =
          torch::stack({column, row}, 1).to(torch::kFloat32);
      const torch::Tensor center =
          (p.narrow(1, 0, 2) * 2 - 0.5 + cell) * stride;
      const torch::Tensor size =
          (p.narrow(1, 2, 2) * 2).square() * Floats(m.anchors, 2).to(device);
      const torch::Tensor overlap = CompleteOverlap(
          torch::cat({center, size}, 1), Floats(m.boxes, 4).to(device));
      total = total + kBoxGain * (1 - overlap).mean();
      target.index_put_({picture, anchor, row, column},
                        overlap.detach().clamp_min(0));
      if (classes > 1) {
        const torch::Tensor kinds = chosen.narrow(1, kYoloBoxFields, classes);
        torch::Tensor first = torch::zeros_like(kinds);
        first.select(1, 0).fill_(1);
        total = total + kKindGain * torch::binary_cross_entropy_with_logits(
                                        kinds, first);
      }
    }
    total = total + kObjectGain * kBalance[l] *
                        torch::binary_cross_entropy_with_logits(object, target);
  }
  return total;
}

torch::Tensor ObjectDistillationLoss(
    const std::array<torch::Tensor, kYoloLevels>& logits,
    const std::array<torch::Tensor, kYoloLevels>& teacher, int classes) {
  constexpr int kObject = 4;
  const int fields = kYoloBoxFields + classes;
  torch::Tensor total = torch::zeros({}, logits[0].options());
  for (size_t l = 0; l < logits.size(); ++l) {
    const auto by_field = [&](const torch::Tensor& map) {
      return map.view(
          {map.size(0), kYoloAnchors, fields, map.size(2), map.size(3)});
    };
    const torch::Tensor wanted = by_field(teacher[l]).detach();
    const torch::Tensor divergence =
        SoftTargetDivergence(by_field(logits[l]), wanted);
    const torch::Tensor object = divergence.select(2, kObject);
    const torch::Tensor seen = torch::sigmoid(wanted.select(2, kObject));
    total = total +
            (object + seen * (divergence.sum(2) - object)).mean() / kYoloLevels;
  }
  return total;
}

}  // namespace munja::train
