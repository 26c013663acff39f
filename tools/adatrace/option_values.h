//===- option_values.h - options whose values are durations ---------------===//
#ifndef ADATRACE_OPTION_VALUES_H
#define ADATRACE_OPTION_VALUES_H

#include "quantities.h"

#include <CLI/CLI.hpp>

namespace ada::cli {

/// Adds an option like --min-duration 10us.
inline CLI::Option *addDuration(CLI::App &app, const std::string &name,
                                uint64_t &target, const std::string &text) {
  return app
      .add_option_function<std::string>(
          name,
          [name, &target](const std::string &value) {
            const std::optional<uint64_t> duration = parseDuration(value);
            if (!duration)
              throw CLI::ValidationError(
                  name, "'" + value + "' is not a duration like 250ns, 10us, 1.5ms or 2s");
            target = *duration;
          },
          text)
      ->type_name("TIME");
}

} // namespace ada::cli
#endif // ADATRACE_OPTION_VALUES_H
