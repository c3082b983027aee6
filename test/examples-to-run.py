#! /usr/bin/env python3

# The runs that show that each example works, for ns-3's test.py and for ctest of the standalone
# build: (program and arguments, whether to run it, whether to run it under valgrind).
cpp_examples = [
]

python_examples = []
