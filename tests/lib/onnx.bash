# SPDX-License-Identifier: Apache-2.0
# onnx: a small ONNX file, byte by byte. x of 2x8 times weights of 8x4, then exp.

# A field of a message: number and text, or number and a whole number of one byte.
field() { LC_ALL=C printf "\\x$(printf %x $(($1 * 8 + 2)))\\x$(LC_ALL=C printf %x ${#2})%s" "$2"; }
whole() { printf "\\x$(printf %x $(($1 * 8)))\\x$(printf %x "$2")"; }

onnx_tiny() {
    local LC_ALL=C shape graph
    shape=$(field 1 "$(whole 1 2)")$(field 1 "$(whole 1 8)")
    graph=$(field 1 "$(field 1 x)$(field 1 w)$(field 2 d)$(field 4 MatMul)")
    graph+=$(field 1 "$(field 1 d)$(field 2 y)$(field 4 Exp)")
    graph+=$(field 5 "$(whole 1 8)$(whole 1 4)$(whole 2 1)$(field 8 w)")
    graph+=$(field 11 "$(field 1 x)$(field 2 "$(field 1 "$(whole 1 1)$(field 2 "$shape")")")")
    graph+=$(field 12 "$(field 1 y)")
    field 7 "$graph"
    field 8 "$(whole 2 17)"
}
