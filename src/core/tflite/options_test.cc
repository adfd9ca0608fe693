#include "tflite/options.h"

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace munja::tflite {
namespace {

// A value of the field's type that differs from the default.
graph::AttributeValue Sample(const OptionField& field) {
  const int64_t number = field.fallback + 3 + field.id;
  switch (field.kind) {
    case FieldKind::kBool:
      return field.fallback == 0;
    case FieldKind::kInt32:
      return -number;
    case FieldKind::kUInt32:
      return int64_t{0xfffffff0} + field.id;
    case FieldKind::kInt64:
      return -(int64_t{1} << 40) - number;
    case FieldKind::kFloat32:
      return 0.25 + static_cast<double>(number);
    case FieldKind::kEnum8:
    case FieldKind::kEnum32:
      // An enum of one value has nothing but its default.
      return std::string(field.enumerators.back());
    case FieldKind::kText:
      return "text " + std::to_string(number);
    case FieldKind::kInt32s:
      return std::vector<int64_t>{-1, number, 1 << 30};
    case FieldKind::kUInt32s:
      return std::vector<int64_t>{number, 0xffffffff};
    case FieldKind::kInt64s:
      return std::vector<int64_t>{-(int64_t{1} << 40), number};
    case FieldKind::kBools:
      return std::vector<int64_t>{1, 0, 1};
    case FieldKind::kFloat32s:
      return std::vector<double>{-0.5, static_cast<double>(number)};
    case FieldKind::kBytes:
      return std::vector<uint8_t>{0, 255, 7};
  }
  return false;
}

const OptionTable& Named(std::string_view name) {
  for (const OptionTable& table : OptionTables())
    if (table.name == name) return table;
  ADD_FAILURE() << "no table " << name;
  return OptionTables()[0];
}

Result<graph::Attributes> RoundTrip(const OptionTable& layout,
                                    const graph::Attributes& attributes) {
  flatbuffers::FlatBufferBuilder builder;
  MUNJA_ASSIGN_OR_RETURN(const auto table,
                         WriteOptions(layout, attributes, builder));
  builder.Finish(table);
  flatbuffers::Verifier verifier(builder.GetBufferPointer(), builder.GetSize());
  const auto* root =
      flatbuffers::GetRoot<flatbuffers::Table>(builder.GetBufferPointer());
  if (!VerifyOptions(layout, root, verifier))
    return Malformed("does not verify");
  return ReadOptions(layout, root);
}

TEST(OptionsTest, EveryFieldOfEveryTable_IsReadBack) {
  for (const OptionTable& table : OptionTables()) {
    SCOPED_TRACE(table.name);
    graph::Attributes attributes;
    for (const OptionField& field : table.fields)
      attributes.Set(field.name, Sample(field));
    auto back = RoundTrip(table, attributes);
    ASSERT_TRUE(back.ok()) << back.status().message();
    EXPECT_EQ(*back, attributes);
  }
}

TEST(OptionsTest, TruncatedTable_DoesNotVerify) {
  for (const OptionTable& table : OptionTables()) {
    SCOPED_TRACE(table.name);
    graph::Attributes attributes;
    for (const OptionField& field : table.fields)
      attributes.Set(field.name, Sample(field));
    flatbuffers::FlatBufferBuilder builder;
    auto offset = WriteOptions(table, attributes, builder);
    ASSERT_TRUE(offset.ok());
    builder.Finish(*offset);
    const auto* root =
        flatbuffers::GetRoot<flatbuffers::Table>(builder.GetBufferPointer());
    // The last byte may be padding; eight fewer always cut a field.
    if (table.fields.empty()) continue;
    flatbuffers::Verifier verifier(builder.GetBufferPointer(),
                                   builder.GetSize() - 8);
    EXPECT_FALSE(VerifyOptions(table, root, verifier));
  }
}

TEST(OptionsTest, AbsentScalars_ReadAsTheSchemasDefaults) {
  auto back = RoundTrip(Named("Conv2DOptions"), graph::Attributes());
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back->Text("padding", "?"), "SAME");
  EXPECT_EQ(*back->Int("stride_w", -1), 0);
  EXPECT_EQ(*back->Int("dilation_w_factor", -1), 1);
  auto add = ReadOptions(Named("AddOptions"), nullptr);
  ASSERT_TRUE(add.ok());
  EXPECT_EQ(*add->Bool("pot_scale_int16", false), true);
  // Lists have no default, they are there or not.
  auto reshape = RoundTrip(Named("ReshapeOptions"), graph::Attributes());
  ASSERT_TRUE(reshape.ok());
  EXPECT_TRUE(reshape->empty());
}

TEST(OptionsTest, ValuesOutsideTheSchema_AreRefused) {
  const auto refused = [](const char* table, const char* name,
                          graph::AttributeValue value) {
    graph::Attributes attributes;
    attributes.Set(name, std::move(value));
    auto back = RoundTrip(Named(table), attributes);
    return !back.ok() && back.status().code() == Code::kInvalidArgument &&
           back.status().message().find(name) != std::string_view::npos;
  };
  EXPECT_TRUE(refused("Conv2DOptions", "groups", int64_t{2}));
  EXPECT_TRUE(refused("Conv2DOptions", "padding", std::string("EXPLICIT")));
  EXPECT_TRUE(refused("Conv2DOptions", "padding", int64_t{1}));
  EXPECT_TRUE(refused("Conv2DOptions", "stride_w", int64_t{1} << 31));
  EXPECT_TRUE(refused("CallOptions", "subgraph", int64_t{-1}));
  EXPECT_TRUE(refused("SoftmaxOptions", "beta", std::string("1")));
  EXPECT_TRUE(refused("ReshapeOptions", "new_shape",
                      std::vector<int64_t>{int64_t{1} << 40}));
}

// The least and the largest integer of a field.
struct IntegerRange {
  int64_t least, most;
};
std::optional<IntegerRange> RangeOf(FieldKind kind) {
  switch (kind) {
    case FieldKind::kInt32:
    case FieldKind::kInt32s:
      return IntegerRange{-(int64_t{1} << 31), (int64_t{1} << 31) - 1};
    case FieldKind::kUInt32:
    case FieldKind::kUInt32s:
      return IntegerRange{0, (int64_t{1} << 32) - 1};
    case FieldKind::kInt64:
    case FieldKind::kInt64s:
      return IntegerRange{std::numeric_limits<int64_t>::min(),
                          std::numeric_limits<int64_t>::max()};
    default:
      return std::nullopt;
  }
}

TEST(OptionsTest, Integers_ReachTheEndsOfTheirRange) {
  for (const OptionTable& table : OptionTables()) {
    for (const OptionField& field : table.fields) {
      const auto range = RangeOf(field.kind);
      if (!range) continue;
      SCOPED_TRACE(std::string(table.name) + " " + std::string(field.name));
      const bool is_list = field.kind == FieldKind::kInt32s ||
                           field.kind == FieldKind::kUInt32s ||
                           field.kind == FieldKind::kInt64s;
      const auto written = [&](int64_t number) {
        graph::Attributes attributes;
        if (is_list)
          attributes.Set(field.name, std::vector<int64_t>{1, number});
        else
          attributes.Set(field.name, number);
        const auto back = RoundTrip(table, attributes);
        if (!back.ok()) {
          EXPECT_EQ(back.status().code(), Code::kInvalidArgument);
          return false;
        }
        EXPECT_EQ(*back->Find(field.name), *attributes.Find(field.name));
        return true;
      };
      EXPECT_TRUE(written(range->least));
      EXPECT_TRUE(written(range->most));
      if (range->least == std::numeric_limits<int64_t>::min()) continue;
      EXPECT_FALSE(written(range->least - 1));
      EXPECT_FALSE(written(range->most + 1));
    }
  }
}

TEST(OptionsTest, AttributesOfAnotherType_AreRefused) {
  for (const OptionTable& table : OptionTables()) {
    for (const OptionField& field : table.fields) {
      SCOPED_TRACE(std::string(table.name) + " " + std::string(field.name));
      graph::Attributes attributes;
      if (field.kind == FieldKind::kBytes)
        attributes.Set(field.name, int64_t{1});
      else
        attributes.Set(field.name,
                       graph::AttributeBytes(std::vector<uint8_t>{1}));
      flatbuffers::FlatBufferBuilder builder;
      const auto table_or = WriteOptions(table, attributes, builder);
      ASSERT_FALSE(table_or.ok());
      EXPECT_EQ(table_or.status().code(), Code::kInvalidArgument);
      EXPECT_THAT(table_or.status().message(),
                  ::testing::HasSubstr("attribute '" + std::string(field.name) +
                                       "' is not "));
    }
  }
}

TEST(OptionsTest, UnnamedEnumerator_IsUnsupported) {
  const OptionTable& layout = Named("Conv2DOptions");
  flatbuffers::FlatBufferBuilder builder;
  const auto start = builder.StartTable();
  builder.AddElement<int8_t>(layout.fields[0].slot(), 9, 0);
  builder.Finish(
      flatbuffers::Offset<flatbuffers::Table>(builder.EndTable(start)));
  auto read = ReadOptions(layout, flatbuffers::GetRoot<flatbuffers::Table>(
                                      builder.GetBufferPointer()));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.status().code(), Code::kUnsupported);
}

TEST(OptionTableTest, Operators_AreNumberedWithoutGapsAndNamedOnce) {
  std::set<std::string_view> names;
  int32_t code = 0;
  for (const Operator& op : Operators()) {
    EXPECT_EQ(op.code, code++);
    EXPECT_TRUE(names.insert(op.name).second) << op.name;
    EXPECT_EQ(FindOperator(op.name), &op);
    EXPECT_EQ(FindOperator(op.code), &op);
  }
  EXPECT_EQ(FindOperator(code), nullptr);
  EXPECT_EQ(FindOperator("NO_SUCH_OPERATOR"), nullptr);
}

TEST(OptionTableTest, Unions_AreNumberedWithoutGaps) {
  int last[3] = {0, 0, 0};
  for (const OptionTable& table : OptionTables()) {
    EXPECT_EQ(table.selector, ++last[table.union_number]) << table.name;
    EXPECT_EQ(FindOptions(table.union_number, table.selector), &table);
    int id = -1;
    for (const OptionField& field : table.fields) {
      EXPECT_GT(field.id, id) << field.name;
      id = field.id;
    }
  }
  EXPECT_EQ(last[1], 126);
  EXPECT_EQ(last[2], 23);
}

}  // namespace
}  // namespace munja::tflite
