// Reads DWARF: looks through all entries for the variable once, then follows its type.
//
// All offsets and lengths are checked, because the file may have been made to do harm. What is damaged has no answer.
#include "debug_info.h"

#include "dwarf_bytes.h"
#include "trace/base/format.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ada {

namespace {

// Numbers of the standard that are used here.
enum Tag : uint64_t {
  kArray = 0x01,
  kMember = 0x0d,
  kCompileUnit = 0x11,
  kStructure = 0x13,
  kTypedef = 0x16,
  kUnion = 0x17,
  kInheritance = 0x1c,
  kSubrange = 0x21,
  kConst = 0x26,
  kVariable = 0x34,
  kVolatile = 0x35,
  kClass = 0x02,
  kAtomic = 0x47,
};
enum Attribute : uint64_t {
  kLocation = 0x02,
  kName = 0x03,
  kByteSize = 0x0b,
  kUpperBound = 0x2f,
  kAbstractOrigin = 0x31,
  kCount = 0x37,
  kMemberLocation = 0x38,
  kDeclaration = 0x3c,
  kSpecification = 0x47,
  kType = 0x49,
  kStrOffsetsBase = 0x72,
  kAddrBase = 0x73,
};

struct Abbreviation {
  uint64_t tag = 0;
  bool hasChildren = false;
  struct Field {
    uint64_t attribute, form;
    int64_t constant;
  };
  std::vector<Field> fields;
};
using Abbreviations = std::unordered_map<uint64_t, Abbreviation>;

struct Unit {
  uint64_t begin = 0, end = 0, entries = 0; ///< in .debug_info
  uint8_t version = 0, addressBytes = 8, offsetBytes = 4;
  uint64_t strOffsetsBase = 8, addrBase = 8;
  const Abbreviations *abbreviations = nullptr;
};

// An attribute's value, as far as one of these kinds.
struct Field {
  std::optional<uint64_t> number;
  std::optional<uint64_t> entry; ///< a reference: an offset in .debug_info
  std::optional<std::string_view> block, text;
};

// An entry with what is needed of it.
struct Entry {
  uint64_t tag = 0; ///< 0: the end of a list of children
  bool hasChildren = false, isDeclaration = false;
  std::optional<std::string_view> name, location;
  std::optional<uint64_t> type, origin, size, offset, count;
  uint64_t next = 0; ///< the entry that follows: its first child, if it has any
};

constexpr unsigned kDeepest = 40;                ///< types in types
constexpr uint64_t kLargestInfo = 1024ULL << 20; ///< more would take many seconds to look through

// Names that belong to the implementation of C or C++: what is in them is no concern of the program's.
bool isReserved(std::string_view name) {
  return name.size() > 1 && name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

} // namespace

class DebugInfo::Reader {
public:
  explicit Reader(const ElfFile &file) {
    for (const ElfFile::Section &section : file.sections())
      for (auto &[name, contents] : {std::pair<std::string_view, std::string_view *>{".debug_info", &info_},
                                     {".debug_abbrev", &abbrev_},
                                     {".debug_str", &str_},
                                     {".debug_line_str", &lineStr_},
                                     {".debug_str_offsets", &strOffsets_},
                                     {".debug_addr", &addr_}})
        if (section.name == name)
          *contents = file.uncompressed(section, kLargestInfo);
    readUnits();
    findVariables();
  }

