// The instrumented images that are or were in the process.
#pragma once

#include "core/base/os.h"
#include "core/base/stepped_array.h"
#include "core/base/text.h"
#include "core/base/text_store.h"
#include "core/facts/which.h"
#include "function_figures.h"
#include "selection.h"
#include "shared/ring/ring_file.h"

namespace ada::runtime {

class JsonWriter;
class Ring;

// The figures of an image's functions. They outlive the image: in a library that is loaded again, functions that were
// switched off stay off.
struct FigureBlock {
  FigureBlock *next;         // in the same bucket
  const char *path;          // in Images::texts_
  const char *buildId;       // likewise
  uint64_t functions, image; // image: index in images_ of the last such image

  FunctionFigures *figures() { return reinterpret_cast<FunctionFigures *>(this + 1); } // one for each function
};

// A function that option `budget` switched off.
struct SwitchedOff {
  FunctionFigures *figures;
  uint64_t functionId;
  uint64_t offNs, onNs;           // onNs: the program switched it on again; 0 if it did not
  uint64_t periodCalls, periodNs; // its calls, and the program's processor time, in the period
  uint64_t speedUp;               // how much faster the program is now, times kSpeedUpOne
  uint64_t busyNs;                // program time while it was off and others were recorded
  bool isOn;                      // then busyNs has stopped growing, at onNs
};

struct Image {
  const ada_image *table; // null once it was unloaded
  Image *next;            // the next loaded image in the same bucket
  uint32_t moduleId;
  bool isExecutables;                    // in the executable, not in a library
  bool isOfAnnotations;                  // in the same object as another image; has no addresses
  uint32_t ringSlot;                     // number + 1 of its ada_ring_module; 0 if it has none
  uint64_t functionsBegin, functionsEnd; // addresses of its ada_functions section
  uint64_t base, size;
  uint64_t loadedNs, unloadedNs; // unloadedNs 0 while it is loaded
  char buildId[64];
  uint32_t buildIdBytes;
  uint64_t headers;          // a hash of its program headers
  uint64_t fingerprint;      // see binaries.h; 0 while it is not known
  const char *path;          // these four are in texts_
  const char *symbols;       // once it was unloaded, unless its file has them: its functions, without addresses, a line
  const uint64_t *addresses; // each; and their addresses, relative to `base`
  const uint8_t *triggers;   // by function: bit i is set if trigger rule i matches; null without rules
  FunctionFigures *figures;  // by function; null without option `budget`

  bool isUntold; // whether the linker kept entries of functions apart: see Images::tellMissing()

  // Its file in the session's folder of binaries.
  enum class InSession : uint8_t { Unknown, Written, Refused };
  InSession inSession;

  uint64_t functions() const { return (functionsEnd - functionsBegin) / sizeof(ada_function); }
  // Whether it has enable bytes, but no functions.
  bool hasNoTable() const { return functions() == 0 && table->enabled_begin != table->enabled_end; }
  // Whether hooks may have been inlined: the entries of such functions have no address (pass/llvm/site_table.h).
  bool mayShareFrames() const;
};

Text<160> buildIdText(const Image &image);

struct LoadedObject;

class Images {
public:
  // Registers an image and enables its functions according to the selection. Called from constructors. False if there
  // is no room for it: then it is not recorded.
  bool add(const ada_image *table, Ring &ring, bool recording);
  // Whether the image is registered and loaded.
  bool has(const ada_image *table);
  // Whether `table` is the image of the executable and the runtime is in the executable: then this image's destructor
  // is the last one.
  bool isOfProgramWithRuntime(const ada_image *table) const {
    return table == __atomic_load_n(&besideRuntime_, __ATOMIC_RELAXED);
  }
  bool isRuntimeInProgram() const { return !isOfProgramWithRuntime(nullptr); }
  void remove(const ada_image *table, Ring &ring);

  // The triggers that match a function, as bits. For the drain; takes no lock.
  uint8_t triggersOf(uint64_t functionId) const;
  // Sets the rules that add() uses; call it before the first image.
  void setTriggers(const TriggerRules *rules) { triggers_ = rules; }

  //===--- option `budget`; for the drain, but for the first --------------===//

