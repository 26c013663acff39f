// Reads from the manifests whether there are processor times, and from the threads how long the recorder held them up.
#include "processor_times.h"
#include "session_place.h"

#include "ada/trace/convert.h"
#include "ada/trace/manifest.h"
#include "analysis/events/early_end.h"
#include "analysis/events/trace_table.h"
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

namespace {

class AnnouncedOnly : public analysis::TableSink {
public:
  using TableSink::TableSink;
  Expected<void> events(const model::Batch &) override { return analysis::earlyEnd(); }
};

} // namespace

std::vector<std::string> recorderWarnings(const std::string &session) {
  auto source = model::openTrace(session);
  if (!source)
    return {};
  analysis::TraceTable table;
  AnnouncedOnly sink(table);
  (void)(*source)->read(sink); // commands that read the trace report what is wrong with it
  std::vector<std::string> warnings;
  for (const Warning &flaw : (*source)->warnings())
    if (flaw.code == "W_RECORDER_WAIT" || flaw.code == "W_LOSSES_UNKNOWN")
      warnings.push_back(flaw.message);
  for (const std::string &directory : processDirectories(session))
    if (const auto manifest = Manifest::read(directory + "/manifest.json"); manifest && !manifest->failure().empty())
      warnings.push_back("events were lost: " + manifest->failure());
  return warnings;
}

} // namespace ada::cli
