class Munja < Formula
  desc "On-device OCR: reads the text of images, and runs .tflite networks"
  url "@URL@"
  version "@VERSION@"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "flatbuffers" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "opencl-headers" => :build
  depends_on "pkgconf" => :build
  depends_on "curl"
  depends_on "giflib"
  depends_on "highway"
  depends_on "jpeg-turbo"
  depends_on "libexif"
  depends_on "libpng"
  depends_on "libtiff"
  depends_on "libyaml"
  depends_on "libzip"
  depends_on :linux
  depends_on "openssl@3"
  depends_on "protobuf"
  depends_on "utf8proc"
  depends_on "webp"
  depends_on "zlib"

  # Homebrew has its successor only, which is another library.
  resource "polyclipping" do
    url "https://downloads.sourceforge.net/project/polyclipping/clipper_ver6.4.2.zip"
    sha256 "a14320d82194807c4480ce59c98aa71cd4175a5156645c4e2b3edd330b930627"
  end

  def install
    resource("polyclipping").stage do
      system "cmake", "-S", "cpp", "-B", "build", "-DBUILD_SHARED_LIBS=OFF", "-DCMAKE_POLICY_VERSION_MINIMUM=3.5",
             "-DCMAKE_POSITION_INDEPENDENT_CODE=ON", *std_cmake_args(install_prefix: buildpath/"polyclipping")
      system "cmake", "--build", "build"
      system "cmake", "--install", "build"
    end
    ENV.append_path "PKG_CONFIG_PATH", buildpath/"polyclipping/share/pkgconfig"

    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DMUNJA_UNITY=ON", *std_cmake_args
    system "cmake", "--build", "build", "--target", "munja_installed"
    system "cmake", "--install", "build"
    pkgshare.install "testdata/pictures/receipt.jpg"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/munja --version")
    assert_match "BAKERY NORTHWIND", shell_output("#{bin}/munja read #{pkgshare}/receipt.jpg")
  end
end
