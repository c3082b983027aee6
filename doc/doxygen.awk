# SPDX-License-Identifier: GPL-2.0-only
#
# What doxygen reads of a header: a comment "///" right behind a "///<" would count as its continuation,
# though it belongs to the next member; an empty line keeps them apart.
/^ *\/\/\/ / && previous ~ /\/\/\/</ { print "" }
{ print; previous = $0 }
