# make        builds build/release/munja
# make run    the same, then reads a sample picture
# make test   builds with tests and runs them
# Debian packages that are missing are installed first (needs root or sudo only then).
MAKEFLAGS += --no-builtin-rules
.PHONY: all run test clean

all:
	tools/install-packages build
	cmake --preset release
	cmake --build --preset release

run: all
	tools/run-sample

test: all
	tools/install-packages test
	cmake --preset dev
	cmake --build --preset dev --target munja_tests
	ctest --preset dev

clean:
	cmake -E rm -rf build/release build/dev
