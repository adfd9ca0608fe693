// Loops and branches. Control flow that is known when the program is read is
// unrolled: the branch that is taken, loops with a fixed number of iterations.
// Other loops become WHILE; of other branches both are computed and one is
// selected.
#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "import/ir/bodies.h"
#include "import/paddle/writer.h"

namespace munja::importer::paddle {
namespace {

constexpr int kMaxIterations = 1024;  // Limit of unrolling.

constexpr int64_t kMaxWritten = 1 << 16;  // Operators, in all blocks.

constexpr int64_t kMaxOfLoop = 1 << 14;  // In all turns of one loop.

constexpr int64_t kElements = 64;  // Constant elements that count as one node.

constexpr int kMaxShapes = 16;  // Tried for the variables of a loop.

using Names = std::set<std::string>;

Result<const Block*> FindBlock(const Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const int64_t number,
                         op.attributes.Int("sub_block", -1));
  // Blocks come before those within them, so that none contains itself.
  if (context.blocks == nullptr || number <= context.block ||
      number >= static_cast<int64_t>(context.blocks->size()))
    return Malformed(op, ": block ", number);
  return &(*context.blocks)[static_cast<size_t>(number)];
}

// Names that the block, or one within it, reads or writes. Blocks may be named
// again and again.
void Collect(const Context& context, const Block& first, Names* read,
             Names* written) {
  std::set<const Block*> seen = {&first};
  std::vector<const Block*> open = {&first};
  while (!open.empty()) {
    const Block& block = *open.back();
    open.pop_back();
    for (const Operation& op : block) {
      for (const auto& [parameter, names] : op.inputs)
        read->insert(names.begin(), names.end());
      for (const auto& [parameter, names] : op.outputs)
        written->insert(names.begin(), names.end());
      const Result<int64_t> number = op.attributes.Int("sub_block", -1);
      // An invalid block id is reported when the block is run.
      if (!number.ok() || *number < 1 ||
          *number >= static_cast<int64_t>(context.blocks->size()))
        continue;
      const Block* inner = &(*context.blocks)[static_cast<size_t>(*number)];
      if (seen.insert(inner).second) open.push_back(inner);
    }
  }
}

// Whether the block may read what the variable held before it.
bool ReadsFirst(const Context& context, const Block& block,
                const std::string& name) {
  for (const Operation& op : block) {
    Names read, written;
    const Block alone = {op};
    Collect(context, alone, &read, &written);
    // Variables that an inner block writes may also be left unchanged.
    const bool has_block = op.attributes.Has("sub_block");
    if (read.contains(name) || (has_block && written.contains(name)))
      return true;
    if (written.contains(name)) return false;
  }
  return true;
}

Status RunBlock(Context& context, const Operation& op, const Block& block) {
  *context.run += 1 + static_cast<int64_t>(block.size());
  if (*context.run > kMaxWritten)
    return OutOfMemory(op,
                       ": blocks that are too large when they are written out");
  const int64_t around = context.block;
  context.block = &block - context.blocks->data();
  for (const Operation& inner : block)
    MUNJA_RETURN_IF_ERROR(TranslateOperation(context, inner));
  context.block = around;
  return {};
}

// A boolean; its value where it is known.
struct Condition {
  ValueId value = kNoValue;
  bool is_known = false, holds = false;
};

Condition ReadCondition(Context& context, Writer& w, ValueId v) {
  Condition c;
  if (!w.ok()) return c;
  for (const int64_t d : w.shape(v))
    if (d != 1) w.Refuse("a condition of shape ", ToString(w.shape(v)));
  if (w.is_float(v)) w.Damaged("a condition of fractions");
  if (!w.ok()) return c;
  c.value = v;
  const Tensor* t = context.builder.constant(v);
  c.is_known = t != nullptr && t->integers.size() == 1;
  c.holds = c.is_known && t->integers[0] != 0;
  return c;
}

// The variables that the loop changes, then what it reads of the block around.
class DynamicLoop {
 public:
  // `runs`: there is at least one iteration.
  DynamicLoop(Context& context, const Operation& op, const Block& block,
              const std::string& condition, bool runs)
      : context_(context),
        op_(op),
        block_(block),
        condition_(condition),
        runs_(runs) {
    Names read, written;
    Collect(context, block, &read, &written);
    read.insert(condition);
    for (const std::string& name : written)
      if (context.values.contains(name)) carried_.push_back(name);
    for (const std::string& name : read) {
      const auto it = context.values.find(name);
      if (it == context.values.end() || written.contains(name)) continue;
      if (context.builder.constant(it->second) != nullptr)
        constants_.push_back(name);
      else
        captured_.push_back(name);
    }
    for (const std::string& name : carried_) {
      initial_.push_back(context.values.at(name));
      shapes_.push_back(context.ShapeOf(initial_.back()));
    }
  }