  // From now on images have figures. Call it before the first image.
  void keepFigures() { keepsFigures_ = true; }
  // This process begins to record: drops the parent's counts, and what the parent switched off stays off.
  void beginFigures();
  // The image with a module id, or null; takes no lock.
  const Image *find(uint32_t moduleId) const;
  // `period`: the period whose figures count. `allowed`: what the functions that stay on may have cost in it. `busyNs`:
  // the program's time in it.
  struct Limit {
    uint32_t period;
    uint64_t allowed, busyNs, nowNs;
  };
  // Switches off the most expensive functions and subtracts their cost from `units`. False if there are none.
  bool switchOffHottest(const Limit &limit, uint64_t &units);
  // Sets the speed-up due to the functions that the last switchOffHottest() switched off.
  void setSpeedUp(uint64_t speedUp);
  // Notes the program's processor time since the last call.
  void noteTime(uint64_t ns);
  // Writes the manifest's array of functions that are off; `moreNs`: time not yet noted. False if there are none.
  bool writeSwitchedOff(JsonWriter &json, uint64_t moreNs);

  // Rewrites the enable byte of every function: recording is on (this needs much stack), or off. With signals blocked.
  void enable();
  void disable();
  // The number of images so far.
  uint64_t count() const { return __atomic_load_n(&count_, __ATOMIC_ACQUIRE); }
  // At the end of the trace: functions that are on are counted only. Does nothing if images are being changed right
  // now: a signal handler may have interrupted that on this thread.
  void stop();
  // Adds a rule and applies it. Returns the number of loaded functions that match, or -1 if there are too many rules.
  int64_t choose(const char *glob, Choice choice, bool recording);
  // The number of functions in loaded images, and of those that are on.
  struct Figures {
    uint64_t functions = 0, on = 0;
  };
  Figures figures();
  // After a fork: forgets the parent's ring.
  void resetAfterFork();
  // Says which functions of images are not recorded, although recording is on. Once for each image and session: the
  // process that writes its file of binaries does it, and one that records nothing.
  void tellMissing();
  // Writes to the module's slot whether its functions may share a frame. For the drain.
  void examine(Ring &ring, uint32_t moduleId);
  // Writes all images to a new ring.
  void writeModules(Ring &ring);

  // The session is a new one: it has no files of binaries.
  void beginSession();
  // Makes the files of the images in the folder of binaries, where they are not known to be; see writeBinary().
  void writeBinaries(const char *session, const char *other, Which which);
  // Writes the manifest's arrays, of all images or only of those not yet written by this function, and the symbols of
  // those without a file. Takes the lock, so no image is removed meanwhile.
  void writeManifest(JsonWriter &json, Which which);

  Selection &selection() { return selection_; }
  Mutex &mutex() { return mutex_; }

private:
  static constexpr uint64_t kMax = 1 << 20, kBuckets = 1024;

  bool add(const ada_image *table, const LoadedObject &object, Ring &ring, bool recording);
  static void tellMissingOnce(Image &image);
  bool writeModule(Ring &ring, Image &image);
  void findTriggers(Image &image);
  Image *&bucketOf(const ada_image *table);
  static uint8_t byteOf(const Image &image, const Selection &selection, uint64_t function);
  static void setBytes(const Image &image, const Selection &selection);
  static void setBytesTo(const Image &image, uint8_t byte);
  static void setLate(const Image &image);
  FunctionFigures *figuresOf(const Image &image);
  void noteSwitchedOn(FunctionFigures &figures);

  Mutex mutex_;
  Selection selection_;
  SteppedArray<Image, kMax> images_; // in the order of registration
  uint64_t count_ = 0;
  uint64_t written_ = 0;                     // by writeManifest
  uint64_t mainImage_ = UINT64_MAX;          // index in images_ of the executable's; the others' ids are 1, 2, …
  const ada_image *besideRuntime_ = nullptr; // the executable's, if the runtime is in it
  Image *loaded_[kBuckets] = {};
  TextStore texts_;
  const TriggerRules *triggers_ = nullptr;

  bool keepsFigures_ = false, figuresAreParents_ = false, isRecording_ = false;
  FigureBlock *blocks_[kBuckets] = {};
  SteppedArray<SwitchedOff, kMax, 1024> off_; // by time
  uint64_t offCount_ = 0, offNewest_ = 0;     // offNewest_: the first of those switched off last
};

} // namespace ada::runtime
