// Files that are meant for one person only: private keys, passwords, tokens.
//
// Made for few false alarms: a name or text is a secret's only if hardly anything else looks like it. So it does not
// find every secret.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ada {

/// What a file of that name usually holds: "a private key". Empty if the name says nothing.
std::string_view secretName(std::string_view name);

struct Secret {
  std::string_view what; ///< "a private key"
  size_t line = 0;       ///< where it begins, from 1 on
};
/// The first secret in a text.
std::optional<Secret> secretIn(std::string_view text);

} // namespace ada
