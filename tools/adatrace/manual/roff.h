// Pages for man.
#ifndef ADATRACE_ROFF_H
#define ADATRACE_ROFF_H

#include "page.h"

namespace ada::cli {

std::string roffOf(const Page &page);

} // namespace ada::cli
#endif // ADATRACE_ROFF_H