  Status Add() {
    if (std::find(carried_.begin(), carried_.end(), condition_) ==
        carried_.end())
      return Malformed(op_, ": nothing in it changes '", condition_, "'");
    std::shared_ptr<const Model> body;
    for (int tries = 0;; ++tries) {
      MUNJA_ASSIGN_OR_RETURN(body, Body());
      if (tries == 0 && ReplacePlaceholders(*body)) continue;
      MUNJA_ASSIGN_OR_RETURN(const bool grew, Widen(*body));
      if (!grew) break;
      if (tries > kMaxShapes)
        return Unsupported(op_, ": shapes that never settle");
    }
    MUNJA_ASSIGN_OR_RETURN(auto goes_on, GoesOn());
    Node node;
    node.op = "While";
    node.name = op_.name;
    std::vector<std::string> names;
    node.inputs = initial_;
    for (const std::string& name : captured_)
      node.inputs.push_back(context_.values.at(name));
    for (const auto* list : {&carried_, &captured_})
      for (const std::string& name : *list)
        names.push_back(op_.name + "/" + name);
    node.bodies = {goes_on, body};
    MUNJA_ASSIGN_OR_RETURN(
        const Values results,
        context_.builder.AddNode(std::move(node), std::move(names)));
    for (size_t i = 0; i < carried_.size(); ++i)
      context_.values[carried_[i]] = results[i];
    return {};
  }

 private:
  // A model of its own, with the loop's variables as inputs.
  struct Inside {
    Inside(const Context& outer, const char* what)
        : builder(what), context(&builder) {
      context.blocks = outer.blocks;
      context.run = outer.run;
      context.block = outer.block;
      context.is_iteration = true;
    }
    ModelBuilder builder;
    Context context;
    Values inputs;
    std::set<ValueId> taken;

    Result<std::shared_ptr<const Model>> Finish(Values outputs) {
      int count = 0;
      for (ValueId& v : outputs) {
        const std::string name = "result_" + std::to_string(count++);
        MUNJA_ASSIGN_OR_RETURN(
            v, builder.TakeOutput(name, name, {{name, v}}, &taken));
      }
      return std::make_shared<const Model>(builder.Finish(std::move(outputs)));
    }
  };

  void AddInputs(Inside& inside) const {
    const auto add = [&](const std::string& name, const Dims& shape,
                         ValueId before) {
      const ElementType type = context_.builder.value(before).type;
      const ValueId v = inside.builder.AddInput(
          name, shape, type != ElementType::kFloat32, type);
      inside.context.values[name] = v;
      inside.inputs.push_back(v);
      inside.taken.insert(v);
    };
    for (size_t i = 0; i < carried_.size(); ++i)
      add(carried_[i], shapes_[i], initial_[i]);
    for (const std::string& name : captured_) {
      const ValueId v = context_.values.at(name);
      add(name, context_.ShapeOf(v), v);
    }
  }

  Result<std::shared_ptr<const Model>> GoesOn() const {
    Inside inside(context_, "a condition");
    AddInputs(inside);
    Operation here;
    here.type = op_.type;
    here.name = "goes_on";
    Writer w(inside.context, here);
    const ValueId v = w.Reshape(
        w.Cast(inside.context.values.at(condition_), ElementType::kBool), {});
    MUNJA_RETURN_IF_ERROR(w.Done());
    return inside.Finish({v});
  }

  Result<std::shared_ptr<const Model>> Body() const {
    Inside inside(context_, "a body");
    AddInputs(inside);
    for (const std::string& name : constants_) {
      const Tensor& t = *context_.builder.constant(context_.values.at(name));
      *context_.run += static_cast<int64_t>(t.elements()) / kElements;
      inside.context.values[name] = inside.builder.AddConstant(name, t);
    }
    MUNJA_RETURN_IF_ERROR(RunBlock(inside.context, op_, block_));
    Values results;
    for (const std::string& name : carried_)
      results.push_back(inside.context.values.at(name));
    results.insert(results.end(),
                   inside.inputs.begin() + static_cast<long>(carried_.size()),
                   inside.inputs.end());
    return inside.Finish(std::move(results));
  }

