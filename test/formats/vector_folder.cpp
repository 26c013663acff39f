// Finds the vectors in their folder.
#include "vector_folder.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <span>

namespace fs = std::filesystem;

namespace ada::test {

static const char *givenFolder() {
  const char *given = std::getenv("ADA_VECTORS");
  return given && *given ? given : nullptr;
}

fs::path vectorFolder() { return givenFolder() ? givenFolder() : ADA_VECTORS_DEFAULT; }

bool areOwnVectors() { return !givenFolder(); }

std::vector<fs::path> filesInVectors(const char *extension) {
  std::vector<fs::path> files;
  for (const fs::directory_entry &entry :
       fs::recursive_directory_iterator(vectorFolder(), fs::directory_options::follow_directory_symlink))
    if (entry.path().extension() == extension && entry.is_regular_file())
      files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::string bytesOfFile(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::byte> bytesOf(const fs::path &path) {
  const std::string text = bytesOfFile(path);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

static bool isSession(const fs::path &path) {
  // Not jsonOfFile: some sessions' manifests are deliberately invalid.
  const auto json = nlohmann::json::parse(bytesOfFile(path), nullptr, false);
  return json.is_object() && json.value("kind", "") == "session";
}

// The file or directory that the JSON file describes, or an empty path.
static fs::path subjectOf(const fs::path &json, VectorFormat format) {
  fs::path stem = json;
  stem.replace_extension();
  const char *extension = format == VectorFormat::Atf ? ".atf" : format == VectorFormat::Dial9 ? ".trc" : ".wtf-trace";
  fs::path file = stem;
  file += extension;
  if (fs::is_regular_file(file))
    return file;
  // Its directory may be missing, because git does not keep empty ones.
  if (format == VectorFormat::Atf && isSession(json))
    return stem;
  return {};
}

std::vector<VectorFiles> vectorsOf(VectorFormat format) {
  std::vector<VectorFiles> found;
  for (const fs::path &json : filesInVectors(".json"))
    if (fs::path subject = subjectOf(json, format); !subject.empty())
      found.push_back({json.lexically_relative(vectorFolder()).replace_extension().string(), json, subject});
  return found;
}

} // namespace ada::test
