# SPDX-License-Identifier: GPL-2.0-only
#
# What doxygen reads of a header, with two changes:
# - A comment "///" right behind a "///<" would count as its continuation, though it belongs to the next member; an
#   empty line keeps them apart.
# - A docstring that begins with "Returns" and has no @return documents its return value by its first paragraph, of which
#   doxygen gets a copy as "@return".

function flush_comment(    i, text, block, star) {
    block = comment[1] ~ /^ *\/\*\*/
    star = comment[1]
    sub(/\/.*/, block ? " * " : "/// ", star)
    for (i = 1; i <= lines && !documented; ++i) {
        if (i <= 2 && comment[i] ~ /^ *(\/\/\/|\/\*\*|\*) Returns /) {
            text = comment[i]
            sub(/^.* Returns /, "", text)
        } else if (text && comment[i] ~ /^ *(\/\/\/|\*) [^@ ]/) {
            text = text " " comment[i]
            sub(/ +(\/\/\/|\*) /, " ", text)
        } else if (text || i > 1) {
            break
        }
    }
    sub(/ *\*\/ *$/, "", text)
    for (i = 1; i <= lines; ++i) {
        if (text && block && i == lines && i > 1) {
            print star "@return " text
        }
        print comment[i]
    }
    if (text && !block) {
        print star "@return " text
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
