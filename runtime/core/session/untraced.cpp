// Writes the manifest of a process that runs untraced.
//
// Its limits may be why: this takes no thread and no memory. Without the manifest, readers see an empty directory.
#include "untraced.h"
#include "core/base/text.h"
#include "core/facts/process_info.h"
#include "shared/manifest_keys.h"

namespace ada::runtime {

void leaveUntraced(const char *directory, const char *why) {
  const Path path = Path(directory) << "/manifest.json";
  const int fd = sys::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW);
  if (fd < 0)
    return;
  JsonWriter json(fd);
  json.beginObject().text(manifest::kFormatVersion, "2.2");
  writeProcess(json, nullptr, Ending::Untraced, 0);
  json.line().beginObject(manifest::kRecorder);
  json.text(manifest::kName, "AdaTrace").text(manifest::kVersion, ADA_VERSION).text(manifest::kFailure, why);
  json.endObject();
  json.line().beginArray(manifest::kThreads).endArray();
  json.line().endObject();
  const int error = json.finish();
  sys::close(fd);
  if (error < 0)
    sys::unlink(path.c_str());
}

} // namespace ada::runtime
