// Names of a list of symbols, for people.
#pragma once

#include "ada/trace/manifest.h"
#include "formats/native/manifest/lambda_places.h"
#include "trace/base/lazy_text.h"

#include <mutex>
#include <string_view>
#include <vector>

namespace ada::atf {

/// Makes each name on first use, and keeps it. Any thread may ask, once the list is complete.
class SymbolNames {
public:
  /// The list has this many symbols now.
  void resize(size_t count) { full_.resize(count), short_.resize(count); }
  std::string_view displayName(const std::vector<Symbol> &symbols, size_t at) const;
  std::string_view shortDisplayName(const std::vector<Symbol> &symbols, size_t at) const;

private:
  const LambdaPlaces &lambdasOf(const std::vector<Symbol> &symbols) const;

  std::vector<LazyText> full_, short_; // by position
  mutable std::once_flag lambdasMade_;
  mutable LambdaPlaces lambdas_;
};

} // namespace ada::atf
