// Arrays in .npy files, through the C interface.
#include <cstring>
#include <utility>

#include "call.h"
#include "driver.h"
#include "munja/tools/array.h"

namespace munja::hostile {
namespace {

std::string Npy(const std::string& type, const std::string& shape,
                size_t bytes) {
  std::string header = "{'descr': '" + type +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out = "\x93NUMPY\x01";
  out += '\0';
  out += static_cast<char>(header.size());
  out += static_cast<char>(header.size() >> 8);
  out += header;
  for (size_t i = 0; i < bytes; ++i) out += static_cast<char>(i * 37);
  return out;
}

class Arrays : public Target {
 public:
  Arrays() {
    seeds_ = {{"floats", Npy("<f4", "2, 3", 24)},
              {"doubles", Npy("<f8", "5,", 40)},
              {"bytes", Npy("|u1", "4, 4, 3", 48)},
              {"integers", Npy("<i8", "", 8)},
              {"flags", Npy("|b1", "0, 7", 0)},
              {"halves", Npy("<f2", "1, 2, 3, 4", 48)},
              {"complex", Npy("<c8", "3,", 24)}};
    for (File& file : Corpus("npy_fuzz")) seeds_.push_back(std::move(file));
  }
  void AddSeed(const std::string& path, const std::string& bytes) override {
    if (bytes.starts_with("\x93NUMPY") && bytes.size() < 1 << 20)
      seeds_.push_back({path, bytes});
  }
  Case Make(Random& random) override {
    const File& seed = random.Pick(seeds_);
    Case c;
    File file = {"array.npy", seed.bytes};
    if (random.Once(3)) {
      MutateBytes(random, file.bytes);
    } else {
      // The header is where there is something to get wrong.
      const size_t end = std::min<size_t>(file.bytes.size(), 128);
      std::string header = file.bytes.substr(std::min<size_t>(end, 10), end);
      MutateText(random, header);
      if (random.Once(2)) header.resize(end, ' ');
      file.bytes = file.bytes.substr(0, std::min<size_t>(end, 10)) + header +
                   file.bytes.substr(end);
    }
    c.how = "damaged " + seed.name;
    c.files = {std::move(file)};
    return c;
  }
  std::string Try(const Case&, const std::string& folder) override {
    munja_array* array = nullptr;
    const munja_status status =
        munja_array_load((folder + "/array.npy").c_str(), &array);
    if (status != MUNJA_OK) return Judge(status);
    const std::string finding = SaveAndLoad(array, folder + "/copy.npy");
    munja_array_free(array);
    return finding;
  }

 private:
  // An accepted array can be written, and loading it gives the same values.
  static std::string SaveAndLoad(const munja_array* array,
                                 const std::string& path) {
    munja_tensor tensor, again;
    munja_status status = munja_array_tensor(array, &tensor);
    if (status == MUNJA_OK) status = munja_array_save(path.c_str(), &tensor);
    munja_array* copy = nullptr;
    if (status == MUNJA_OK) status = munja_array_load(path.c_str(), &copy);
    if (status != MUNJA_OK)
      return std::string("loaded, but not kept: ") + munja_last_error();
    munja_array_tensor(copy, &again);
    const bool same =
        tensor.type == again.type && tensor.rank == again.rank &&
        std::equal(tensor.dims, tensor.dims + tensor.rank, again.dims) &&
        tensor.bytes == again.bytes &&
        (tensor.bytes == 0 ||
         std::memcmp(tensor.data, again.data, tensor.bytes) == 0);
    munja_array_free(copy);
    return same ? "" : "saved and loaded it is another array";
  }

  std::vector<File> seeds_;
};

}  // namespace
}  // namespace munja::hostile

int main(int argc, char** argv) {
  munja::hostile::Arrays target;
  return munja::hostile::Run(
      argc, argv, {.name = "arrays", .write_files = true, .case_mib = 128},
      target);
}
