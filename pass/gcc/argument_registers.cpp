// Asks the target's hooks for the places of arguments.
#include "argument_registers.h"
#include "target.h"

#include <cstring>

namespace ada::pass {

ArgumentRegisters::ArgumentRegisters(tree function) {
  tree type = build_function_type_list(void_type_node, NULL_TREE);
  INIT_CUMULATIVE_ARGS(state_, type, NULL_RTX, NULL_TREE, 100);
  if (!function)
    return;
  isStackKnown_ = target::isOrdinary(TREE_TYPE(function));
  if (hasResultParameter(function))
    place(ptr_type_node);
}

/// Takes the next part of the stack. The rules of System V's x86-64 convention are AAPCS64's, too.
ArgumentPlace ArgumentRegisters::placeOnStack(const function_arg_info &argument, std::vector<ValuePiece> *pieces) {
  const unsigned boundary = targetm.calls.function_arg_boundary(argument.mode, argument.type);
  if (!isStackKnown_)
    return ArgumentPlace::Elsewhere;
  const unsigned size = static_cast<unsigned>(int_size_in_bytes(argument.type));
  const unsigned alignment = std::max(8u, boundary / 8);
  stackTaken_ = (stackTaken_ + alignment - 1) / alignment * alignment;
  if (pieces) // after the return address
    pieces->push_back({ValuePiece::Where::Stack, target::kReturnAddressBytes + stackTaken_, size});
  stackTaken_ += (size + 7) / 8 * 8;
  return ArgumentPlace::Stack;
}

ArgumentPlace ArgumentRegisters::place(tree type, std::vector<ValuePiece> *pieces) {
  if (lost_)
    return ArgumentPlace::Unknown;
  cumulative_args_t state = pack_cumulative_args(&state_);
  function_arg_info argument(type, /*named=*/true);
  if (target::isScalable(type)) { // in a register of its own, where no hook finds it
    isStackKnown_ = false;
    return ArgumentPlace::Elsewhere;
  }
  if (!COMPLETE_TYPE_P(type) || TREE_CODE(TYPE_SIZE(type)) != INTEGER_CST) {
    lost_ = true;
    return ArgumentPlace::Unknown;
  }
  if (pass_by_reference(&state_, argument)) {
    const ArgumentPlace address = place(ptr_type_node, pieces);
    return address == ArgumentPlace::Registers ? ArgumentPlace::Address
           : address == ArgumentPlace::Stack   ? ArgumentPlace::Elsewhere
                                               : address;
  }
  if (TYPE_EMPTY_P(type)) { // takes no place at all, but may need an alignment
    isStackKnown_ &= TYPE_ALIGN(type) <= 128;
    return ArgumentPlace::Elsewhere;
  }
  rtx where = targetm.calls.function_arg(state, argument);
  targetm.calls.function_arg_advance(state, argument);
  if (!where)
    return placeOnStack(argument, pieces);

  std::vector<ValuePiece> found;
  const auto add = [&](rtx part, unsigned bytes) {
    bool isVector = false;
    unsigned number = 0;
    if (!part || !REG_P(part) || !target::isArgumentRegister(REGNO(part), isVector, number))
      return false;
    unsigned &taken = isVector ? vector_ : general_;
    // A wide value takes several general registers, and one vector register whatever its size.
    for (unsigned at = 0; at < bytes; at += isVector ? bytes : 8) {
      found.push_back(
          {isVector ? ValuePiece::Where::Vector : ValuePiece::Where::General, number, isVector ? bytes : 8});
      taken = std::max(taken, ++number);
    }
    return true;
  };
  const unsigned size = static_cast<unsigned>(int_size_in_bytes(type));
  bool isKnown = true;
  if (GET_CODE(where) == PARALLEL) {
    unsigned at = 0; // in the value; what no register carries is padding
    const auto skipTo = [&](unsigned end) {
      if (at < end)
        found.push_back({ValuePiece::Where::LeftOut, 0, end - at});
      at = std::max(at, end);
    };
    for (int i = 0; i < XVECLEN(where, 0) && isKnown; ++i) {
      rtx part = XEXP(XVECEXP(where, 0, i), 0);
      skipTo(static_cast<unsigned>(INTVAL(XEXP(XVECEXP(where, 0, i), 1))));
      const unsigned bytes =
          part && REG_P(part) ? static_cast<unsigned>(GET_MODE_SIZE(GET_MODE(part)).to_constant()) : 0;
      isKnown = bytes && add(part, bytes);
      if (isKnown) // a general register carries eight, whatever its mode
        at += found.back().where == ValuePiece::Where::Vector ? bytes : (bytes + 7) / 8 * 8;
    }
    if (at + 8 <= size)
      skipTo(size);
  } else {
    isKnown = add(where, size);
  }
  if (!isKnown) {
    lost_ = true;
    return ArgumentPlace::Unknown;
  }
  if (pieces)
    pieces->insert(pieces->end(), found.begin(), found.end());
  return ArgumentPlace::Registers;
}

bool hasResultParameter(tree function) {
  return aggregate_value_p(DECL_RESULT(function), function) &&
         !targetm.calls.struct_value_rtx(TREE_TYPE(function), /*incoming=*/1);
}

bool isResultInRegisters(tree function) {
  tree type = TREE_TYPE(DECL_RESULT(function));
  return !VOID_TYPE_P(type) && !aggregate_value_p(DECL_RESULT(function), function) &&
         ArgumentRegisters().place(type) == ArgumentPlace::Registers;
}

bool isResultOnX87Stack(tree function) {
  tree type = TREE_TYPE(DECL_RESULT(function));
  if (VOID_TYPE_P(type) || aggregate_value_p(DECL_RESULT(function), function))
    return false;
  rtx value = targetm.calls.function_value(type, function, /*outgoing=*/true);
  if (value && GET_CODE(value) == PARALLEL && XVECLEN(value, 0) > 0)
    value = XEXP(XVECEXP(value, 0, 0), 0);
  return value && REG_P(value) && std::strncmp(reg_names[REGNO(value)], "st", 2) == 0;
}

unsigned resultBytesInMemory(tree function) {
  tree result = DECL_RESULT(function);
  tree type = DECL_BY_REFERENCE(result) ? TREE_TYPE(TREE_TYPE(result)) : TREE_TYPE(result);
  if (VOID_TYPE_P(type) || (!aggregate_value_p(result, function) && !isResultOnX87Stack(function)))
    return 0;
  const HOST_WIDE_INT bytes = int_size_in_bytes(type);
  return bytes <= 0 || bytes > kMaxResultBytes ? 0 : static_cast<unsigned>(bytes);
}

} // namespace ada::pass
