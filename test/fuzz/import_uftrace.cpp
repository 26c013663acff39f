// Fuzzes the reader of uftrace's data directories: see import.h for the properties.
//
// The first byte chooses the file of the directory that the rest replaces; the others are valid ones.
#include "import.h"

#include "formats/uftrace/operations.h"

#include <filesystem>
#include <fstream>

namespace {

namespace fs = std::filesystem;

struct Directory {
  fs::path path;
  Directory() {
    std::string name = (fs::temp_directory_path() / "ada-fuzz-XXXXXX").string();
    ada::fuzz::require(::mkdtemp(name.data()), "a directory can be made");
    path = name;
  }
  ~Directory() { fs::remove_all(path); }
  void write(const char *name, std::string_view text) const { std::ofstream(path / name, std::ios::binary) << text; }
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Directory directory;
  constexpr char kInfo[] = "Ftrace!\0\4\0\0\0\x28\0\1\2\x20\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0\0\0";
  static const std::pair<const char *, std::string> kFiles[] = {
      {"7.dat", ""},
      {"task.txt", "SESS timestamp=0.000000001 pid=7 sid=aa exename=\"/bin/app\"\nTASK timestamp=0.1 tid=7 pid=7\n"},
      {"sid-aa.map", "555500000000-555500005000 r-xp 00000000 00:00 0    /bin/app build-id:0123456789\n"},
      {"app.sym", "# path name: /bin/app\n# build-id: 0123456789\n0000000000001000 T main\n0000000000001100 T work\n"},
      {"info", std::string(kInfo, sizeof kInfo)},
  };
  const size_t chosen = size ? data[0] % std::size(kFiles) : 0;
  for (size_t i = 0; i < std::size(kFiles); ++i)
    directory.write(kFiles[i].first, i == chosen && size
                                         ? std::string_view(reinterpret_cast<const char *>(data) + 1, size - 1)
                                         : kFiles[i].second);
  ada::formats::UftraceSource source({.path = directory.path});
  ada::fuzz::readTwice(source, size);
  return 0;
}
