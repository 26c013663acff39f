// Opens one process after the other, and keeps only its warnings.
#include "formats/convert/recorder_flaws.h"

#include "ada/trace/convert.h"
#include "analysis/events/trace_table.h"
#include "formats/native/info/time_flaws.h"

namespace ada::formats {

std::vector<Warning> recorderFlaws(const std::vector<std::string> &directories) {
  std::vector<Warning> flaws;
  atf::TimeFlaws times; // of all processes together: it tells the worst of many
  for (const std::string &directory : directories) {
    auto source = model::openTrace(directory);
    if (!source)
      continue;
    analysis::TraceTable table;
    analysis::TableSink sink(table);
    model::ReadRequest nothing;
    nothing.threads.emplace();
    (void)(*source)->readPart(sink, nothing); // commands that read the trace report what is wrong with it
    for (const Warning &flaw : (*source)->warnings())
      if (flaw.code == "W_LOSSES_UNKNOWN" || flaw.code == "W_EXITS_INFERRED") {
        flaws.push_back(flaw);
      } else if (flaw.code == "W_RECORDER_WAIT") {
        for (const model::Thread &thread : table.threads)
          times.add(thread);
        const auto manifest = Manifest::read(directory + "/manifest.json");
        times.endProcess(directory, manifest ? &*manifest : nullptr);
      }
  }
  for (const Warning &flaw : times.warnings())
    if (flaw.code == "W_RECORDER_WAIT")
      flaws.push_back(flaw);
  return flaws;
}

} // namespace ada::formats
