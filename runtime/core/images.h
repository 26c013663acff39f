// images.h - the instrumented images that are, or were, in the process.
#ifndef ADA_RUNTIME_CORE_IMAGES_H
#define ADA_RUNTIME_CORE_IMAGES_H

#include "os.h"
#include "selection.h"
#include "text.h"
#include "windows.h"
#include <ada/ring_file.h>

namespace ada {

class JsonWriter;
class Ring;

struct Image {
  const ada_image *table; // null when it was unloaded
  uint32_t moduleId;
  uint64_t functionsBegin, functionsEnd; // addresses of its ada_functions section
  uint64_t base, size;
  uint64_t loadedStamp;
  uint64_t loadedNs, unloadedNs; // unloadedNs 0 while it is loaded
  char buildId[64];
  uint32_t buildIdBytes;
  const char *path;    // owned
  const char *symbols; // JSON of its symbols, saved when it was unloaded; owned
  size_t symbolsBytes;
  const uint8_t *triggers; // by function: bit i if trigger rule i means it; null if there are no rules. Never freed
};

class Images {
public:
  // Records an image and switches its functions on as the selection says. Called from constructors.
  void add(const ada_image *table, Ring &ring, bool recording);
  void remove(const ada_image *table);

  // Which triggers mean a function, as bits. For the drain; takes no lock.
  uint8_t triggersOf(uint64_t functionId) const;
  // The rules that add() looks at; before the first image.
  void setTriggers(const TriggerRules *rules) { triggers_ = rules; }

  // Writes every selected function's enable byte anew.
  void apply(bool recording);
  // Adds a rule and applies it. Returns how many loaded functions it means, -1 if there are too many rules.
  int64_t choose(const char *glob, Choice choice, bool recording);
  // After a fork: tells the new ring about all images.
  void writeModules(Ring &ring);

  // The manifest's arrays. Takes the lock: no image goes away meanwhile.
  void writeManifest(JsonWriter &json);
  uint64_t count();

  Selection &selection() { return selection_; }
  Mutex &mutex() { return mutex_; }

private:
  bool writeModule(Ring &ring, const Image &image);
  void findTriggers(Image &image);
  static void setBytes(const Image &image, const Selection &selection, bool recording);

  Mutex mutex_;
  Selection selection_;
  Image *images_ = nullptr; // ADA_RING_MODULES of them, sparse
  uint64_t count_ = 0;
  uint32_t nextModuleId_ = 1;
  const TriggerRules *triggers_ = nullptr;
};

} // namespace ada
#endif
