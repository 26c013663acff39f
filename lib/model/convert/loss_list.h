// Counts what a conversion leaves out, each reason once.
#ifndef ADA_LIB_MODEL_CONVERT_LOSS_LIST_H
#define ADA_LIB_MODEL_CONVERT_LOSS_LIST_H

#include "ada/trace/model.h"

#include <string_view>

namespace ada::model {

class LossList {
public:
  void add(std::string_view what, std::uint64_t count = 1) {
    if (count == 0)
      return;
    for (Loss &loss : all)
      if (loss.what == what) {
        loss.count += count;
        return;
      }
    all.push_back({count, std::string(what)});
  }
  const std::vector<Loss> &list() const noexcept { return all; }
  void clear() { all.clear(); }

private:
  std::vector<Loss> all; // a handful
};

} // namespace ada::model

#endif // ADA_LIB_MODEL_CONVERT_LOSS_LIST_H
