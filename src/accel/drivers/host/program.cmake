# munja-driver-host: drivers in processes of their own.
add_executable(munja-driver-host ${CMAKE_CURRENT_SOURCE_DIR}/drivers/host/driver_host_main.cc)
munja_warnings(munja-driver-host)
target_link_libraries(munja-driver-host PRIVATE munja_transport munja_drivers_built_in ${CMAKE_DL_LIBS})
set_target_properties(munja-driver-host PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
install(TARGETS munja-driver-host RUNTIME)
if(TARGET munja_transport_test)
  # A driver that adds, and does all that no driver should when it is asked to.
  add_library(munja_moody_driver MODULE ${CMAKE_CURRENT_SOURCE_DIR}/transport/moody_driver_main.cc)
  munja_warnings(munja_moody_driver)
  target_include_directories(munja_moody_driver PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src/core ${PROJECT_SOURCE_DIR}/include)
  # A client of isolated drivers under load.
  add_executable(munja_driver_stress ${CMAKE_CURRENT_SOURCE_DIR}/transport/stress_main.cc
                                 ${CMAKE_CURRENT_SOURCE_DIR}/transport/testing.cc)
  munja_warnings(munja_driver_stress)
  munja_quick_to_build(munja_driver_stress)
  target_link_libraries(munja_driver_stress PRIVATE munja_transport GTest::gmock)
  target_compile_definitions(munja_driver_stress PRIVATE MUNJA_DRIVER_HOST="$<TARGET_FILE:munja-driver-host>"
                                                     MUNJA_MOODY_DRIVER="$<TARGET_FILE:munja_moody_driver>")
  add_dependencies(munja_transport_test munja-driver-host munja_moody_driver munja_driver_stress)
  target_compile_definitions(munja_transport_test PRIVATE
                             MUNJA_DRIVER_HOST="$<TARGET_FILE:munja-driver-host>"
                             MUNJA_MOODY_DRIVER="$<TARGET_FILE:munja_moody_driver>"
                             MUNJA_NN_STRESS="$<TARGET_FILE:munja_driver_stress>")
endif()
if(TARGET munja_transport_bench)
  add_dependencies(munja_transport_bench munja-driver-host munja_moody_driver)
  target_compile_definitions(munja_transport_bench PRIVATE
                             MUNJA_DRIVER_HOST="$<TARGET_FILE:munja-driver-host>"
                             MUNJA_MOODY_DRIVER="$<TARGET_FILE:munja_moody_driver>")
endif()
if(TARGET munja_delegates_nn_test)
  add_dependencies(munja_delegates_nn_test munja-driver-host)
  target_compile_definitions(munja_delegates_nn_test PRIVATE MUNJA_DRIVER_HOST="$<TARGET_FILE:munja-driver-host>")
endif()
