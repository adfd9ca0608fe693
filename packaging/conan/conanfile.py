import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, get
from conan.tools.gnu import PkgConfigDeps

required_conan_version = ">=2.0"


class MunjaConan(ConanFile):
    name = "munja"
    version = "@VERSION@"
    description = "On-device OCR: reads the text of images, and runs .tflite networks"
    license = "Apache-2.0"
    topics = ("ocr", "tflite", "inference")
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"
    # libtiff would bring another libjpeg.
    default_options = {"libtiff/*:jpeg": "libjpeg-turbo"}

    def requirements(self):
        for name in (
            "cli11/[>=2.1 <3]",
            "clipper/[>=6.4 <7]",
            "flatbuffers/[>=2.0.8]",
            "giflib/[>=5.2]",
            "highway/[>=1.0.3 <2]",
            "libcurl/[>=7.80 <9]",
            "libexif/[>=0.6.24]",
            "libjpeg-turbo/[>=2.1 <4]",
            "libpng/[>=1.6 <2]",
            "libtiff/[>=4.5 <5]",
            "libwebp/[>=1.2 <2]",
            "libyaml/[>=0.2.5]",
            "libzip/[>=1.7 <2]",
            "nlohmann_json/[>=3.11 <4]",
            "opencl-headers/[>=2022]",
            "openssl/[>=3 <4]",
            "protobuf/[>=3.21]",
            "utf8proc/[>=2.7 <3]",
            "zlib/[>=1.2.11 <2]",
        ):
            self.requires(name)

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25]")
        self.tool_requires("flatbuffers/<host_version>")
        self.tool_requires("ninja/[>=1.11 <2]")
        self.tool_requires("pkgconf/[>=1.8 <3]")
        self.tool_requires("protobuf/<host_version>")

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux" or self.settings.arch not in ("x86_64", "armv8"):
            raise ConanInvalidConfiguration("Munja is built for Linux on x86-64 and 64-bit Arm")

    def layout(self):
        cmake_layout(self, src_folder="src")

    def source(self):
        get(self, **self.conan_data["sources"][self.version], strip_root=True)

    def generate(self):
        toolchain = CMakeToolchain(self, generator="Ninja")
        toolchain.cache_variables["MUNJA_UNITY"] = True
        # Some libraries are headers without a CMake target.
        toolchain.cache_variables["CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES"] = ";".join(
            folder for dependency in self.dependencies.host.values() for folder in dependency.cpp_info.includedirs
        )
        toolchain.generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build(target="munja_installed")

    def package(self):
        for component in ("programs", "libraries", "development"):
            CMake(self).install(component=component)
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # Munja's own CMake package serves consumers, too.
        self.cpp_info.set_property("cmake_find_mode", "none")
        for name in ("munja", "munja-runtime", "munja-tflite", "munja-tools"):
            self.cpp_info.components[name].libs = [name]
            self.cpp_info.components[name].set_property("pkg_config_name", name)
            self.cpp_info.components[name].requires = []
        self.cpp_info.components["munja"].builddirs = [os.path.join("lib", "cmake", "Munja")]
        self.cpp_info.components["munja-tflite"].includedirs.append(os.path.join("include", "munja", "tflite"))
