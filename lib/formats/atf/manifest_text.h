// Builds a manifest.json from the model.
#ifndef ADA_LIB_FORMATS_ATF_MANIFEST_TEXT_H
#define ADA_LIB_FORMATS_ATF_MANIFEST_TEXT_H

#include "ada/trace/model.h"
#include "base/json.h"

#include <set>

namespace ada::model {

class ManifestText {
public:
  explicit ManifestText(const Process &process);
  void addSymbol(const Function &function);
  void addThread(const Thread &thread, std::uint64_t events, std::uint64_t details, std::uint64_t minTimeNs,
                 std::uint64_t maxTimeNs);
  Expected<void> write(const std::string &path) const;

private:
  std::string description_;
  std::string allSymbols_; // the array, if the process came with one
  JsonMembers symbols_, threads_;
  std::set<std::uint64_t> modules_; // of the symbols
  std::uint64_t startNs_ = ~std::uint64_t{0}, endNs_ = 0;
  std::optional<std::uint64_t> pid_;
  std::string executable_;
  std::uint8_t clockType_;
};

} // namespace ada::model

#endif // ADA_LIB_FORMATS_ATF_MANIFEST_TEXT_H
