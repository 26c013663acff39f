// Puts a manifest.json together from the model.
#ifndef ADA_LIB_MODEL_CONVERT_MANIFEST_TEXT_H
#define ADA_LIB_MODEL_CONVERT_MANIFEST_TEXT_H

#include "ada/trace/model.h"

namespace ada::model {

class ManifestText {
public:
  explicit ManifestText(const Process &process);
  void addSymbol(const Function &function);
  void addThread(const Thread &thread, std::uint64_t events,
                 std::uint64_t details, std::uint64_t minTimeNs,
                 std::uint64_t maxTimeNs);
  Expected<void> write(const std::string &path) const;

private:
  std::string description;
  std::string symbols; // members of the array
  bool allSymbols;     // they came with the process
  std::string threads; // members of the array
  std::uint64_t startNs = ~std::uint64_t{0}, endNs = 0;
  std::optional<std::uint64_t> pid;
  std::string executable;
  std::uint8_t clockType;
};

} // namespace ada::model

#endif // ADA_LIB_MODEL_CONVERT_MANIFEST_TEXT_H
