// Reads what manifests say beyond the model.
#include "formats/native/manifest/description_source.h"

namespace ada::formats {

// A text's number: the part, 30 bits for the process, 32 for the thread.
static constexpr unsigned kPartShift = 62, kProcessShift = 32;
static constexpr uint64_t kMaxProcesses = uint64_t{1} << (kPartShift - kProcessShift);

model::TextOnDemand DescriptionSource::at(Part part, uint32_t process, uint32_t thread) const {
  if (process >= kMaxProcesses || paths_[process].empty())
    return {};
  return {shared_from_this(), static_cast<uint64_t>(part) << kPartShift | uint64_t{process} << kProcessShift | thread};
}

std::shared_ptr<const DescriptionSource::Read> DescriptionSource::read(uint32_t process) const {
  {
    const std::lock_guard lock(mutex_);
    if (last_ && last_->process == process)
      return last_;
  }
  auto read = std::make_shared<Read>(Read{process, ManifestParts::read(paths_[process])});
  read->parts.symbols = {};
  const std::lock_guard lock(mutex_);
  last_ = read;
  return read;
}

std::string DescriptionSource::text(uint64_t number) const {
  const auto process = static_cast<uint32_t>(number >> kProcessShift & (kMaxProcesses - 1));
  switch (Part{number >> kPartShift}) {
  case Part::Symbols:
    return ManifestParts::read(paths_[process]).symbols;
  case Part::Thread:
    return read(process)->parts.threadDescription(static_cast<uint32_t>(number));
  case Part::Process:
    break;
  }
  return read(process)->parts.description;
}

} // namespace ada::formats