  std::optional<std::string> memberAt(uint64_t variable, uint64_t offset) const {
    const auto type = typeOf_.find(variable);
    std::string path;
    if (type == typeOf_.end() || !follow(type->second, offset, path, 0))
      return std::nullopt;
    return path;
  }

private:
  void readUnits() {
    DwarfBytes in(info_);
    const auto place = [&] { return static_cast<uint64_t>(in.at - reinterpret_cast<const uint8_t *>(info_.data())); };
    while (in.isGood && in.at < in.end) {
      Unit unit;
      unit.begin = place();
      uint64_t length = in.fixed(4);
      if (length == 0xffffffff)
        length = in.fixed(8), unit.offsetBytes = 8;
      if (!in.isGood || length > info_.size() - place())
        return;
      unit.end = place() + length;
      unit.version = static_cast<uint8_t>(in.fixed(2));
      uint64_t abbreviations = 0, kind = 1;
      if (unit.version >= 5) {
        kind = in.fixed(1);
        unit.addressBytes = static_cast<uint8_t>(in.fixed(1));
        abbreviations = in.fixed(unit.offsetBytes);
        if (kind == 4 || kind == 5) // skeleton and split units have an id
          in.fixed(8);
        if (kind == 2 || kind == 6) // type units
          in.fixed(8), in.fixed(unit.offsetBytes);
      } else {
        abbreviations = in.fixed(unit.offsetBytes);
        unit.addressBytes = static_cast<uint8_t>(in.fixed(1));
      }
      unit.entries = place();
      if (unit.version >= 2 && unit.version <= 5 && unit.addressBytes == 8 && unit.entries <= unit.end) {
        unit.abbreviations = abbreviationsAt(abbreviations);
        unit.strOffsetsBase = unit.addrBase = unit.offsetBytes == 8 ? 16 : 8;
        readBases(unit);
        units_.push_back(unit);
      }
      in = DwarfBytes(after(info_, unit.end));
    }
  }

  // The unit's own entry says where its parts of other sections begin.
  void readBases(Unit &unit) const {
    DwarfBytes in(info_.substr(unit.entries, unit.end - unit.entries));
    const Abbreviation *kind = abbreviationOf(unit, in.number());
    for (size_t i = 0; kind && i < kind->fields.size(); ++i) {
      const Field field = read(unit, in, kind->fields[i].form, kind->fields[i].constant);
      if (kind->fields[i].attribute == kStrOffsetsBase)
        unit.strOffsetsBase = field.number.value_or(unit.strOffsetsBase);
      if (kind->fields[i].attribute == kAddrBase)
        unit.addrBase = field.number.value_or(unit.addrBase);
    }
  }

  const Abbreviations *abbreviationsAt(uint64_t offset) {
    const auto [at, isNew] = abbreviations_.try_emplace(offset);
    if (isNew) {
      DwarfBytes in(after(abbrev_, offset));
      for (uint64_t code; in.isGood && in.at < in.end && (code = in.number());) {
        Abbreviation one;
        one.tag = in.number(), one.hasChildren = in.fixed(1);
        while (in.isGood) {
          Abbreviation::Field field{in.number(), in.number(), 0};
          if (field.form == 0x21) // implicit_const
            field.constant = in.signedNumber();
          if (field.attribute == 0 && field.form == 0)
            break;
          one.fields.push_back(field);
        }
        at->second.emplace(code, std::move(one));
      }
    }
    return &at->second;
  }
  static const Abbreviation *abbreviationOf(const Unit &unit, uint64_t code) {
    const auto at = unit.abbreviations->find(code);
    return at == unit.abbreviations->end() ? nullptr : &at->second;
  }

  std::string_view textAt(std::string_view section, uint64_t offset) const {
    return DwarfBytes(after(section, offset)).text();
  }
  std::string_view indexedText(const Unit &unit, uint64_t index) const {
    if (index > strOffsets_.size())
      return {};
    return textAt(
        str_, DwarfBytes(after(strOffsets_, unit.strOffsetsBase + index * unit.offsetBytes)).fixed(unit.offsetBytes));
  }

