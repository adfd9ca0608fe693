# make        builds build/release/munja
# make run    the same, then reads a sample picture
# make test   the same with tests, in the same folder, and runs them
# make train  builds build/train/munja-train, which trains models
# Debian packages that are missing are installed first (needs root or sudo only then).
MAKEFLAGS += --no-builtin-rules
.PHONY: all run test train clean

all:
	tools/install-packages build
	cmake --preset release
	cmake --build --preset release

run: all
	tools/run-sample

test: all
	tools/install-packages test train
	cmake --preset tests
	cmake --build --preset tests --target munja_tests
	ctest --preset tests -j$$(nproc)

train:
	tools/install-packages build train fonts
	cmake --preset train
	cmake --build --preset train --target munja-train

clean:
	cmake -E rm -rf build/release build/dev build/train
