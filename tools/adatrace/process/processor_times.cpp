// Reads from the manifests whether there are processor times.
#include "processor_times.h"
#include "session_place.h"

#include "ada/trace/manifest.h"
#include "shared/manifest_keys.h"

namespace ada::cli {

std::string whyNoProcessorTimes(const std::string &session) {
  for (const std::string &directory : processDirectories(session))
    if (const auto manifest = Manifest::read(directory + "/manifest.json");
        manifest && manifest->sched && !manifest->sched->isRecorded && !manifest->sched->failure.empty() &&
        manifest->sched->failure != manifest::kNotAskedFor)
      return manifest->sched->failure;
  return {};
}

} // namespace ada::cli