  // Long because the standard has that many forms.
  Field read(const Unit &unit, DwarfBytes &in, uint64_t form, int64_t constant) const {
    Field field;
    switch (form) {
    case 0x01: // addr
      field.number = in.fixed(unit.addressBytes);
      break;
    case 0x03: // block2
      field.block = in.block(in.fixed(2));
      break;
    case 0x04: // block4
      field.block = in.block(in.fixed(4));
      break;
    case 0x0a: // block1
      field.block = in.block(in.fixed(1));
      break;
    case 0x09: // block
    case 0x18: // exprloc
      field.block = in.block(in.number());
      break;
    case 0x0b: // data1
    case 0x0c: // flag
      field.number = in.fixed(1);
      break;
    case 0x05: // data2
      field.number = in.fixed(2);
      break;
    case 0x06: // data4
      field.number = in.fixed(4);
      break;
    case 0x07: // data8
      field.number = in.fixed(8);
      break;
    case 0x1e: // data16
      in.block(16);
      break;
    case 0x0d: // sdata
      field.number = static_cast<uint64_t>(in.signedNumber());
      break;
    case 0x0f: // udata
    case 0x22: // loclistx
    case 0x23: // rnglistx
      field.number = in.number();
      break;
    case 0x17: // sec_offset
      field.number = in.fixed(unit.offsetBytes);
      break;
    case 0x19: // flag_present
      field.number = 1;
      break;
    case 0x21: // implicit_const
      field.number = static_cast<uint64_t>(constant);
      break;
    case 0x08: // string
      field.text = in.text();
      break;
    case 0x0e: // strp
      field.text = textAt(str_, in.fixed(unit.offsetBytes));
      break;
    case 0x1f: // line_strp
      field.text = textAt(lineStr_, in.fixed(unit.offsetBytes));
      break;
    case 0x1a: // strx
      field.text = indexedText(unit, in.number());
      break;
    case 0x25: // strx1 to strx4
    case 0x26:
    case 0x27:
    case 0x28:
      field.text = indexedText(unit, in.fixed(static_cast<unsigned>(form - 0x24)));
      break;
    case 0x1b: // addrx
      in.number();
      break;
    case 0x29: // addrx1 to addrx4
    case 0x2a:
    case 0x2b:
    case 0x2c:
      in.fixed(static_cast<unsigned>(form - 0x28));
      break;
    case 0x11: // ref1
      field.entry = unit.begin + in.fixed(1);
      break;
    case 0x12: // ref2
      field.entry = unit.begin + in.fixed(2);
      break;
    case 0x13: // ref4
      field.entry = unit.begin + in.fixed(4);
      break;
    case 0x14: // ref8
      field.entry = unit.begin + in.fixed(8);
      break;
    case 0x15: // ref_udata
      field.entry = unit.begin + in.number();
      break;
    case 0x10: // ref_addr: of the size of an address in version 2
      field.entry = in.fixed(unit.version == 2 ? unit.addressBytes : unit.offsetBytes);
      break;
    case 0x20: // ref_sig8: a type unit
      in.fixed(8);
      break;
    case 0x16: { // indirect
      const uint64_t real = in.number();
      return real == 0x16 ? (in.has(~uint64_t(0)), field) : read(unit, in, real, 0);
    }
    default: // unknown: nothing after it can be read
      in.has(~uint64_t(0));
    }
    return field;
  }

  const Unit *unitOf(uint64_t offset) const {
    const auto next = std::ranges::upper_bound(units_, offset, {}, &Unit::begin);
    if (next == units_.begin())
      return nullptr;
    const Unit &unit = *std::prev(next);
    return offset >= unit.entries && offset < unit.end ? &unit : nullptr;
  }