  // A variable that only iterations write has any value and shape before the
  // first one: it is not read. True when there were some.
  bool ReplacePlaceholders(const Model& body) {
    bool replaced = false;
    for (size_t i = 0; i < carried_.size() && runs_; ++i) {
      const Value& next = body.value(body.outputs[i]);
      const ElementType type = context_.builder.value(initial_[i]).type;
      if ((next.shape == shapes_[i] && next.type == type) ||
          ReadsFirst(context_, block_, carried_[i]))
        continue;
      Dims shape = next.shape;
      for (int64_t& d : shape)
        if (d < 0) d = 1;
      Result<Tensor> any = FilledTensor(shape, next.type, 0);
      if (!any.ok()) continue;
      initial_[i] = context_.builder.AddConstant("", std::move(*any));
      shapes_[i] = next.shape;
      replaced = true;
    }
    return replaced;
  }

  Result<bool> Widen(const Model& body) {
    std::vector<LoopVariable> variables;
    for (size_t i = 0; i < carried_.size(); ++i)
      variables.push_back(
          {"'" + carried_[i] + "'", context_.builder.value(initial_[i]).type});
    return WidenShapes(body, 0, variables, shapes_).With(op_);
  }

  Context& context_;
  const Operation& op_;
  const Block& block_;
  const std::string condition_;
  const bool runs_;
  std::vector<std::string> carried_, captured_, constants_;
  // Carried variables: their values before the first iteration, and their
  // shapes before any.
  Values initial_;
  std::vector<Dims> shapes_;
};

}  // namespace

Status While(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const Block* block, FindBlock(context, op));
  const auto it = op.inputs.find("Condition");
  if (it == op.inputs.end() || it->second.size() != 1)
    return Malformed(op, " has no condition");
  const std::string& name = it->second[0];
  const auto condition = [&](Condition* c) {
    const auto found = context.values.find(name);
    if (found == context.values.end())
      return Malformed(op, ": nothing writes '", name, "'");
    Writer w(context, op);
    *c = ReadCondition(context, w, found->second);
    return w.Done();
  };
  const auto values = context.values;
  const auto lists = context.lists;
  *context.run += static_cast<int64_t>(values.size()) / kElements;
  const auto before = *context.run;
  bool runs = false;
  for (int turn = 0; turn <= kMaxIterations; ++turn) {
    Condition c;
    MUNJA_RETURN_IF_ERROR(condition(&c));
    if (c.is_known && !c.holds) return {};
    runs |= c.is_known && c.holds;
    const bool is_long = *context.run - before > kMaxOfLoop;
    if (!c.is_known || turn == kMaxIterations || is_long) break;
    MUNJA_RETURN_IF_ERROR(RunBlock(context, op, *block));
  }
  // The iteration count is dynamic: undo what was unrolled.
  context.values = values;
  context.lists = lists;
  return DynamicLoop(context, op, *block, name, runs).Add();
}

Status ConditionalBlock(Context& context, const Operation& op) {
  MUNJA_ASSIGN_OR_RETURN(const Block* block, FindBlock(context, op));
  Writer w(context, op);
  const Condition c = ReadCondition(context, w, w.Need("Cond"));
  MUNJA_RETURN_IF_ERROR(w.Done());
  if (c.is_known && !c.holds) return {};
  const auto before = context.values;
  *context.run += static_cast<int64_t>(before.size()) / kElements;
  const size_t lists = context.lists.size();
  MUNJA_RETURN_IF_ERROR(RunBlock(context, op, *block));
  if (c.is_known) return {};
  if (context.lists.size() != lists)
    w.Refuse("a list in a branch that the run chooses");
  Names read, written;
  Collect(context, *block, &read, &written);
  for (const std::string& name : written) {
    const auto old = before.find(name);
    const auto now = context.values.find(name);
    if (old == before.end() || now == context.values.end() ||
        old->second == now->second || !w.ok())
      continue;
    // Without the block the variable stays as it was.
    if (w.shape(old->second) != w.shape(now->second) ||
        !IsStatic(w.shape(now->second)) ||
        w.type(old->second) != w.type(now->second))
      w.Refuse("a branch that the run chooses changes the shape of '", name,
               "'");
    now->second = w.Select(w.Reshape(w.Cast(c.value, ElementType::kBool), {}),
                           now->second, old->second);
  }
  return w.Done();
}

