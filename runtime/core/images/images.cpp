// Keeps the images' tables for the drain, the selection and the manifest.
//
// Constructors and destructors call this with the dynamic linker's lock held, so code that holds the images' lock must
// not call the dynamic linker: it is asked about an object before the lock is taken.
#include "images.h"
#include "annotations.h"
#include "argument_contents.h"
#include "binaries.h"
#include "core/base/json.h"
#include "core/base/message.h"
#include "core/control/waiting_room.h"
#include "core/ring/ring.h"
#include "core/ring/tick_clock.h"
#include "loaded_object.h"
#include "object_file.h"
#include "shared/manifest_keys.h"
#include "shared/wide.h"
#include "standard_error.h"

namespace ada::runtime {
namespace {

// The first 16 bytes of the build id, as 8-4-4-4-12.
Text<64> uuidText(const Image &image) {
  Text<64> t;
  if (image.buildIdBytes >= 16)
    for (unsigned i = 0; i < 16; ++i) {
      if (i == 4 || i == 6 || i == 8 || i == 10)
        t << '-';
      t.number(static_cast<unsigned char>(image.buildId[i]), 16, 2);
    }
  return t;
}

// Says which functions of an object are not recorded, because the linker has put their entries where the table does not
// cover them: mold keeps sections of one name and other flags apart, and old plugins' have other flags; a linker script
// may put them anywhere.
void tellMissing(const Image &image) {
  const uint64_t found = image.functions();
  if (image.isOfAnnotations)
    return;
  if (image.hasNoTable())
    return say(
        Message(image.path)
        << ": no function is recorded: it has no table of functions. Either the linker dropped all of them, or a "
           "linker script moves the section " ADA_SECTION_FUNCTIONS ".");
  if (!areStandardFilesOpen()) // `adatrace info` looks, too
    return;
  const uint64_t all = functionsInFile(image.isExecutables, image.path);
  if (all > found)
    say(Message(image.path) << ": " << all - found << " of " << all
                            << " functions are not recorded: the linker keeps their entries apart. Compile all "
                               "objects with the same AdaTrace, or use another linker than mold.");
}

} // namespace

Text<160> buildIdText(const Image &image) {
  Text<160> id;
  for (unsigned b = 0; b < image.buildIdBytes; ++b)
    id.number(static_cast<unsigned char>(image.buildId[b]), 16, 2);
  return id;
}

// Calls use(byte) for the enable byte of each function.
template <class Use> static void eachByte(const ada_image &table, Use use) {
  for (uint8_t *byte = table.enabled_begin; byte < table.enabled_end; ++byte)
    use(byte);
  if (table.enabled_begin == table.enabled_end)
    for (const ada_function *f = table.functions_begin; f < table.functions_end; ++f)
      use(enableByteOf(*f));
}

void Images::setBytesTo(const Image &image, uint8_t byte) {
  eachByte(*image.table, [byte](uint8_t *at) { __atomic_store_n(at, byte, __ATOMIC_RELAXED); });
}

void Images::setBytes(const Image &image, const Selection &selection) {
  const ada_image &t = *image.table;
  if (selection.selectsAll() && !image.figures && t.enabled_begin != t.enabled_end)
    return setBytesTo(image, ADA_ENABLE_INDEX);
  for (uint64_t i = 0; i < image.functions(); ++i)
    __atomic_store_n(enableByteOf(t.functions_begin[i]), byteOf(image, selection, i), __ATOMIC_RELAXED);
}

// The enable byte while recording is on.
uint8_t Images::byteOf(const Image &image, const Selection &selection, uint64_t function) {
  const bool isOff = image.figures && image.figures[function].state == FunctionFigures::Off;
  return isOff ? 0 : selection.byteOf(image.table->functions_begin[function]);
}

Image *&Images::bucketOf(const ada_image *table) {
  return loaded_[(reinterpret_cast<uint64_t>(table) >> 4) * 0x9e3779b97f4a7c15 >> 54]; // its top 10 bits
}

bool Images::has(const ada_image *table) {
  SignalsBlocked blocked;
  Lock lock(mutex_);
  const Image *i = bucketOf(table);
  while (i && i->table != table)
    i = i->next;
  return i;
}

bool Images::add(const ada_image *table, Ring &ring, bool recording) {
  return add(table, findLoadedObject(table), ring, recording);
}

void Images::tellMissing() {
  SignalsBlocked<kLargeStack> blocked;
  Lock lock(mutex_);
  for (uint64_t i = 0; i < count_; ++i)
    tellMissingOnce(images_[i]);
}

void Images::tellMissingOnce(Image &image) {
  if (image.isUntold && image.table)
    ada::runtime::tellMissing(image);
  image.isUntold = false;
}

bool Images::add(const ada_image *table, const LoadedObject &object, Ring &ring, bool recording) {
  static_assert(kBuckets == 1u << 10);
  SignalsBlocked<kGlobStack> blocked;
  Lock lock(mutex_);
  if (!images_.reserve(count_ + 1))
    return false;
  Image &i = images_[count_];
  i.table = table;
  i.functionsBegin = reinterpret_cast<uint64_t>(table->functions_begin),
  i.functionsEnd = reinterpret_cast<uint64_t>(table->functions_end);
  i.isExecutables = object.isMain;
  i.isOfAnnotations = i.functions() && annotationOf(*table->functions_begin);
  bool isMain = object.isMain && !i.isOfAnnotations && mainImage_ == UINT64_MAX;
  i.moduleId = isMain ? 0 : static_cast<uint32_t>(count_ + (mainImage_ == UINT64_MAX));
  i.base = object.base, i.size = object.size, i.headers = object.headers;
  if (ring.exists())
    i.loadedNs = sys::nowNs();
  __builtin_memcpy(i.buildId, object.buildId, object.buildIdBytes);
  i.buildIdBytes = object.buildIdBytes;
  const char *path = texts_.keep(object.path.c_str(), object.path.size());
  i.path = path ? path : "";
  findTriggers(i);
  isRecording_ = recording;
  if (keepsFigures_)
    i.figures = figuresOf(i);
  Image *&bucket = bucketOf(table);
  i.next = bucket, bucket = &i;
  if (isMain) {
    setConstants(object.constants);
    if (reinterpret_cast<uint64_t>(this) - object.base < object.size)
      __atomic_store_n(&besideRuntime_, table, __ATOMIC_RELAXED);
    __atomic_store_n(&mainImage_, count_, __ATOMIC_RELEASE);
  }
  __atomic_store_n(&count_, count_ + 1, __ATOMIC_RELEASE);
  const bool hasBytes = table->enabled_begin != table->enabled_end;
  const uint64_t first = i.functions() ? reinterpret_cast<uint64_t>(enableByteOf(*table->functions_begin)) : 0;
  waiting::addRange(hasBytes ? EnableRange{reinterpret_cast<uint64_t>(table->enabled_begin),
                                           reinterpret_cast<uint64_t>(table->enabled_end), 1}
                             : EnableRange{first, first + i.functions() * sizeof(ada_function), sizeof(ada_function)});
  if (ring.exists() && !writeModule(ring, i)) // without a ring yet: written when there is one
    return false;
  if (recording)
    setBytes(i, selection_);
  else
    setBytesTo(i, 0);
  // Its file need not be read by each process of a session. Without functions there may be no trace.
  i.isUntold = recording;
  if (ring.exists() || i.hasNoTable())
    tellMissingOnce(i);
  return true;
}

void Images::findTriggers(Image &image) {
  if (!triggers_ || !triggers_->any() || image.functions() == 0)
    return;
  uint64_t count = image.functions();
  auto *bits = static_cast<uint8_t *>(sys::mapMemory(count));
  if (!bits)
    return;
  for (uint64_t f = 0; f < count; ++f)
    for (unsigned r = 0; r < triggers_->count; ++r)
      if (Selection::means(triggers_->rules[r].glob, image.table->functions_begin[f]))
        bits[f] |= static_cast<uint8_t>(1u << r);
  image.triggers = reinterpret_cast<const uint8_t *>(texts_.keep(reinterpret_cast<const char *>(bits), count));
  sys::unmap(bits, count);
}

const Image *Images::find(uint32_t moduleId) const {
  const uint64_t id = moduleId, main = __atomic_load_n(&mainImage_, __ATOMIC_ACQUIRE);
  const uint64_t at = id == 0 ? main : id - 1 < main ? id - 1 : id;
  return at < __atomic_load_n(&count_, __ATOMIC_ACQUIRE) ? &images_[at] : nullptr;
}

uint8_t Images::triggersOf(uint64_t functionId) const {
  const uint64_t ordinal = functionId & UINT32_MAX;
  const Image *m = find(static_cast<uint32_t>(functionId >> 32));
  return m && m->triggers && ordinal < m->functions() ? m->triggers[ordinal] : 0;
}

bool Image::mayShareFrames() const {
  for (uint64_t i = 0; i < functions(); ++i) {
    const ada_function &f = table->functions_begin[i];
    if (!annotationOf(f) && (f.address_off == 0 || (f.flags & (ADA_FUNCTION_EARLY | ADA_FUNCTION_INLINED))))
      return true;
  }
  return false;
}

bool Images::writeModule(Ring &ring, Image &image) {
  ada_ring_module *m = ring.addModule();
  if (!m)
    return false;
  m->begin = image.functionsBegin, m->end = image.functionsEnd;
  m->module_id = image.moduleId;
  m->flags = image.isOfAnnotations ? 0 : ADA_MODULE_INLINED | ADA_MODULE_UNEXAMINED;
  // No later record is older.
  image.ringSlot = ring.publish(m, TickClock::advance(ring, ring.stampOr(ring.passStamp()))) + 1;
  return true;
}

// Writes what writeModule() did not look for.
static void examineModule(Ring &ring, const Image &image) {
  if (image.table && image.ringSlot && ring.exists())
    __atomic_store_n(&ring.modules()[image.ringSlot - 1].flags, image.mayShareFrames() ? ADA_MODULE_INLINED : 0,
                     __ATOMIC_RELAXED);
}

void Images::examine(Ring &ring, uint32_t moduleId) {
  Lock lock(mutex_);
  if (const Image *image = find(moduleId))
    examineModule(ring, *image);
}

void Images::writeModules(Ring &ring) {
  Lock lock(mutex_);
  for (uint64_t i = 0; i < count_; ++i)
    if (images_[i].table)
      writeModule(ring, images_[i]);
}

void Images::resetAfterFork() {
  mutex_.reset();
  written_ = 0;
  for (uint64_t i = 0; i < count_; ++i)
    images_[i].ringSlot = 0;
  figuresAreParents_ = keepsFigures_;
}

void Images::remove(const ada_image *table, Ring &ring) {
  SignalsBlocked<kLargeStack> blocked;
  Lock lock(mutex_);
  Image **at = &bucketOf(table);
  while (*at && (*at)->table != table)
    at = &(*at)->next;
  Image *image = *at;
  if (!image)
    return;
  // The executable's memory stays until the process ends; a library's disappears now, so its names are kept.
  if (image->isExecutables)
    return;
  if (ring.exists())
    image->unloadedNs = sys::nowNs();
  *at = image->next;
  const ada_image &t = *image->table;
  if (image->functions())
    waiting::removeRange(t.enabled_begin != t.enabled_end
                             ? reinterpret_cast<uint64_t>(t.enabled_begin)
                             : reinterpret_cast<uint64_t>(enableByteOf(*t.functions_begin)));
  if (image->functions() && !image->fingerprint)
    image->fingerprint = fingerprintOf(*image);
  if (image->functions() && image->inSession != Image::InSession::Written)
    keepSymbols(*image, texts_);
  examineModule(ring, *image); // records of it may still be unread
  image->table = nullptr;
  ArgumentContents::forget();
  if (image->ringSlot && ring.exists())
    ring.retire(image->ringSlot - 1, ring.stampOr(UINT64_MAX)); // then its slot is not used again
}

void Images::enable() {
  Lock lock(mutex_);
  isRecording_ = true;
  for (uint64_t i = 0; i < count_; ++i)
    if (images_[i].table)
      setBytes(images_[i], selection_);
}

void Images::disable() {
  Lock lock(mutex_);
  isRecording_ = false;
  for (uint64_t i = 0; i < count_; ++i)
    if (images_[i].table)
      setBytesTo(images_[i], 0);
}

// The functions that are on lead to the hooks for detail, which count late events. Annotations have no such hooks.
void Images::setLate(const Image &image) {
  const uint8_t late = image.isOfAnnotations ? 0 : ADA_ENABLE_INDEX | ADA_ENABLE_DETAIL;
  eachByte(*image.table, [late](uint8_t *at) {
    if (__atomic_load_n(at, __ATOMIC_RELAXED))
      __atomic_store_n(at, late, __ATOMIC_RELAXED);
  });
}

void Images::stop() {
  SignalsBlocked blocked;
  if (mutex_.tryLock()) {
    for (uint64_t i = 0; i < count_; ++i)
      if (images_[i].table)
        setLate(images_[i]);
    mutex_.unlock();
  }
}

int64_t Images::choose(const char *glob, Choice choice, bool recording) {
  SignalsBlocked<kGlobStack> blocked;
  Lock lock(mutex_);
  if (!selection_.add(glob, choice))
    return -1;
  int64_t matched = 0;
  for (uint64_t i = 0; i < count_; ++i) {
    if (!images_[i].table)
      continue;
    const Image &image = images_[i];
    for (uint64_t n = 0; n < image.functions(); ++n) {
      const ada_function &f = image.table->functions_begin[n];
      if (!Selection::means(glob, f))
        continue;
      ++matched;
      if (choice == Choice::Select && image.figures && image.figures[n].state == FunctionFigures::Off)
        noteSwitchedOn(image.figures[n]);
      __atomic_store_n(enableByteOf(f), recording ? byteOf(image, selection_, n) : 0, __ATOMIC_RELAXED);
    }
  }
  return matched;
}

Images::Figures Images::figures() {
  Figures sum;
  SignalsBlocked blocked;
  Lock lock(mutex_);
  for (uint64_t i = 0; i < count_; ++i) {
    const Image &image = images_[i];
    const uint64_t functions = image.table ? image.functions() : 0;
    sum.functions += functions;
    for (uint64_t n = 0; n < functions; ++n)
      sum.on += __atomic_load_n(enableByteOf(image.table->functions_begin[n]), __ATOMIC_RELAXED) != 0;
  }
  return sum;
}

//===--- option `budget` --------------------------------------------------===//

// The figures of the image, which is the newest one. Null if there is no memory: then none of its functions is switched
// off.
FunctionFigures *Images::figuresOf(const Image &image) {
  const uint64_t count = image.functions();
  const char *buildId = texts_.keep(image.buildId, image.buildIdBytes);
  FigureBlock *&bucket = blocks_[(reinterpret_cast<uint64_t>(image.path) >> 4) * 0x9e3779b97f4a7c15 >> 54];
  FigureBlock *block = bucket;
  while (block && (block->path != image.path || block->buildId != buildId || block->functions != count ||
                   images_[block->image].isOfAnnotations != image.isOfAnnotations ||
                   images_[block->image].table)) // loaded twice at the same time
    block = block->next;
  if (!block) {
    block = static_cast<FigureBlock *>(sys::mapMemory(sizeof(FigureBlock) + count * sizeof(FunctionFigures)));
    if (!block)
      return nullptr;
    block->next = bucket, block->path = image.path, block->buildId = buildId, block->functions = count;
    for (uint64_t i = 0; i < count && image.triggers; ++i)
      if (image.triggers[i])
        block->figures()[i].state = FunctionFigures::Free;
    bucket = block;
  }
  block->image = static_cast<uint64_t>(count_);
  return block->figures();
}

void Images::beginFigures() {
  Lock lock(mutex_);
  if (!figuresAreParents_)
    return;
  figuresAreParents_ = false;
  for (FigureBlock *first : blocks_)
    for (FigureBlock *block = first; block; block = block->next)
      for (uint64_t i = 0; i < block->functions; ++i)
        if (FunctionFigures &f = block->figures()[i]; f.calls > 0)
          f.calls = f.newCalls = f.newUnits = 0;
  for (uint64_t i = 0; i < offCount_; ++i)
    off_[i].busyNs = 0;
}

bool Images::switchOffHottest(const Limit &limit, uint64_t &units) {
  Lock lock(mutex_);
  auto eachHot = [&](auto &&use) {
    for (FigureBlock *first : blocks_)
      for (FigureBlock *block = first; block; block = block->next)
        for (uint64_t i = 0; i < block->functions; ++i)
          if (const FunctionFigures &f = block->figures()[i];
              f.newUnits > 0 && f.period == limit.period && f.state == FunctionFigures::Counted)
            use(HotFunction{f.newUnits, block->image, i});
  };
  uint64_t count = 0;
  eachHot([&](const HotFunction &) { ++count; });
  auto *functions = count ? static_cast<HotFunction *>(sys::mapMemory(count * sizeof(HotFunction))) : nullptr;
  if (!functions)
    return false;
  uint64_t n = 0;
  eachHot([&](const HotFunction &f) { functions[n++] = f; });
  const uint64_t chosen = chooseHottest(functions, count, limit.allowed);
  uint64_t done = 0;
  if (chosen > 0)
    offNewest_ = offCount_;
  for (; done < chosen && off_.reserve(offCount_ + 1); ++done) {
    const HotFunction &hot = functions[count - 1 - done];
    const Image &image = images_[hot.image];
    FunctionFigures &f = image.figures[hot.function];
    __atomic_store_n(&f.state, static_cast<uint8_t>(FunctionFigures::Off), __ATOMIC_RELAXED);
    if (image.table)
      __atomic_store_n(enableByteOf(image.table->functions_begin[hot.function]), 0, __ATOMIC_RELAXED);
    off_[offCount_++] = {.figures = &f,
                         .functionId = static_cast<uint64_t>(image.moduleId) << 32 | hot.function,
                         .offNs = limit.nowNs,
                         .onNs = 0,
                         .periodCalls = f.newCalls,
                         .periodNs = limit.busyNs,
                         .speedUp = kSpeedUpOne,
                         .busyNs = 0,
                         .isOn = false};
    units -= hot.units < units ? hot.units : units;
  }
  sys::unmap(functions, count * sizeof(HotFunction));
  return done > 0;
}

// Called if the program switches the function on again. With the lock held.
void Images::noteSwitchedOn(FunctionFigures &figures) {
  __atomic_store_n(&figures.state, static_cast<uint8_t>(FunctionFigures::Free), __ATOMIC_RELAXED);
  for (uint64_t i = 0; i < offCount_; ++i)
    if (off_[i].figures == &figures)
      off_[i].onNs = sys::nowNs();
}

void Images::setSpeedUp(uint64_t speedUp) {
  Lock lock(mutex_);
  for (uint64_t i = offNewest_; i < offCount_; ++i)
    off_[i].speedUp = speedUp;
}

void Images::noteTime(uint64_t ns) {
  Lock lock(mutex_);
  for (uint64_t i = 0; i < offCount_; ++i) {
    SwitchedOff &off = off_[i];
    if (!off.isOn && isRecording_)
      off.busyNs += ns;
    off.isOn = off.onNs != 0;
  }
}

bool Images::writeSwitchedOff(JsonWriter &json, uint64_t moreNs) {
  Lock lock(mutex_);
  json.beginArray(manifest::kFunctions);
  for (uint64_t i = 0; i < offCount_; ++i) {
    const SwitchedOff &off = off_[i];
    const uint64_t busyNs = off.busyNs + (off.isOn || !isRecording_ ? 0 : moreNs);
    json.line().beginObject();
    json.hex(manifest::kFunctionId, off.functionId, 16).number(manifest::kOffNs, off.offNs);
    if (off.onNs)
      json.number(manifest::kOnNs, off.onNs);
    json.number(manifest::kCalls, off.figures->calls);
    const auto ifSame = Wide{off.periodCalls} * busyNs / (off.periodNs ? off.periodNs : 1);
    json.number(manifest::kEstimatedCalls, static_cast<uint64_t>(ifSame * off.speedUp / kSpeedUpOne));
    json.number(manifest::kMaxCalls, busyNs * kMaxCallsPerNs);
    json.endObject();
  }
  json.endArray();
  return offCount_ > 0;
}

//===----------------------------------------------------------------------===//

void Images::beginSession() {
  Lock lock(mutex_);
  for (uint64_t i = 0; i < count_; ++i)
    images_[i].inSession = Image::InSession::Unknown;
}

void Images::writeBinaries(const char *session, const char *other, Which which) {
  Lock lock(mutex_);
  for (uint64_t i = which == Which::All ? 0 : written_; i < count_; ++i) {
    Image &image = images_[i];
    if (image.functions() == 0 || image.inSession != Image::InSession::Unknown)
      continue;
    if (!image.fingerprint)
      image.fingerprint = fingerprintOf(image);
    const int result = writeBinary(session, other, image);
    image.inSession = result < 0 ? Image::InSession::Refused : Image::InSession::Written;
    if (result == kBinaryWasThere) // the process that wrote it has looked into the program or library
      image.isUntold = false;
  }
}

void Images::writeManifest(JsonWriter &json, Which which) {
  Lock lock(mutex_);
  uint64_t first = which == Which::All ? 0 : written_;
  json.line().beginArray(manifest::kModules);
  for (uint64_t i = first; i < count_; ++i) {
    const Image &m = images_[i];
    json.line().beginObject();
    json.number(manifest::kModuleId, m.moduleId).text(manifest::kPath, m.path);
    json.hex(manifest::kBaseAddress, m.base, 1).number(manifest::kSize, m.size);
    json.text(manifest::kUuid, uuidText(m).c_str()).text(manifest::kBuildId, buildIdText(m).c_str());
    json.number(manifest::kFunctions, m.functions());
    if (m.inSession == Image::InSession::Written)
      json.text(manifest::kBinary, binaryName(m).c_str());
    if (m.loadedNs)
      json.number(manifest::kLoadedNs, m.loadedNs);
    if (m.unloadedNs)
      json.number(manifest::kUnloadedNs, m.unloadedNs);
    json.endObject();
  }
  json.endArray().line().beginArray(manifest::kSymbols);
  for (uint64_t i = first; i < count_; ++i)
    if (images_[i].inSession != Image::InSession::Written)
      writeSymbols(json, images_[i]);
  json.endArray();
  written_ = count_;
}

} // namespace ada::runtime