  std::optional<Entry> entryAt(const Unit &unit, uint64_t offset) const {
    if (left_ == 0)
      return std::nullopt;
    --left_;
    DwarfBytes in(info_.substr(offset, unit.end - offset));
    Entry entry;
    const uint64_t code = in.number();
    if (code) {
      const Abbreviation *kind = abbreviationOf(unit, code);
      if (!kind)
        return std::nullopt;
      entry.tag = kind->tag, entry.hasChildren = kind->hasChildren;
      for (const Abbreviation::Field &of : kind->fields) {
        const Field field = read(unit, in, of.form, of.constant);
        switch (of.attribute) {
        case kName:
          entry.name = field.text;
          break;
        case kLocation:
          entry.location = field.block;
          break;
        case kType:
          entry.type = field.entry;
          break;
        case kSpecification:
        case kAbstractOrigin:
          entry.origin = field.entry;
          break;
        case kByteSize:
          entry.size = field.number;
          break;
        case kMemberLocation:
          entry.offset = field.number;
          if (field.block && field.block->size() > 1 && (*field.block)[0] == 0x23) // DW_OP_plus_uconst
            entry.offset = DwarfBytes(field.block->substr(1)).number();
          break;
        case kUpperBound:
          if (field.number)
            entry.count = *field.number + 1;
          break;
        case kCount:
          entry.count = field.number;
          break;
        case kDeclaration:
          entry.isDeclaration = field.number.value_or(0) != 0;
          break;
        default:
          break;
        }
      }
    }
    if (!in.isGood)
      return std::nullopt;
    entry.next = unit.end - static_cast<uint64_t>(in.end - in.at);
    return entry;
  }
  std::optional<Entry> entryAt(uint64_t offset) const {
    const Unit *unit = unitOf(offset);
    return unit ? entryAt(*unit, offset) : std::nullopt;
  }

  // Nothing if the location is not a fixed address.
  std::optional<uint64_t> addressOf(const Unit &unit, std::string_view location) const {
    DwarfBytes in(location);
    const uint64_t operation = in.fixed(1);
    uint64_t found = 0;
    if (operation == 0x03) { // DW_OP_addr
      found = in.fixed(8);
    } else if (operation == 0xa1 || operation == 0xfb) { // DW_OP_addrx, DW_OP_GNU_addr_index
      const uint64_t index = in.number();
      if (index > addr_.size())
        return std::nullopt;
      DwarfBytes table(after(addr_, unit.addrBase + index * 8));
      found = table.fixed(8);
      in.isGood = in.isGood && table.isGood;
    } else {
      return std::nullopt;
    }
    if (!in.isGood || in.at != in.end) // anything more may compute another address
      return std::nullopt;
    return found;
  }

  void findVariables() {
    for (const Unit &unit : units_)
      for (uint64_t at = unit.entries; at < unit.end;) {
        const auto entry = entryAt(unit, at);
        if (!entry)
          break;
        if (const auto address =
                entry->tag == kVariable && entry->location ? addressOf(unit, *entry->location) : std::nullopt) {
          const auto origin = entry->type || !entry->origin ? std::nullopt : entryAt(*entry->origin);
          if (const auto type = origin ? origin->type : entry->type)
            typeOf_.try_emplace(*address, *type);
        }
        at = entry->next;
      }
  }

  // The type without names and qualifiers; nothing if it is not described.
  std::optional<std::pair<uint64_t, Entry>> plain(uint64_t type) const {
    for (unsigned i = 0; i < kDeepest; ++i) {
      const auto entry = entryAt(type);
      if (!entry || entry->isDeclaration)
        return std::nullopt;
      const bool isName =
          entry->tag == kTypedef || entry->tag == kConst || entry->tag == kVolatile || entry->tag == kAtomic;
      if (!isName)
        return std::pair(type, *entry);
      if (!entry->type)
        return std::nullopt;
      type = *entry->type;
    }
    return std::nullopt;
  }

  // Calls use(child) for each child of the entry, not for theirs.
  template <class Use> void eachChild(uint64_t parent, const Use &use) const {
    const Unit *unit = unitOf(parent);
    const auto above = unit ? entryAt(*unit, parent) : std::nullopt;
    if (!above || !above->hasChildren)
      return;
    unsigned depth = 0;
    for (uint64_t at = above->next; at < unit->end;) {
      const auto entry = entryAt(*unit, at);
      if (!entry || (entry->tag == 0 && depth == 0))
        return;
      if (entry->tag == 0)
        --depth;
      else if (depth == 0)
        use(*entry);
      depth += entry->tag != 0 && entry->hasChildren;
      at = entry->next;
    }
  }

