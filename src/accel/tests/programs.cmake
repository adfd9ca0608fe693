# Plug-ins and programs that the tests of this wing need.
if(NOT MUNJA_DEVELOPER_MODE)
  return()
endif()
set(accel_tests ${CMAKE_CURRENT_SOURCE_DIR}/tests)
# The fault-injecting driver.
add_library(munja_fault_driver MODULE ${accel_tests}/plugins/fault_injecting_driver.cc)
munja_warnings(munja_fault_driver)
target_include_directories(munja_fault_driver PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
set(paths MUNJA_DRIVER_HOST="$<TARGET_FILE:munja-driver-host>" MUNJA_FAULT_DRIVER="$<TARGET_FILE:munja_fault_driver>")
# A client that puts drivers in processes of their own under load.
add_executable(munja_driver_stress ${accel_tests}/programs/driver_stress.cc
                                   ${CMAKE_CURRENT_SOURCE_DIR}/transport/testing.cc)
munja_warnings(munja_driver_stress)
munja_quick_to_build(munja_driver_stress)
target_link_libraries(munja_driver_stress PRIVATE munja_transport GTest::gmock)
target_compile_definitions(munja_driver_stress PRIVATE ${paths})
target_sources(munja_accel_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/transport/testing.cc)
foreach(test munja_transport_test munja_accel_test)
  target_compile_definitions(${test} PRIVATE ${paths} MUNJA_NN_STRESS="$<TARGET_FILE:munja_driver_stress>")
  add_dependencies(${test} munja-driver-host munja_fault_driver munja_driver_stress)
endforeach()
# Measures the cost of a process of its own.
add_executable(munja_isolation_bench EXCLUDE_FROM_ALL ${accel_tests}/programs/isolation_bench.cc
               ${CMAKE_CURRENT_SOURCE_DIR}/transport/testing.cc)
munja_warnings(munja_isolation_bench)
target_link_libraries(munja_isolation_bench PRIVATE munja_transport GTest::gtest ${CMAKE_DL_LIBS})
target_compile_definitions(munja_isolation_bench PRIVATE ${paths})
add_dependencies(munja_isolation_bench munja-driver-host munja_fault_driver)
