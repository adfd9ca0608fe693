# Cross-build for 64-bit Arm with Debian's g++-aarch64-linux-gnu; tests run under qemu-user.
# Libraries come from Debian's multiarch packages (libhwy-dev:arm64, libgtest-dev is source-only).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# No -L: libc6:arm64, which the libraries pull in, brings loader and libraries of one version. With the
# cross compiler's older loader in front of them, threads hang when they are created.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
# pkg-config finds libraries of this machine, too, not of the one that builds.
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
