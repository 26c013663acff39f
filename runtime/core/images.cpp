// Keeps the images' tables for the drain, the selection and the manifest.
//
// Constructors and destructors call in here with the dynamic linker's lock held, so whoever holds images' lock must not
// call the dynamic linker: what it knows of an object is asked before the lock is taken.
#include "images.h"
#include "json.h"
#include "loaded_object.h"
#include "ring.h"
#include "shared/manifest_keys.h"
#include "tick_clock.h"

namespace ada {
namespace {

// What the manifest says of a function in any module: its members behind the ids.
void writeFunction(JsonWriter &json, const ada_function &f) {
  json.text(manifest::kName, f.name_off ? textAt(f, f.name_off) : "");
  if (f.file_off)
    json.text(manifest::kFile, textAt(f, f.file_off));
  if (f.line)
    json.number(manifest::kLine, f.line);
  if (f.address_off)
    json.hex(manifest::kAddress, (uint64_t)&f + (int64_t)f.address_off, 1);
  if (f.signature_off)
    json.text(manifest::kSignature, textAt(f, f.signature_off));
  if (f.types_off)
    json.text(manifest::kTypes, textAt(f, f.types_off));
  if (f.flags & ADA_FUNCTION_NORETURN)
    json.boolean(manifest::kNoreturn, true);
}

// The symbols of an image as JSON objects.
void writeSymbols(JsonWriter &json, const Image &image) {
  const ada_function *f = (const ada_function *)image.functionsBegin;
  const char *line = image.symbols;
  for (uint64_t i = 0; i < image.functions(); ++i) {
    if (!image.table && !line)
      return; // there was no memory to keep them
    json.line().beginObject();
    json.hex(manifest::kFunctionId, (uint64_t)image.moduleId << 32 | i, 16);
    json.number(manifest::kModuleId, image.moduleId).number(manifest::kSymbolIndex, i);
    if (image.table)
      writeFunction(json, f[i]);
    else {
      const char *end = line;
      while (*end != '\n')
        ++end;
      json.raw({line, (size_t)(end - line)});
      line = end + 1;
    }
    json.endObject();
  }
}

// 8-4-4-4-12, of the build id's first 16 bytes.
Text<64> uuidText(const Image &image) {
  Text<64> t;
  if (image.buildIdBytes >= 16)
    for (unsigned i = 0; i < 16; ++i) {
      if (i == 4 || i == 6 || i == 8 || i == 10)
        t << '-';
      t.number((unsigned char)image.buildId[i], 16, 2);
    }
  return t;
}

} // namespace

void Images::setBytes(const Image &image, const Selection &selection, bool recording) {
  const ada_image &t = *image.table;
  if (!recording || selection.selectsAll()) {
    for (uint8_t *b = t.enabled_begin; b < t.enabled_end; ++b)
      __atomic_store_n(b, recording ? ADA_ENABLE_INDEX : 0, __ATOMIC_RELAXED);
    return;
  }
  for (const ada_function *f = t.functions_begin; f < t.functions_end; ++f)
    __atomic_store_n((uint8_t *)f + f->enable_off, selection.byteOf(*f), __ATOMIC_RELAXED);
}

Image *&Images::bucketOf(const ada_image *table) {
  return loaded_[((uint64_t)table >> 4) * 0x9e3779b97f4a7c15 >> 54]; // its top 10 bits
}

bool Images::add(const ada_image *table, Ring &ring, bool recording) {
  static_assert(kBuckets == 1u << 10);
  LoadedObject object = findLoadedObject(table);
  bool isRecorded = false;
  uint64_t signals = sys::blockSignals();
  {
    Lock lock(mutex_);
    if (images_.reserve(count_ + 1)) {
      Image &i = images_[count_];
      i.table = table;
      bool isMain = object.isMain && mainImage_ == UINT64_MAX;
      i.moduleId = isMain ? 0 : (uint32_t)(count_ + (mainImage_ == UINT64_MAX));
      i.functionsBegin = (uint64_t)table->functions_begin, i.functionsEnd = (uint64_t)table->functions_end;
      i.base = object.base, i.size = object.size;
      i.loadedNs = sys::nowNs();
      __builtin_memcpy(i.buildId, object.buildId, object.buildIdBytes);
      i.buildIdBytes = object.buildIdBytes;
      const char *path = texts_.keep(object.path.c_str(), object.path.size());
      i.path = path ? path : "";
      findTriggers(i);
      Image *&bucket = bucketOf(table);
      i.next = bucket, bucket = &i;
      if (isMain)
        __atomic_store_n(&mainImage_, count_, __ATOMIC_RELEASE);
      __atomic_store_n(&count_, count_ + 1, __ATOMIC_RELEASE);
      isRecorded = !ring.exists() || writeModule(ring, i); // without a ring: written when there is one
      if (isRecorded)
        setBytes(i, selection_, recording);
    }
  }
  sys::restoreSignals(signals);
  return isRecorded;
}

void Images::findTriggers(Image &image) {
  if (!triggers_ || !triggers_->any() || image.functions() == 0)
    return;
  uint64_t count = image.functions();
  uint8_t *bits = (uint8_t *)sys::mapMemory(count);
  if (!bits)
    return;
  for (uint64_t f = 0; f < count; ++f)
    for (unsigned r = 0; r < triggers_->count; ++r)
      if (Selection::means(triggers_->rules[r].glob, image.table->functions_begin[f]))
        bits[f] |= (uint8_t)(1u << r);
  image.triggers = (const uint8_t *)texts_.keep((const char *)bits, count);
  sys::unmap(bits, count);
}

uint8_t Images::triggersOf(uint64_t functionId) const {
  uint64_t id = functionId >> 32, ordinal = functionId & UINT32_MAX;
  uint64_t main = __atomic_load_n(&mainImage_, __ATOMIC_ACQUIRE);
  uint64_t at = id == 0 ? main : id - 1 < main ? id - 1 : id;
  if (at >= __atomic_load_n(&count_, __ATOMIC_ACQUIRE))
    return 0;
  const Image &m = images_[at];
  return m.triggers && ordinal < m.functions() ? m.triggers[ordinal] : 0;
}

bool Images::writeModule(Ring &ring, Image &image) {
  ada_ring_module *m = ring.addModule();
  if (!m)
    return false;
  m->begin = image.functionsBegin, m->end = image.functionsEnd;
  m->module_id = image.moduleId;
  image.ringSlot = ring.publish(m, TickClock::now(ring)) + 1; // records that come are not older
  return true;
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
}

void Images::remove(const ada_image *table, Ring &ring) {
  uint64_t signals = sys::blockSignals();
  {
    Lock lock(mutex_);
    Image **at = &bucketOf(table);
    while (*at && (*at)->table != table)
      at = &(*at)->next;
    if (Image *image = *at) {
      image->unloadedNs = sys::nowNs();
      // The executable's memory stays until the process ends; a library's goes now, so its names are kept.
      if (image->moduleId != 0) {
        *at = image->next;
        keepSymbols(*image);
        image->table = nullptr;
        if (image->ringSlot && ring.exists())
          ring.retire(image->ringSlot - 1, ring.stamp());
      }
    }
  }
  sys::restoreSignals(signals);
}

void Images::keepSymbols(Image &image) {
  JsonWriter json;
  for (const ada_function *f = image.table->functions_begin; f < image.table->functions_end; ++f) {
    writeFunction(json, *f);
    json.endOfPart();
  }
  TextPiece text = json.made();
  image.symbols = text.size ? texts_.keep(text.data, text.size) : nullptr;
}

void Images::setAll(bool recording) {
  for (uint64_t i = 0; i < count_; ++i)
    if (images_[i].table)
      setBytes(images_[i], selection_, recording);
}

void Images::apply(bool recording) {
  uint64_t signals = sys::blockSignals();
  {
    Lock lock(mutex_);
    setAll(recording);
  }
  sys::restoreSignals(signals);
}

void Images::stop() {
  uint64_t signals = sys::blockSignals();
  if (mutex_.tryLock()) {
    setAll(false);
    mutex_.unlock();
  }
  sys::restoreSignals(signals);
}

int64_t Images::choose(const char *glob, Choice choice, bool recording) {
  uint64_t signals = sys::blockSignals();
  int64_t matched = -1;
  {
    Lock lock(mutex_);
    if (selection_.add(glob, choice)) {
      matched = 0;
      for (uint64_t i = 0; i < count_; ++i) {
        if (!images_[i].table)
          continue;
        const ada_image &t = *images_[i].table;
        for (const ada_function *f = t.functions_begin; f < t.functions_end; ++f) {
          if (!Selection::means(glob, *f))
            continue;
          ++matched;
          __atomic_store_n((uint8_t *)f + f->enable_off, recording ? selection_.byteOf(*f) : 0, __ATOMIC_RELAXED);
        }
      }
    }
  }
  sys::restoreSignals(signals);
  return matched;
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
    json.text(manifest::kUuid, uuidText(m).c_str());
    Text<160> id;
    for (unsigned b = 0; b < m.buildIdBytes; ++b)
      id.number((unsigned char)m.buildId[b], 16, 2);
    json.text(manifest::kBuildId, id.c_str());
    json.number(manifest::kFunctions, m.functions());
    json.number(manifest::kLoadedNs, m.loadedNs);
    if (m.unloadedNs)
      json.number(manifest::kUnloadedNs, m.unloadedNs);
    json.endObject();
  }
  json.endArray().line().beginArray(manifest::kSymbols);
  for (uint64_t i = first; i < count_; ++i)
    writeSymbols(json, images_[i]);
  json.endArray();
  written_ = count_;
}

} // namespace ada
