// Names in wtf-trace files: what viewers accept, and what the bytes can hold.
#pragma once

#include "ada/trace/wtf/format.h"
#include "trace/loss_list.h"

namespace ada::formats {

class WtfNames {
public:
  WtfNames(wtf::Dialect dialect, model::LossList &lost) : dialect_(dialect), lost_(lost) {}

  /// A name that viewers accept for a type or zone: UTF-8, one line, and no longer than they can read. `instead` if the
  /// name is empty.
  std::string plain(std::string_view name, std::string_view instead);
  /// A name as an argument: any UTF-8 that is not too long.
  std::string text(std::string_view name);

private:
  wtf::Dialect dialect_;
  model::LossList &lost_;
};

} // namespace ada::formats
