// Writes into a manifest what is known of the signal that killed the process.
// The runtime does it if it lives long enough, otherwise recovery.
#pragma once

#include "shared/arch.h"
#include "shared/manifest_keys.h"
#include "shared/ring/ring_file.h"

namespace ada {

/// Adds the members to an object that has the number of the signal. Nothing if the handler saw another one, or none.
template <class Json> void putDeath(Json &json, const ada_ring_header &header, uint32_t signal) {
  const auto &death = header.death;
  if (signal == 0 || __atomic_load_n(&death.signal, __ATOMIC_ACQUIRE) != signal)
    return;
  json.number(manifest::kCause, death.cause).number(manifest::kTid, death.tid);
  if (death.cause <= 0)
    json.number(manifest::kSenderPid, death.sender).number(manifest::kSenderUser, death.sender_user);
  else
    json.hex(manifest::kAddress, death.address, 1);
  if (death.forbidden_counter)
    json.boolean(manifest::kForbiddenCounter, true);
  json.beginObject(manifest::kRegisters);
  const ArchInfo &arch = archInfo(static_cast<uint8_t>(header.arch));
  for (unsigned i = 0; i < sizeof arch.onFault / sizeof *arch.onFault && arch.onFault[i]; ++i)
    json.hex(arch.onFault[i], death.registers[i], 16);
  json.endObject();
}

} // namespace ada
