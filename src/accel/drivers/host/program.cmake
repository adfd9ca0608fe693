# munja-driver-host: drivers in processes of their own.
add_executable(munja-driver-host ${CMAKE_CURRENT_SOURCE_DIR}/drivers/host/driver_host_main.cc)
munja_warnings(munja-driver-host)
target_link_libraries(munja-driver-host PRIVATE munja_transport munja_drivers_built_in ${CMAKE_DL_LIBS})
set_target_properties(munja-driver-host PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
install(TARGETS munja-driver-host RUNTIME)
