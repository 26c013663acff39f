// Makes the links of an index file that was cut off agree with the details that there are.
#ifndef ADA_LIB_RECOVER_LINK_REPAIR_H
#define ADA_LIB_RECOVER_LINK_REPAIR_H

#include "ada/trace/atf_detail.h"

#include <cstdint>
#include <string>

namespace ada {

// Looks at the first `events` events of an index file that has no footer yet. A link whose detail is not there is
// cleared; the detail of an event that has no link is linked. `details` is null if there is no detail file.
// Returns how many links were cleared. An interrupted repair may be repeated.
Expected<std::uint64_t> repairLinks(const std::string &indexPath, std::uint64_t events,
                                    const atf::DetailReader *details);

} // namespace ada

#endif // ADA_LIB_RECOVER_LINK_REPAIR_H
