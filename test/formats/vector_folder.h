// Where the vectors are: files with the answer a reader must give beside them.
//
// test/formats/vectors, or $ADA_VECTORS: a folder of the same form, one of its
// subfolders, or a flat folder of NAME.atf, NAME.trc, NAME.wtf-trace with
// NAME.json. Each format's walker takes its own vectors, wherever they lie, and
// passes over the others.
#ifndef ADA_TEST_FORMATS_VECTOR_FOLDER_H
#define ADA_TEST_FORMATS_VECTOR_FOLDER_H

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace ada::test {

std::filesystem::path vectorFolder();
/// False with $ADA_VECTORS: others' vectors need not have everything.
bool areOwnVectors();

/// All files of the folder and below with this extension, sorted.
std::vector<std::filesystem::path> filesInVectors(const char *extension);
/// The whole file; the test fails if it can't be read.
std::string bytesOfFile(const std::filesystem::path &path);
std::vector<std::byte> bytesOf(const std::filesystem::path &path);
/// What a vector's JSON is about.
enum class VectorFormat { Atf, Dial9, Wtf };

/// A vector: its JSON and the file, or session directory, beside it.
struct VectorFiles {
  std::string name; ///< path below the folder, without ".json"
  std::filesystem::path json, subject;
};
/// All vectors of a format. Which one a JSON file is of, the file beside it
/// tells: NAME.atf, NAME.trc, NAME.wtf-trace. A session's says so.
std::vector<VectorFiles> vectorsOf(VectorFormat format);

/// Reads JSON; the test fails if it isn't any. `AnyJson` is nlohmann::json or
/// ordered_json.
template <class AnyJson> AnyJson jsonOfFile(const std::filesystem::path &path) {
  AnyJson json = AnyJson::parse(bytesOfFile(path), nullptr, false);
  if (json.is_discarded())
    throw std::runtime_error(path.string() + " is not JSON");
  return json;
}

} // namespace ada::test

#endif // ADA_TEST_FORMATS_VECTOR_FOLDER_H
