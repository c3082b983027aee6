#! /usr/bin/env python3

# The runs that show that each example works, for ns-3's test.py and for ctest of the standalone
# build: (program and arguments, whether to run it, whether to run it under valgrind).
cpp_examples = [
    ("hpcc-incast --cc=hpcc++,dcqcn --bytes=50000 --out=hpcc-incast", "True", "True"),
    ("hpcc-bench --benchmark=many-qps --duration=10us --repetitions=1", "True", "False"),
]

python_examples = []
