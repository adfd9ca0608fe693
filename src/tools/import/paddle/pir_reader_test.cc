#include "import/paddle/pir_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/paddle/testing.h"
#include "import/run_converted.h"

namespace munja::importer::paddle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Tensor32(const std::string& dims) {
  return R"({"#":"0.t_dtensor","D":[{"#":"0.t_f32"},)" + dims +
         R"(,"NCHW",[],0]})";
}

std::string Value(int id, const std::string& dims) {
  return R"({"%":)" + std::to_string(id) + R"(,"TT":)" + Tensor32(dims) + "}";
}

// y = split(concat(x, w) * 3)[1], with x of shape [?, 2] and w of [1, 2].
std::string Program(const std::string& middle = "") {
  return R"({"base_code":{"magic":"pir","trainable":true,"version":1},
"program":{"regions":[{"#":"region_0","blocks":[{"#":"block_0","args":[],"ops":[
{"#":"p","A":[0,1,1,"w"],"DA":[],"O":)" +
         Value(1, "[1,2]") + R"(,"OA":[1,0,1],"QA":[]},
{"#":"1.data","A":[{"AT":{"#":"0.a_str","D":"x"},"N":"name"}],"I":[],"O":[)" +
         Value(2, "[-1,2]") + R"(]},
{"#":"0.combine","A":[],"I":[{"%":2},{"%":1}],"O":[{"%":3,"TT":{"#":"0.t_vec","D":[)" +
         Tensor32("[-1,2]") + "," + Tensor32("[1,2]") + R"(]}}]},
{"#":"1.full","A":[{"AT":{"#":"1.a_intarray","D":[1]},"N":"shape"},
 {"AT":{"#":"0.a_f64","D":1.0},"N":"value"},{"AT":{"#":"1.a_dtype","D":"int32"},"N":"dtype"},
 {"AT":{"#":"1.a_place","D":[1,0,""]},"N":"place"}],"I":[],"O":[{"%":4,"TT":{"#":"0.t_dtensor","D":[{"#":"0.t_i32"},[1],"NCHW",[],0]}}]},
{"#":"1.concat","A":[],"I":[{"%":3},{"%":4}],"O":[)" +
         Value(5, "[-1,4]") + "]}," + middle + R"(
{"#":"1.scale","A":[{"AT":{"#":"0.a_f32","D":0.0},"N":"bias"},{"AT":{"#":"0.a_f32","D":3.0},"N":"scale"},
 {"AT":{"#":"0.a_bool","D":true},"N":"bias_after_scale"}],"I":[{"%":5},{"%":0}],"O":[)" +
         Value(6, "[-1,4]") + R"(]},
{"#":"1.split_with_num","A":[{"AT":{"#":"0.a_i32","D":2},"N":"num"}],"I":[{"%":6},{"%":4}],
 "O":[{"%":7,"TT":{"#":"0.t_vec","D":[)" +
         Tensor32("[-1,2]") + "," + Tensor32("[-1,2]") + R"(]}}]},
{"#":"0.split","A":[],"I":[{"%":7}],"O":[)" +
         Value(8, "[-1,2]") + "," + Value(9, "[-1,2]") + R"(]},
{"#":"1.relu","A":[],"I":[{"%":9}],"O":[)" +
         Value(10, "[-1,2]") + R"(]},
{"#":"1.fetch","A":[{"AT":{"#":"0.a_str","D":"fetch_name_0"},"N":"name"}],"I":[{"%":10}],"O":[)" +
         Value(11, "[-1,2]") + "]}]}]}]}}";
}

Result<ImportedModel> Import(const std::string& text) {
  return ImportPaddle(
      std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(text.data()),
                               text.size()),
      StoredTensor({1, 2}, {5, 7}), {});
}

TEST(Pir, ListsAndConstantTensors_AreRead) {
  EXPECT_THAT(RunImported(Import(Program()), {1, 2}, {1, 2}),
              ElementsAre(15, 21));
  const auto program = ReadPir(Program());
  ASSERT_TRUE(program.ok()) << program.status().message();
  ASSERT_EQ(program->outputs.size(), 1u);
  EXPECT_EQ(program->outputs[0].first, "fetch_name_0");
  ASSERT_EQ(program->parameters.size(), 1u);
  EXPECT_EQ(program->parameters[0].shape, (Dims{1, 2}));
}

TEST(Pir, UnknownOperators_AreNamed) {
  const auto model = Import(Program(
      R"({"#":"1.mystery","A":[],"I":[{"%":5}],"O":[)" + Value(20, "[1]") +
      R"(]},{"#":"2.custom","A":[],"I":[{"%":5}],"O":[)" + Value(21, "[1]") +
      "]},"));
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().code(), Code::kUnsupported);
  EXPECT_THAT(std::string(model.status().message()),
              HasSubstr("2.custom (1) mystery (1)"));
}

TEST(Pir, BrokenControlFlow_IsRefused) {
  const auto model = Import(
      Program(R"({"#":"1.if","A":[],"I":[{"%":5}],"O":[],"regions":[]},)"));
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().code(), Code::kUnsupported);
}

std::string Op(const char* kind, std::initializer_list<int> inputs,
               const std::string& output,
               const std::string& more = "\"A\":[]") {
  std::string text = R"({"#":")" + std::string(kind) + R"(","I":[)";
  for (const int id : inputs)
    text += (text.back() == '[' ? "{\"%\":" : ",{\"%\":") + std::to_string(id) +
            "}";
  return text + R"(],"O":[)" + output + "]," + more + "}";
}

std::string Block(const std::string& args, const std::string& ops) {
  return R"({"#":"region","blocks":[{"#":"block","args":[)" + args +
         R"(],"ops":[)" + ops + "]}]}";
}

std::string FilledWith(int id, const char* value) {
  return Op("1.full", {}, Value(id, "[1]"),
            R"("A":[{"AT":{"#":"1.a_intarray","D":[1]},"N":"shape"},
                    {"AT":{"#":"0.a_f64","D":)" +
                std::string(value) +
                R"(},"N":"value"},
                    {"AT":{"#":"1.a_dtype","D":"float32"},"N":"dtype"}])");
}

// while (sum(x) < 100) x = x * x;  y = sum(x) > 1000 ? x / 2 : x
std::string LoopAndBranch() {
  const std::string two = "[1,2]", one = "[1]";
  const std::string in =
      R"({"#":"1.data","A":[{"AT":{"#":"0.a_str","D":"x"},"N":"name"}],"I":[],"O":[)" +
      Value(1, two) + "]}";
  const std::string axes = Op(
      "1.full_int_array", {}, Value(3, "[2]"),
      R"("A":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_i64","D":0},{"#":"0.a_i64","D":1}]},"N":"value"},
              {"AT":{"#":"1.a_dtype","D":"int64"},"N":"dtype"}])");
  const std::string turn = Op("1.multiply", {-1, -1}, Value(7, two)) + "," +
                           Op("1.sum", {7, 3}, Value(8, one)) + "," +
                           Op("1.less_than", {8, 2}, Value(9, one)) + "," +
                           Op("2.yield", {9, 7}, "");
  const std::string half =
      Op("1.scale", {6, 0}, Value(12, two),
         R"("A":[{"AT":{"#":"0.a_f32","D":0.5},"N":"scale"}])") +
      "," + Op("2.yield", {12}, "");
  const std::string ops =
      in + "," + FilledWith(2, "100.0") + "," + axes + "," +
      Op("1.sum", {1, 3}, Value(4, one)) + "," +
      Op("1.less_than", {4, 2}, Value(5, one)) + "," +
      Op("1.while", {5, 1}, Value(6, two),
         "\"A\":[],\"regions\":[" +
             Block(R"({"#":-1,"TT":)" + Tensor32(two) + "}", turn) + "]") +
      "," + FilledWith(13, "1000.0") + "," +
      Op("1.sum", {6, 3}, Value(14, one)) + "," +
      Op("1.greater_than", {14, 13}, Value(10, one)) + "," +
      Op("1.if", {10}, Value(11, two),
         "\"A\":[],\"regions\":[" + Block("", half) + "," +
             Block("", Op("2.yield", {6}, "")) + "]") +
      "," +
      Op("1.fetch", {11}, Value(15, two),
         R"("A":[{"AT":{"#":"0.a_str","D":"y"},"N":"name"}])");
  return R"({"base_code":{"magic":"pir","trainable":true,"version":1},"program":{"regions":[)" +
         Block("", ops) + "]}}";
}

TEST(Pir, ControlFlow_IsRead) {
  const std::string text = LoopAndBranch();
  const auto model = [&] {
    return ImportPaddle(
        std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(text.data()),
                                 text.size()),
        {}, {});
  };
  for (const auto& [x, y] :
       {std::pair(std::vector<float>{2, 3}, std::vector<float>{128, 3280.5f}),
        {{60, 70}, {60, 70}}}) {
    EXPECT_EQ(RunImported(model(), {1, 2}, x), y);
    EXPECT_EQ(RunConverted(model(), Shape{1, 2}, x), y);
  }
  for (size_t size = 0; size < text.size(); size += 5)
    EXPECT_FALSE(ReadPir(text.substr(0, size)).ok()) << size;
}

TEST(Pir, WrongLoops_AreRefused) {
  const std::string text = LoopAndBranch();
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>("{\"#\":-1,", "{\"#\":5,"),
        {"2.yield", "2.other"},
        {"{\"%\":9},{\"%\":7}", "{\"%\":9}"},
        {"\"I\":[{\"%\":5},{\"%\":1}]", "\"I\":[{\"%\":5}]"}}) {
    std::string wrong = text;
    ASSERT_NE(wrong.find(from), std::string::npos) << from;
    wrong.replace(wrong.find(from), from.size(), to);
    EXPECT_FALSE(ReadPir(wrong).ok()) << to;
  }
}

// set_value_ changes its input, too.
TEST(Pir, InPlaceOperators_AreRenamed) {
  const auto list = [](int id, int value) {
    return Op(
        "1.full_int_array", {}, Value(id, "[1]"),
        R"("A":[{"AT":{"#":"0.a_array","D":[{"#":"0.a_i64","D":)" +
            std::to_string(value) +
            R"(}]},"N":"value"},{"AT":{"#":"1.a_dtype","D":"int64"},"N":"dtype"}])");
  };
  const auto whole = [](const char* name, const char* values) {
    return std::string(R"({"AT":{"#":"0.a_array","D":[)") + values +
           R"(]},"N":")" + name + "\"}";
  };
  const std::string middle =
      list(30, 1) + "," + list(31, 2) + "," + list(32, 1) + "," +
      Op("1.set_value_", {5, 30, 31, 32}, Value(33, "[-1,4]"),
         "\"A\":[" + whole("axes", R"({"#":"0.a_i64","D":1})") + "," +
             whole("shape", R"({"#":"0.a_i64","D":1})") + "," +
             whole("values", R"({"#":"1.a_scalar","D":9.0})") + "]") +
      ",";
  // The program gives three times the last two of x, x, 5, 7; and then those
  // before, of which one was changed.
  std::string text = Program(middle);
  EXPECT_THAT(RunImported(Import(text), {1, 2}, {1, 2}), ElementsAre(15, 21));
  const std::string last = R"("I":[{"%":9}])";
  text.replace(text.find(last), last.size(), R"("I":[{"%":8}])");
  EXPECT_THAT(RunImported(Import(text), {1, 2}, {1, 2}), ElementsAre(3, 27));
}

TEST(Pir, WrongAttributes_AreNamed) {
  const auto model =
      Import(Program(R"({"#":"1.leaky_relu","A":[{"AT":{"#":"0.a_f32","D":[]},)"
                     R"("N":"negative_slope"}],"I":[{"%":5}],"O":[)" +
                     Value(20, "[1]") + "]},"));
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(std::string(model.status().message()),
              HasSubstr("attribute 'negative_slope'"));
}

TEST(Pir, TruncatedFile_IsRefused) {
  const std::string text = Program();
  for (size_t size = 0; size < text.size(); size += 7)
    EXPECT_FALSE(Import(text.substr(0, size)).ok()) << size;
}

TEST(Pir, OtherJson_IsRefused) {
  for (const char* text :
       {"{}", R"({"base_code":{"magic":"pir","version":1}})",
        R"({"base_code":{"magic":"pir","version":2},"program":{}})",
        R"({"base_code":{"magic":"pir","version":1},"program":{"regions":[]}})",
        R"({"base_code":7,"program":[]})"})
    EXPECT_FALSE(ReadPir(text).ok()) << text;
  // A value that is read before it is written, or written twice.
  for (const char* middle :
       {R"({"#":"1.relu","A":[],"I":[{"%":99}],"O":[{"%":20}]},)",
        R"({"#":"1.relu","A":[],"I":[{"%":5}],"O":[{"%":5}]},)",
        R"({"#":"1.relu","A":[],"I":[{}],"O":[{"%":20}]},)",
        R"({"A":[],"I":[{"%":5}],"O":[{"%":20}]},)"})
    EXPECT_FALSE(Import(Program(middle)).ok()) << middle;
}

}  // namespace
}  // namespace munja::importer::paddle
