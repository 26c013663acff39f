// The location of the vectors: files, each with the answer that a reader must give beside it.
//
// test/formats/vectors, or $ADA_VECTORS: a folder of the same form, one of its subfolders, or a flat folder of
// NAME.atf, NAME.trc, NAME.wtf-trace with NAME.json. The walker of each format takes the vectors of that format,
// wherever they are, and skips the others.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace ada::test {

std::filesystem::path vectorFolder();
/// False with $ADA_VECTORS, because other vectors need not cover everything.
bool areOwnVectors();

/// All files with this extension in the folder and its subfolders, sorted.
std::vector<std::filesystem::path> filesInVectors(const char *extension);
/// The whole file; the test fails if it can't be read.
std::string bytesOfFile(const std::filesystem::path &path);
std::vector<std::byte> bytesOf(const std::filesystem::path &path);
/// The subject that a vector's JSON describes.
enum class VectorFormat { Atf, Dial9, Wtf };

/// A vector: its JSON and the file, or session directory, beside it.
struct VectorFiles {
  std::string name; ///< path below the folder, without ".json"
  std::filesystem::path json, subject;
};
/// All vectors of a format. The format of a JSON file follows from the file beside it: NAME.atf, NAME.trc,
/// NAME.wtf-trace. A session's JSON names its format.
std::vector<VectorFiles> vectorsOf(VectorFormat format);

/// Reads JSON; the test fails if it isn't valid. `AnyJson` is nlohmann::json or ordered_json.
template <class AnyJson> AnyJson jsonOfFile(const std::filesystem::path &path) {
  AnyJson json = AnyJson::parse(bytesOfFile(path), nullptr, false);
  if (json.is_discarded())
    throw std::runtime_error(path.string() + " is not JSON");
  return json;
}

} // namespace ada::test
