// Makes what people call processes and threads.
#include "labels.h"

#include "names.h"

#include <algorithm>
#include <utility>

namespace ada::model {

namespace {

constexpr size_t kKernelNameBytes = 15; // TASK_COMM_LEN without the zero

std::string_view lastComponent(std::string_view path) {
  constexpr std::string_view kDeleted = " (deleted)"; // the kernel adds it to /proc/PID/exe
  if (path.ends_with(kDeleted))
    path.remove_suffix(kDeleted.size());
  return path.substr(path.rfind('/') + 1); // npos + 1 is 0
}

// "f" from "f(..)" or "f() const".
std::string_view withoutParameters(std::string_view name) {
  for (const std::string_view end : {" const", "(..)", "()"})
    if (name.size() > end.size() && name.ends_with(end))
      name.remove_suffix(end.size());
  return name;
}

} // namespace

std::string programOf(std::string_view executable, std::string_view firstArgument) {
  const std::string_view name = lastComponent(executable);
  return std::string(name.empty() ? lastComponent(firstArgument) : name);
}

std::vector<std::string> processLabels(std::span<const ProcessFacts> processes) {
  std::map<std::string_view, size_t> count;
  for (const ProcessFacts &process : processes)
    ++count[process.program];
  std::vector<std::string> labels;
  for (const ProcessFacts &process : processes) {
    std::string label = process.program.empty() ? process.name : process.program;
    if (!process.program.empty() && count[process.program] > 1) {
      std::string_view which = process.name; // "4711", "4711_2"
      if (which.starts_with("pid_"))
        which.remove_prefix(4);
      label.append(" ").append(which);
    }
    labels.push_back(std::move(label));
  }
  return labels;
}

std::string nameForPeople(const Process &process) {
  if (!process.label.empty())
    return process.label;
  std::string program = programOf(process);
  return program.empty() ? process.name : program;
}

std::string nameForPeople(const Thread &thread) { return thread.label.empty() ? thread.name : thread.label; }

ThreadLabels::ThreadLabels(std::optional<uint64_t> pid, std::string_view mainName,
                           std::span<const std::string_view> programs)
    : pid_(pid), mainName_(mainName) {
  for (const std::string_view program : programs)
    programs_.emplace_back(lastComponent(program).substr(0, kKernelNameBytes));
}

bool ThreadLabels::isOwn(std::string_view name, bool isMain) const {
  return !name.empty() && (isMain || name != mainName_) && std::ranges::find(programs_, name) == programs_.end();
}

std::string ThreadLabels::numbered(std::string_view function) {
  if (function.empty())
    return {};
  std::string label(withoutParameters(shortName(function)));
  if (label == "main" && !std::exchange(hadMain_, true)) // no thread has the process's number
    return label;
  return label + " #" + std::to_string(++used_[label]);
}

std::string_view outermostOf(std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    const std::string shown = shortName(name);
    if (!shown.starts_with("std::") && !shown.starts_with("core::") && !shown.starts_with("__gnu_cxx::"))
      return name;
  }
  return names.empty() ? std::string_view() : names.front();
}

} // namespace ada::model
