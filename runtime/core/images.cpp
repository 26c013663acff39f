// images.cpp - keeps the images' tables for the drain, the selection and the manifest.
//
// Constructors and destructors call in here with the dynamic linker's lock held, so whoever holds images' lock must not call the
// dynamic linker: what it knows of an object is asked before the lock is taken.
#include "images.h"
#include "json.h"
#include "message.h"
#include "ring.h"
#include "loaded_object.h"

namespace ada {
namespace {

const char *keep(const char *text) {
  size_t n = length(text) + 1;
  char *memory = (char *)sys::mapMemory(n);
  if (memory)
    copyBytes(memory, text, n);
  return memory ? memory : "";
}

// The symbols of an image as JSON objects.
void writeSymbols(JsonWriter &json, const Image &image) {
  const ada_function *f = (const ada_function *)image.functionsBegin;
  uint64_t count = (image.functionsEnd - image.functionsBegin) / sizeof *f;
  for (uint64_t i = 0; i < count; ++i, ++f) {
    json.line().beginObject();
    json.hex("function_id", (uint64_t)image.moduleId << 32 | i, 16);
    json.number("module_id", image.moduleId).number("symbol_index", i);
    json.text("name", f->name_off ? textAt(*f, f->name_off) : "");
    if (f->file_off)
      json.text("file", textAt(*f, f->file_off));
    if (f->line)
      json.number("line", f->line);
    if (f->address_off)
      json.hex("address", (uint64_t)f + (int64_t)f->address_off, 1);
    if (f->signature_off)
      json.text("signature", textAt(*f, f->signature_off));
    if (f->types_off)
      json.text("types", textAt(*f, f->types_off));
    if (f->flags & ADA_FUNCTION_NORETURN)
      json.boolean("noreturn", true);
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

void Images::add(const ada_image *table, Ring &ring, bool recording) {
  LoadedObject object = findLoadedObject(table);
  const char *path = keep(object.path.c_str());
  uint64_t signals = sys::blockSignals();
  {
    Lock lock(mutex_);
    if (!images_)
      images_ = (Image *)sys::mapMemory(ADA_RING_MODULES * sizeof(Image));
    if (images_ && count_ < ADA_RING_MODULES) {
      Image &i = images_[count_];
      i.table = table;
      i.moduleId = object.isMain ? 0 : nextModuleId_++;
      i.functionsBegin = (uint64_t)table->functions_begin, i.functionsEnd = (uint64_t)table->functions_end;
      i.base = object.base, i.size = object.size;
      i.loadedStamp = 0; // set by writeModule
      i.loadedNs = sys::nowNs();
      copyBytes(i.buildId, object.buildId, object.buildIdBytes);
      i.buildIdBytes = object.buildIdBytes;
      i.path = path;
      findTriggers(i);
      __atomic_store_n(&count_, count_ + 1, __ATOMIC_RELEASE);
      if (writeModule(ring, i))
        setBytes(i, selection_, recording);
    }
  }
  sys::restoreSignals(signals);
}

void Images::findTriggers(Image &image) {
  if (!triggers_ || !triggers_->any())
    return;
  uint64_t count = (image.functionsEnd - image.functionsBegin) / sizeof(ada_function);
  uint8_t *bits = (uint8_t *)sys::mapMemory(count ? count : 1);
  if (!bits)
    return;
  for (uint64_t f = 0; f < count; ++f)
    for (unsigned r = 0; r < triggers_->count; ++r)
      if (Selection::means(triggers_->rules[r].glob, image.table->functions_begin[f]))
        bits[f] |= (uint8_t)(1u << r);
  image.triggers = bits;
}

uint8_t Images::triggersOf(uint64_t functionId) const {
  uint64_t count = __atomic_load_n(&count_, __ATOMIC_ACQUIRE);
  for (uint64_t i = count; i-- > 0;) {
    const Image &m = images_[i];
    if (m.moduleId != functionId >> 32)
      continue;
    uint64_t ordinal = functionId & UINT32_MAX;
    return m.triggers && ordinal < (m.functionsEnd - m.functionsBegin) / sizeof(ada_function) ? m.triggers[ordinal] : 0;
  }
  return 0;
}

bool Images::writeModule(Ring &ring, const Image &image) {
  if (!ring.exists())
    return false;
  ada_ring_module *m = ring.addModule();
  if (!m)
    return false;
  m->begin = image.functionsBegin, m->end = image.functionsEnd;
  bool system = ring.header().clock == ADA_CLOCK_SYSTEM;
  m->loaded_stamp = system ? sys::nowNs() : arch::readCounter();
  m->module_id = image.moduleId;
  __atomic_store_n(&ring.header().modules_used, ring.header().modules_used + 1, __ATOMIC_RELEASE);
  return true;
}

void Images::writeModules(Ring &ring) {
  Lock lock(mutex_);
  for (uint64_t i = 0; i < count_; ++i)
    if (images_[i].table)
      writeModule(ring, images_[i]);
}

void Images::remove(const ada_image *table) {
  uint64_t signals = sys::blockSignals();
  {
    Lock lock(mutex_);
    for (uint64_t i = 0; i < count_; ++i) {
      Image &image = images_[i];
      if (image.table != table)
        continue;
      image.unloadedNs = sys::nowNs();
      // The executable's memory stays until the process ends; a library's goes now, so its names are kept.
      if (image.moduleId != 0) {
        JsonWriter json;
        writeSymbols(json, image);
        image.symbols = json.release(image.symbolsBytes);
        image.table = nullptr;
      }
    }
  }
  sys::restoreSignals(signals);
}

void Images::apply(bool recording) {
  uint64_t signals = sys::blockSignals();
  {
    Lock lock(mutex_);
    for (uint64_t i = 0; i < count_; ++i)
      if (images_[i].table)
        setBytes(images_[i], selection_, recording);
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

uint64_t Images::count() { return __atomic_load_n(&count_, __ATOMIC_ACQUIRE); }

void Images::writeManifest(JsonWriter &json) {
  Lock lock(mutex_);
  json.line().beginArray("modules");
  for (uint64_t i = 0; i < count_; ++i) {
    const Image &m = images_[i];
    json.line().beginObject();
    json.number("module_id", m.moduleId).text("path", m.path);
    json.hex("base_address", m.base, 1).number("size", m.size);
    json.text("uuid", uuidText(m).c_str());
    Text<160> id;
    for (unsigned b = 0; b < m.buildIdBytes; ++b)
      id.number((unsigned char)m.buildId[b], 16, 2);
    json.text("build_id", id.c_str());
    json.number("functions", (m.functionsEnd - m.functionsBegin) / sizeof(ada_function));
    json.number("loaded_ns", m.loadedNs);
    if (m.unloadedNs)
      json.number("unloaded_ns", m.unloadedNs);
    json.endObject();
  }
  json.endArray().line().beginArray("symbols");
  for (uint64_t i = 0; i < count_; ++i) {
    if (images_[i].table)
      writeSymbols(json, images_[i]);
    else
      json.raw(images_[i].symbols, images_[i].symbolsBytes);
  }
  json.endArray();
}

} // namespace ada
