// What manifests say beyond the model, read from the files when it is asked for.
#pragma once

#include "ada/trace/model.h"
#include "formats/native/manifest/manifest_parts.h"

#include <mutex>
#include <string>
#include <vector>

namespace ada::formats {

/// The texts of a session's processes and threads. The manifest that was read last is kept, for its other threads.
class DescriptionSource : public model::TextOnDemand::Source, public std::enable_shared_from_this<DescriptionSource> {
public:
  /// By process: the path of its manifest; empty if it has none.
  explicit DescriptionSource(std::vector<std::string> paths) : paths_(std::move(paths)) {}

  model::TextOnDemand ofProcess(uint32_t process) const { return at(Part::Process, process, 0); }
  model::TextOnDemand symbolsOf(uint32_t process) const { return at(Part::Symbols, process, 0); }
  model::TextOnDemand ofThread(uint32_t process, uint32_t thread) const { return at(Part::Thread, process, thread); }

  std::string text(uint64_t number) const override;

private:
  enum class Part : uint64_t { Process, Symbols, Thread };
  struct Read {
    uint32_t process = 0;
    ManifestParts parts;
  };

  model::TextOnDemand at(Part part, uint32_t process, uint32_t thread) const;
  std::shared_ptr<const Read> read(uint32_t process) const;

  std::vector<std::string> paths_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Read> last_; // without symbols
};

} // namespace ada::formats