  // How many elements each dimension of an array has.
  std::vector<uint64_t> dimensions(uint64_t array) const {
    std::vector<uint64_t> counts;
    eachChild(array, [&](const Entry &child) {
      if (child.tag == kSubrange)
        counts.push_back(child.count.value_or(0));
    });
    return counts;
  }

  std::optional<uint64_t> sizeOf(uint64_t type, unsigned depth = 0) const {
    const auto known = depth < kDeepest ? plain(type) : std::nullopt;
    if (!known)
      return std::nullopt;
    if (known->second.size || known->second.tag != kArray || !known->second.type)
      return known->second.size;
    auto size = sizeOf(*known->second.type, depth + 1);
    for (const uint64_t count : dimensions(known->first))
      if (size && __builtin_mul_overflow(*size, count, &*size))
        return std::nullopt;
    return size;
  }

  // Adds to `path` what is at the offset in a value of the type. False if that is not known.
  bool follow(uint64_t type, uint64_t offset, std::string &path, unsigned depth) const {
    const auto known = depth < kDeepest ? plain(type) : std::nullopt;
    if (!known)
      return false;
    const auto &[at, entry] = *known;
    switch (entry.tag) {
    case kStructure:
    case kClass:
      return followMember(at, offset, path, depth);
    case kArray: {
      const auto size = entry.type ? sizeOf(*entry.type) : std::nullopt;
      const std::vector<uint64_t> counts = dimensions(at);
      if (!size || *size == 0 || counts.size() != 1 || offset / *size >= counts[0])
        return false;
      path += fmt::format("[{}]", offset / *size);
      return follow(*entry.type, offset % *size, path, depth + 1);
    }
    case kUnion: // which member is meant is not known, but C's own types are made like this
      return offset == 0 && entry.name.value_or("").empty();
    default:
      return offset == 0;
    }
  }

  bool followMember(uint64_t structure, uint64_t offset, std::string &path, unsigned depth) const {
    std::optional<Entry> member, base;
    eachChild(structure, [&](const Entry &child) {
      if ((child.tag != kMember && child.tag != kInheritance) || !child.type || !child.offset || *child.offset > offset)
        return;
      const auto size = sizeOf(*child.type);
      if (size ? offset - *child.offset >= *size : offset != *child.offset)
        return;
      (child.tag == kMember ? member : base) = child;
    });
    if (!member && !base)
      return offset == 0; // a class whose members are not of interest
    if (!member)
      return follow(*base->type, offset - *base->offset, path, depth + 1);
    const std::string_view name = member->name.value_or("");
    const uint64_t inside = offset - *member->offset;
    if (!isReserved(name)) {
      path += name.empty() ? "" : "." + std::string(name);
      // Where in a class that is described elsewhere it is, is known only for its beginning.
      return plain(*member->type) ? follow(*member->type, inside, path, depth + 1) : inside == 0;
    }
    // std::array has its elements in such a member.
    const auto type = plain(*member->type);
    if (type && type->second.tag == kArray && name == "_M_elems")
      return follow(*member->type, inside, path, depth + 1);
    return inside == 0;
  }

  std::string_view info_, abbrev_, str_, lineStr_, strOffsets_, addr_;
  std::vector<Unit> units_;
  std::unordered_map<uint64_t, uint64_t> typeOf_; ///< by the address of a variable
  /// How many entries may still be looked at: far more than programs have, but damage could lead through them again and
  /// again.
  mutable uint64_t left_ = 300'000'000;
  std::map<uint64_t, Abbreviations> abbreviations_; ///< by offset
};

DebugInfo::DebugInfo(const ElfFile &file) : reader_(std::make_unique<Reader>(file)) {}
DebugInfo::~DebugInfo() = default;

std::optional<std::string> DebugInfo::memberAt(uint64_t variable, uint64_t offset) const {
  return reader_->memberAt(variable, offset);
}

} // namespace ada
