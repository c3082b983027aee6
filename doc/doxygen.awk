# SPDX-License-Identifier: GPL-2.0-only
#
# What doxygen reads of a header, with two changes:
# - A comment "///" right behind a "///<" would count as its continuation, though it belongs to the next member; an
#   empty line keeps them apart.
# - A docstring that begins with "Returns" and has no @return documents its return value by this sentence, which doxygen
#   gets as "@return".

function flush_comment(    i) {
    for (i = 1; i <= lines; ++i) {
        if (!documented && i <= 2 && comment[i] ~ /^ *(\/\/\/|\/\*\*|\*) Returns /) {
            sub(/ Returns /, " @return ", comment[i])
            documented = 1
        }
        print comment[i]
    }
    lines = documented = 0
}

{
    begins = /^ *(\/\/\/ |\/\*\*)/ && !inside
    if (lines > 0 && !inside && !/^ *\/\/\/ /) {
        flush_comment()
    }
}
/^ *\/\/\/ / && previous ~ /\/\/\/</ { print "" }
begins || inside || lines > 0 {
    comment[++lines] = $0
    documented = documented || /@return/
    inside = (inside || /^ *\/\*\*/) && !/\*\//
    previous = $0
    next
}
{ print; previous = $0 }
END { flush_comment() }
