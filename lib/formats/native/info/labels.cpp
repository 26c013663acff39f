// Finds in a session what the labels of its processes and threads are made from.
#include "formats/native/info/labels.h"

#include "trace/labels.h"

#include <array>

namespace ada::atf {

std::vector<std::string> processLabels(const Session &session) {
  std::vector<model::ProcessFacts> facts;
  for (const ProcessTrace &process : session.processes()) {
    model::ProcessFacts &about = facts.emplace_back();
    about.name = process.name();
    if (const Manifest *manifest = process.manifest())
      about.program = model::programOf(manifest->executable, manifest->argv.empty() ? "" : manifest->argv[0]);
  }
  return model::processLabels(facts);
}

static std::string outermostFunction(const ProcessTrace &process, const ThreadTrace &thread) {
  std::vector<std::string_view> names;
  if (const Manifest *manifest = process.manifest(); manifest && thread.index)
    for (const uint64_t id : thread.index->firstFunctions(model::kOutermostSearched))
      if (manifest->find(id))
        names.push_back(manifest->displayName(id));
  return std::string(model::outermostOf(names));
}

std::vector<std::string> threadLabels(const ProcessTrace &process) {
  const Manifest *manifest = process.manifest();
  const std::optional<uint64_t> pid = process.pid();
  std::string_view mainName;
  for (const ThreadTrace &thread : process.threads())
    if (pid == thread.tid() && mainName.empty())
      mainName = thread.name();
  std::array<std::string_view, 2> programs;
  if (manifest)
    programs = {manifest->executable, manifest->argv.empty() ? std::string_view() : manifest->argv[0]};
  model::ThreadLabels labels(pid, mainName, programs);
  std::vector<std::string> all;
  for (const ThreadTrace &thread : process.threads())
    all.push_back(labels.next(thread.tid(), thread.name(), [&] { return outermostFunction(process, thread); }));
  return all;
}

} // namespace ada::atf
