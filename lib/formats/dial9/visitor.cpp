// The visitor that does nothing.
// It has its own file, because a compiler that sees these bodies guards each event's virtual call with a comparison
// against them.
#include "ada/trace/dial9/decoder.h"

namespace ada::dial9 {

Visitor::~Visitor() = default;
void Visitor::onSchema(const Schema &, uint64_t) {}
void Visitor::onEvent(const EventView &) {}
void Visitor::onStringPool(StringPoolView, uint64_t) {}
void Visitor::onStackPool(StackPoolView, uint64_t) {}
void Visitor::onTimestampReset(uint64_t, uint64_t) {}
void Visitor::onAnnotations(uint64_t, AnnotationsView, uint64_t) {}
void Visitor::onSegment(uint64_t) {}

} // namespace ada::dial9
