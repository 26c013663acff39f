// The event types that a file has defined so far, and what their names mean.
#include "type_table.h"

#include "bytes.h"
#include "trace/base/try.h"

namespace ada::wtf {
namespace {

bool isZoneRole(Role role) { return role == Role::ZoneCreate || role == Role::ZoneDelete || role == Role::ZoneSet; }

/// Fills in the role, which the name decides.
const char *giveRole(EventType &type, std::string &message) {
  for (const BuiltIn &builtIn : builtIns()) {
    if (type.name != builtIn.name)
      continue;
    if (isZoneRole(builtIn.role)) {
      if (!(type.flags & kBuiltIn))
        return nullptr;
      const int id = type.indexOf("zoneId");
      if (id < 0 || isText(type.argDefs[id].type) || isArray(type.argDefs[id].type) ||
          type.argDefs[id].type == ArgType::Float32) {
        message = "the file defines " + type.name + " without a zoneId: such events change no zone";
        return "W_BUILTIN_ARGS";
      }
    }
    type.role = builtIn.role;
    if (type.role == Role::Define && type.args != builtIn.args) {
      // Existing readers keep the layout they know, too.
      message = "the file redefines the arguments of wtf.event#define; its records are read as usual";
      type.argDefs = *parseSignature(builtIn.args);
      return "W_DEFINE_LAYOUT";
    }
    return nullptr;
  }
  return nullptr;
}

} // namespace

TypeTable::TypeTable() {
  const BuiltIn &define = builtIns()[0];
  EventType type{kDefineWireId,
                 define.eventClass,
                 define.flags,
                 std::string(define.name),
                 std::string(define.args),
                 *parseSignature(define.args),
                 define.role};
  set(kDefineWireId, &types_.emplace_back(std::move(type)));
}

void TypeTable::set(uint16_t wireId, const EventType *type) {
  std::unique_ptr<Page> &page = pages_[wireId >> 8];
  if (!page)
    page = std::make_unique<Page>();
  (*page)[wireId & 0xFF] = type;
}

Expected<TypeTable::Defined> TypeTable::define(uint16_t wireId, uint16_t eventClass, uint32_t flags, std::string name,
                                               std::string args, Dialect dialect) {
  const EventType *known = find(wireId);
  const bool implicit = known == &types_.front(); // not yet defined by the file itself
  if (known && !implicit && known->name == name && known->eventClass == eventClass && known->flags == flags &&
      known->args == args)
    return Defined{known, false};
  Defined defined{nullptr, true};
  EventType type{wireId, eventClass, flags, std::move(name), std::move(args)};
  if (type.name == builtIns()[0].name) {
    type.argDefs = *parseSignature(builtIns()[0].args);
  } else {
    type.argDefs = ADA_TRY(parseSignature(type.args, dialect));
  }
  defined.warning = giveRole(type, defined.message);
  set(wireId, &types_.emplace_back(std::move(type)));
  defined.type = &types_.back();
  return defined;
}

} // namespace ada::wtf
