// The instrumented images that are, or were, in the process.
#ifndef ADA_RUNTIME_CORE_IMAGES_H
#define ADA_RUNTIME_CORE_IMAGES_H

#include "function_figures.h"
#include "os.h"
#include "selection.h"
#include "stepped_array.h"
#include "text.h"
#include "text_store.h"
#include <ada/ring_file.h>

namespace ada {

class JsonWriter;
class Ring;

// The figures of an image's functions. They outlive it: in a library that is loaded again, what went off stays off.
struct FigureBlock {
  FigureBlock *next;         // in the same bucket
  const char *path;          // of Images::texts_
  const char *buildId;       // likewise
  uint64_t functions, image; // image: the last one, where it is in images_

  FunctionFigures *figures() { return (FunctionFigures *)(this + 1); } // one for each
};

// A function that option `budget` switched off.
struct SwitchedOff {
  FunctionFigures *figures;
  uint64_t functionId;
  uint64_t offNs, onNs;           // onNs: the program switched it on again; 0 if it did not
  uint64_t periodCalls, periodNs; // so often it was called in that much of the program's processor time
  uint64_t speedUp;               // by which the program is faster now, times SpeedUp::kOne
  uint64_t busyNs;                // of the program in which it was off and others were recorded
  bool isOn;                      // busyNs is what it was at onNs
};

struct Image {
  const ada_image *table; // null when it was unloaded
  Image *next;            // loaded, in the same bucket
  uint32_t moduleId;
  bool isExecutables;                    // in the executable, not in a library
  bool isOfAnnotations;                  // of the same object as another image, and without addresses
  uint32_t ringSlot;                     // number + 1 of its ada_ring_module; 0 if it has none
  uint64_t functionsBegin, functionsEnd; // addresses of its ada_functions section
  uint64_t base, size;
  uint64_t loadedNs, unloadedNs; // unloadedNs 0 while it is loaded
  char buildId[64];
  uint32_t buildIdBytes;
  const char *path;    // these three belong to texts_
  const char *symbols; // what the manifest says of its functions but for their ids, a line each; when it was unloaded
  const uint8_t *triggers;  // by function: bit i if trigger rule i means it; null if there are no rules
  FunctionFigures *figures; // by function; null without option `budget`

  uint64_t functions() const { return (functionsEnd - functionsBegin) / sizeof(ada_function); }
  // Whether hooks may have been inlined: such functions' entries have no address (pass/site_table.h).
  bool mayShareFrames() const;
};

class Images {
public:
  // Records an image and switches its functions on as the selection says. Called from constructors. False if there is
  // no room for it: then it is not recorded.
  bool add(const ada_image *table, Ring &ring, bool recording);
  // Whether it is there, and loaded.
  bool has(const ada_image *table);
  // Whether the runtime itself is in the executable, whose image this is: then its destructor is the last one.
  bool isOfProgramWithRuntime(const ada_image *table) const {
    return table == __atomic_load_n(&besideRuntime_, __ATOMIC_RELAXED);
  }
  bool isRuntimeInProgram() const { return !isOfProgramWithRuntime(nullptr); }
  void remove(const ada_image *table, Ring &ring);

  // Which triggers mean a function, as bits. For the drain; takes no lock.
  uint8_t triggersOf(uint64_t functionId) const;
  // The rules that add() looks at; before the first image.
  void setTriggers(const TriggerRules *rules) { triggers_ = rules; }

  //===--- option `budget`; for the drain, but for the first --------------===//

  // From now on images have figures. Before the first one.
  void keepFigures() { keepsFigures_ = true; }
  // This process begins to record: what its parent counted is not its own, what it switched off stays off.
  void beginFigures();
  // The image with a module id, or null; takes no lock.
  const Image *find(uint32_t moduleId) const;
  // `period`: whose figures count. `allowed`: what all that stays on may have cost in it. `busyNs`: of the program, in
  // it.
  struct Limit {
    uint32_t period;
    uint64_t allowed, busyNs, nowNs;
  };
  // Switches off what costs most, and takes what that cost from `units`. False if there is nothing.
  bool switchOffHottest(const Limit &limit, uint64_t &units);
  // Of what went off in the last call of it.
  void setSpeedUp(uint64_t speedUp);
  // So much of the program's processor time has passed since the last call.
  void noteTime(uint64_t ns);
  // The manifest's array of what is off; `moreNs`: not noted yet. False if that is nothing.
  bool writeSwitchedOff(JsonWriter &json, uint64_t moreNs);

  // Writes the enable byte of every function again.
  void apply(bool recording);
  // How many there have been.
  uint64_t count() const { return __atomic_load_n(&count_, __ATOMIC_ACQUIRE); }
  // Switches everything off, at the end of the process. Not if somebody is changing images right now: that may be this
  // very thread, below a signal handler.
  void stop();
  // Adds a rule and applies it. Returns how many loaded functions it means, -1 if there are too many rules.
  int64_t choose(const char *glob, Choice choice, bool recording);
  // After a fork: the ring was the parent's.
  void resetAfterFork();
  // Tells a new ring about all images.
  void writeModules(Ring &ring);

  // The manifest's arrays, of all images or of those that no call of this has written yet. Takes the lock: no image
  // goes away meanwhile.
  enum class Which { All, New };
  void writeManifest(JsonWriter &json, Which which);

  Selection &selection() { return selection_; }
  Mutex &mutex() { return mutex_; }

private:
  static constexpr uint64_t kMost = 1 << 20, kBuckets = 1024;

  bool writeModule(Ring &ring, Image &image);
  void findTriggers(Image &image);
  void keepSymbols(Image &image);
  Image *&bucketOf(const ada_image *table);
  void setAll(bool recording); // with the lock held
  static uint8_t byteOf(const Image &image, const Selection &selection, uint64_t function);
  static void setBytes(const Image &image, const Selection &selection, bool recording);
  FunctionFigures *figuresOf(const Image &image);
  void noteSwitchedOn(FunctionFigures &figures);

  Mutex mutex_;
  Selection selection_;
  SteppedArray<Image, kMost> images_; // in the order in which they came
  uint64_t count_ = 0;
  uint64_t written_ = 0;                     // by writeManifest
  uint64_t mainImage_ = UINT64_MAX;          // where the executable's is in images_; the others' ids are 1, 2 and so on
  const ada_image *besideRuntime_ = nullptr; // the executable's, if the runtime is in it
  Image *loaded_[kBuckets] = {};
  TextStore texts_;
  const TriggerRules *triggers_ = nullptr;

  bool keepsFigures_ = false, figuresAreParents_ = false, isRecording_ = false;
  FigureBlock *blocks_[kBuckets] = {};
  SteppedArray<SwitchedOff, kMost, 1024> off_; // by time
  uint64_t offCount_ = 0, offNewest_ = 0;      // offNewest_: the first of those that went off last
};

} // namespace ada
#endif