// The first of X, or the second where Mask is not 0.
Status SelectInput(Context& context, const Operation& op) {
  Writer w(context, op);
  const Condition c = ReadCondition(context, w, w.Need("Mask"));
  const auto it = op.inputs.find("X");
  if (it == op.inputs.end() || it->second.size() != 2)
    w.Damaged("not two values");
  MUNJA_RETURN_IF_ERROR(w.Done());
  ValueId from[2] = {kNoValue, kNoValue};
  for (size_t i = 0; i < 2; ++i) {
    // A branch that is not taken writes nothing.
    if (c.is_known && c.holds != (i == 1)) continue;
    const auto found = context.values.find(it->second[i]);
    if (found == context.values.end())
      return Malformed(op, ": nothing writes '", it->second[i], "'");
    from[i] = found->second;
  }
  if (c.is_known) return context.Bind(op, "Out", from[c.holds ? 1 : 0]);
  if (w.shape(from[0]) != w.shape(from[1]) || !IsStatic(w.shape(from[0])) ||
      w.type(from[0]) != w.type(from[1]))
    w.Refuse("branches of shapes ", ToString(w.shape(from[0])), " and ",
             ToString(w.shape(from[1])));
  return w.Done("Out",
                w.Select(w.Reshape(w.Cast(c.value, ElementType::kBool), {}),
                         from[1], from[0]));
}

Status Increment(Context& context, const Operation& op) {
  Writer w(context, op);
  const double step = w.Given(op.attributes.Float("step", 1));
  const ValueId x = w.Need("X");
  if (w.ok() && !w.is_float(x) && step != std::floor(step))
    w.Refuse("integers plus a fraction");
  return w.Done("Out", w.Add(x, step));
}

namespace {

// The index in a list, which must be static.
size_t PlaceOf(Context& context, Writer& w, size_t most) {
  if (context.is_iteration)
    w.Refuse("a list in a loop of a dynamic iteration count");
  const ValueId v = w.Need("I");
  const Tensor* t = w.ok() ? context.builder.constant(v) : nullptr;
  if (w.ok() && (t == nullptr || t->integers.size() != 1))
    w.Refuse("a position computed at run time");
  if (w.ok() &&
      (t->integers[0] < 0 || t->integers[0] > static_cast<int64_t>(most)))
    w.Damaged("position ", t->integers[0], " of a list of ", most);
  return w.ok() ? static_cast<size_t>(t->integers[0]) : 0;
}

Values* ListOf(Context& context, Writer& w, const Arguments& arguments,
               const char* parameter) {
  const auto it = arguments.find(parameter);
  if (it == arguments.end() || it->second.size() != 1) {
    w.Damaged("not a list");
    return nullptr;
  }
  return &context.lists[it->second[0]];
}

}  // namespace

Status WriteToArray(Context& context, const Operation& op) {
  Writer w(context, op);
  const ValueId x = w.Need("X");
  Values* const list = ListOf(context, w, op.outputs, "Out");
  if (list == nullptr) return w.Done();
  const size_t at = PlaceOf(context, w, list->size());
  if (!w.ok()) return w.Done();
  if (at == list->size()) list->push_back(x);
  (*list)[at] = x;
  return w.Done();
}

Status ReadFromArray(Context& context, const Operation& op) {
  Writer w(context, op);
  Values* const list = ListOf(context, w, op.inputs, "X");
  if (list == nullptr) return w.Done();
  const size_t at = PlaceOf(context, w, list->size());
  if (w.ok() && at == list->size())
    w.Damaged("a position behind the end of the list");
  if (!w.ok()) return w.Done();
  const ValueId v = (*list)[at];
  return w.Done("Out", v);
}

Status ArrayLength(Context& context, const Operation& op) {
  Writer w(context, op);
  if (context.is_iteration)
    w.Refuse("a list in a loop of a dynamic iteration count");
  Values* const list = ListOf(context, w, op.inputs, "X");
  if (list == nullptr) return w.Done();
  return w.Done("Out", w.List({static_cast<int64_t>(list->size())}, kI64));
}

Status ArrayToTensor(Context& context, const Operation& op) {
  Writer w(context, op);
  const int64_t axis = w.Given(op.attributes.Int("axis", 0));
  const bool stacks = w.Given(Flag(op, {"use_stack"}, false));
  if (context.is_iteration)
    w.Refuse("a list in a loop of a dynamic iteration count");
  Values* const list = ListOf(context, w, op.inputs, "X");
  if (list == nullptr) return w.Done();
  if (list->empty()) w.Damaged("an empty list");
  if (!w.ok()) return w.Done();
  Values parts = *list;
  const int64_t along = w.Axis(axis, w.rank(parts[0]) + (stacks ? 1 : 0));
  if (stacks && w.ok())
    for (ValueId& v : parts) v = w.Unsqueeze(v, {along});
  return w.Done("Out", w.ok() ? w.Concat(parts, along) : kNoValue);
}

}  // namespace munja::importer::paddle
