// A separate directory for each test, removed afterwards.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace ada::test {

class ScratchDirectory {
public:
  ScratchDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "ada-test-XXXXXX").string();
    if (!::mkdtemp(name.data()))
      throw std::runtime_error("no scratch directory " + name);
    root_ = name;
  }
  ScratchDirectory(const ScratchDirectory &) = delete;
  ~ScratchDirectory() { std::filesystem::remove_all(root_); }

  /// The path of something in it; makes the parent directories.
  std::string operator/(const std::string &name) const {
    auto path = root_ / name;
    std::filesystem::create_directories(path.parent_path());
    return path.string();
  }
  std::string path() const { return root_.string(); }
  /// Makes a file.
  std::string write(const std::string &name, const std::string &text) const {
    std::string path = *this / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

private:
  std::filesystem::path root_;
};

} // namespace ada::test
