// Every field of what is said about cases of drivers changes something.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "capi/tools/testing.h"
#include "munja/tools/driver_test.h"

namespace munja::capi {
namespace {

using ::testing::HasSubstr;

TEST(DriverOptions, EachField_ChangesSomething) {
  munja_driver_test_options o = {};
  const auto run = [&](std::string* report) {
    const char* const path = MUNJA_SOURCE_DIR "/examples/driver/cases.json";
    char* text = nullptr;
    const munja_status status = munja_driver_test(&path, 1, &o, &text);
    *report = status == MUNJA_OK ? TakeText(text) : munja_last_error();
    return status;
  };
  const auto plain = [&] {
    o = {};
    o.struct_size = sizeof o;
  };
  plain();
  std::string report;
  ASSERT_EQ(run(&report), MUNJA_OK) << report;
  EXPECT_THAT(report, HasSubstr("\"driver\":\"munja-reference\""));
  CheckAll("tools/driver_test.h", "munja_driver_test_options",
           {{"driver",
             [&] {
               plain();
               o.driver = "cpu";
               EXPECT_EQ(run(&report), MUNJA_OK);
               EXPECT_THAT(report, HasSubstr("\"driver\":\"munja-cpu\""));
             }},
            {"isolated",
             [&] {
               // A host that was not started, and a missing library.
               plain();
               o.driver = "unix:/absent/socket";
               EXPECT_EQ(run(&report), MUNJA_UNAVAILABLE);
               EXPECT_THAT(report, HasSubstr("cannot be opened as a driver"));
               o.isolated = 1;
               EXPECT_EQ(run(&report), MUNJA_UNAVAILABLE);
               EXPECT_THAT(report, HasSubstr("cannot connect"));
             }},
            {"modes",
             [&] {
               plain();
               for (const char* ways : {"all", "sync,dynamic,short"}) {
                 o.modes = ways;
                 EXPECT_EQ(run(&report), MUNJA_OK) << report;
                 EXPECT_THAT(report, HasSubstr("\"failed\":0"));
               }
               o.modes = "sync,sideways";
               EXPECT_EQ(run(&report), MUNJA_INVALID_ARGUMENT);
               EXPECT_THAT(report, HasSubstr("'sideways'"));
             }},
            {"control", [&] {
               plain();
               const ControlHandle control = CancelledControl();
               o.control = control.get();
               EXPECT_EQ(run(&report), MUNJA_CANCELLED);
             }}});
}

}  // namespace
}  // namespace munja::capi
