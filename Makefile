# make           builds build/release/munja, which reads and runs models
# make tools     builds munja-tools beside it: the commands that convert, quantize, prune; accelerators
# make run       the same, then reads a sample picture
# make test      the same with tests, in the same folder, and runs them; warnings are errors then
# make install   copies commands, libraries, headers, CMake and pkg-config files to PREFIX=/usr/local below DESTDIR
# make test-of MODULE=ops   builds and runs the tests of one module: what a changed line needs
# make python    builds the wheel of bindings/python with the library of build/release, into build/python
# make test-python  the same, and tests it; needs PyPI
# make java      builds the jar of bindings/java with the library of build/release, into build/java
# make test-java  the same, and tests it; needs Maven Central
# make deb       builds Debian packages, into build/deb
# make dist      writes the sources of the last commit to build/munja-VERSION.tar.gz, and recipes with its checksums for
#                package managers to build/packaging (packaging/README.md); URL=... is the archive's published address
# make train     builds build/train/munja-train, which trains models
# make packages  says which Debian packages are missing for "make", and installs nothing
#
# Debian packages that are missing are installed first: their names, what they are for and the command are
# printed before. That needs root, or sudo; MUNJA_INSTALL=no make ... installs nothing and stops instead.
MAKEFLAGS += --no-builtin-rules
.PHONY: all tools run test test-of install python test-python java test-java deb dist train packages clean

# A folder that is configured for the tests stays so: the compiler's options would change, and everything
# would be built anew.
has_tests := $(shell grep -s '^MUNJA_DEVELOPER_MODE:BOOL=ON' build/release/CMakeCache.txt)

all:
	tools/install-packages build
	$(if $(has_tests),,cmake --preset release)
	cmake --build --preset release --target munja munja_shared munja-tesseract

tools: all
	cmake --build --preset release --target munja-tools munja-driver-host munja_shared_tools munja_shared_tflite munja_shared_runtime

run: all
	tools/run-sample

test:
	tools/install-packages build test train
	cmake --preset tests
	cmake --build --preset tests --target munja munja-tools munja_shared munja_tests
	ctest --preset tests -j$$(nproc)

PREFIX ?= /usr/local
export DESTDIR
install: tools
	cmake --build --preset release --target munja_installed
	for component in programs libraries development; do \
	  cmake --install build/release --prefix $(PREFIX) --component $$component || exit; done

test-of:
	$(if $(has_tests),,cmake --preset tests)
	cmake --build --preset tests --target munja_$(subst /,_,$(MODULE))_test
	build/release/bin/munja_$(subst /,_,$(MODULE))_test --gtest_brief=1

python: tools
	tools/install-packages python
	tools/test-python --wheel

test-python: tools
	tools/install-packages python
	tools/test-python

java: tools
	tools/install-packages java
	tools/test-java --jar

test-java: tools
	tools/install-packages java
	tools/test-java

deb: tools
	tools/install-packages deb
	cmake --build --preset release --target munja_installed
	tools/build-deb

version := $(shell sed -n 's/^project.munja VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
dist:
	mkdir -p build
	git archive --prefix=munja-$(version)/ -o build/munja-$(version).tar.gz HEAD
	packaging/fill-in build/munja-$(version).tar.gz build/packaging $(URL)

train:
	tools/install-packages build train fonts
	cmake --preset train
	cmake --build --preset train --target munja-train

packages:
	tools/install-packages --dry-run

clean:
	cmake -E rm -rf build/release build/dev build/train
