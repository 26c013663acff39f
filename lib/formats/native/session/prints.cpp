// Computes fingerprints of the threads of a session.
#include "formats/native/session/prints.h"

#include "ada/trace/atf_index.h"
#include "formats/native/directories.h"
#include "trace/base/file_bytes.h"
#include "trace/base/print.h"

namespace ada::atf {

std::optional<model::Prints> printsOf(const Session &session, uint32_t process, uint32_t first) {
  if (session.kind() != Session::Kind::Root && session.kind() != Session::Kind::Process)
    return std::nullopt;
  model::Prints prints;
  uint32_t index = first;
  for (const ThreadTrace &thread : session.processes()[process].threads())
    if (thread.index) {
      if (const std::optional<uint64_t> print = thread.index->print())
        prints.threads.emplace_back(index, *print);
      ++index;
    }
  if (prints.threads.empty())
    return std::nullopt;
  prints.directory = session.processes()[process].path();
  Print functions;
  if (const auto manifest = FileBytes::open(joinPath(prints.directory, "manifest.json")))
    functions.add(manifest->bytes());
  prints.functions = functions.value();
  return prints;
}

} // namespace ada::atf
