// Pages for man.
#pragma once

#include "page.h"

namespace ada::cli {

std::string roffOf(const Page &page);

} // namespace ada::cli
