#! /usr/bin/env python3

# The runs that show that each example works, for ns-3's test.py and for ctest of the standalone
# build: (program and arguments, whether to run it, whether to run it under valgrind).
cpp_examples = [
    ("hpcc-attack --bytes=200000 --out=hpcc-attack", "True", "True"),
    ("hpcc-incast --cc=hpcc++,dcqcn --bytes=50000 --settle=20us --out=hpcc-incast", "True", "True"),
    ("hpcc-incast --cc=hpcc++ --feedback=probe,notification,roce-reference,packet:worst-hop --bytes=50000 --out=hpcc-incast-feedback", "True", "True"),
    ("hpcc-incast --cc=hpcc++ --telemetry=ifa,sigcomm19,csig --borders=17-16 --bytes=50000 --out=hpcc-incast-borders", "True", "True"),
    ("hpcc-incast --cc=rcp,xcp,hpcc-pint --bytes=50000 --out=hpcc-incast-switch-laws", "True", "True"),
    ("hpcc-incast --cc=hpcc++ --bytes=50000 --verb=read --recovery=irn --flow-control=lossy --out=hpcc-incast-read", "True", "True"),
    ("hpcc-long-short --cc=hpcc++ --long-bytes=2000000 --join=200us --out=hpcc-long-short", "True", "True"),
    ("hpcc-fairness --cc=hpcc++,dcqcn --bytes=500000 --gap=50us --out=hpcc-fairness", "True", "True"),
    ("hpcc-fairness --cc=hpcc++ --split=90:10 --feedback=packet:n,receiver,receiver:n --bytes=1000000 --out=hpcc-fairness-split", "True", "True"),
    ("hpcc-incast --cc=hpcc++ --bytes=50000 --feedback=receiver,receiver:literal,receiver:rate --out=hpcc-incast-receiver", "True", "True"),
    ("hpcc-failure --cc=hpcc++ --bytes=2000000 --paths=spray --recovery=irn --out=hpcc-failure", "True", "True"),
    ("hpcc-elephant-mice --cc=hpcc++,dcqcn --mice=10 --first=200us --out=hpcc-elephant-mice", "True", "True"),
    ("hpcc-fat-tree --cc=hpcc++,hpcc --duration=50us --out=hpcc-fat-tree", "True", "True"),
    ("hpcc-pairs --cc=hpcc++ --feedback=probe --fault=loss --out=hpcc-pairs", "True", "True"),
    ("hpcc-migration --paths=migrate --recovery=irn --bytes=1000000 --out=hpcc-migration", "True", "True"),
    ("hpcc-parking-lot --bytes=200000 --out=hpcc-parking-lot", "True", "True"),
    ("hpcc-parameters --etas=0.9 --max-stages=0 --flows=2,4 --duration=200us --out=hpcc-parameters", "True", "True"),
    ("hpcc-reclaim --cc=hpcc++,dctcp --hold=300us --horizon=300us --out=hpcc-reclaim", "True", "True"),
    ("hpcc-own-policy --cc=aimd,hpcc++ --bytes=100000 --out=hpcc-own-policy", "True", "True"),
    ("hpcc-tcp --senders=3 --bytes=300000 --out=hpcc-tcp", "True", "True"),
    ("hpcc-tcp --cc=tcp-hpcc++,tcp-bbr --senders=3 --bytes=300000 --mtu=1448 --ns3::QbbNetDevice::Tso=true --ns3::QbbNetDevice::Gro=true --out=hpcc-tcp-offload", "True", "True"),
    ("hpcc-tcp --cc=tcp-hpcc++ --scenario=fairness --senders=2 --bytes=300000 --gap=20us --ipv6 --out=hpcc-tcp-ipv6", "True", "True"),
    ("hpcc-tcp --cc=tcp-hpcc++ --telemetry=csig --feedback=probe,in-band --scenario=fairness --rdma=2 --bytes=300000 --gap=20us --out=hpcc-tcp-rdma", "True", "True"),
    ("hpcc-tcp --cc=tcp-hpcc++,udp-hpcc++ --telemetry=ifa,csig --senders=3 --bytes=300000 --out=hpcc-tcp-formats", "True", "True"),
    ("hpcc-tcp --cc=udp-hpcc++ --scenario=long-short --bytes=300000 --gap=20us --out=hpcc-tcp-udp", "True", "True"),
    ("hpcc-tcp --cc=iwarp-hpcc++ --feedback=probe,compact --senders=3 --bytes=300000 --out=hpcc-tcp-iwarp", "True", "True"),
    ("hpcc-tcp --cc=tcp-hpcc++ --feedback=compact,compact:every-8,compact:per-rtt,compact:receiver --senders=3 --bytes=300000 --out=hpcc-tcp-compact", "True", "True"),
    ("hpcc-workload --cc=hpcc --duration=50us --incast=4 --incast-bytes=20000 --out=hpcc-workload", "True", "True"),
    ("hpcc-victims --cc=hpcc++,pcn --bursts=2 --from=20us --end=200us --out=hpcc-victims", "True", "True"),
    ("hpcc-wan --cc=hpcc++ --rate=1Gbps --bytes=2000000 --gap=100ms --loss=0.001 --out=hpcc-wan", "True", "True"),
    # its runs need a config file by path: the suite hpcc-run has them
    ("hpcc-run --help", "True", "True"),
    ("hpcc-classes --join=300us --end=600us --warm-up=100us --out=hpcc-classes", "True", "True"),
    ("hpcc-classes --other=dctcp --weights= --other-flows=1 --other-rate=40Gbps --modes=residual --join=300us --end=600us --warm-up=100us --out=hpcc-classes-strict", "True", "True"),
    ("hpcc-soak --runs=100 --fresh --out=hpcc-soak", "True", "False"),
    ("hpcc-soak --runs=3 --first=1000 --fresh --out=hpcc-soak-few", "True", "True"),
    ("hpcc-bench --benchmark=many-qps --duration=10us --repetitions=1", "True", "False"),
    ("hpcc-bench-ranks --k=4 --duration=10us", "True", "False"),
    ("hpcc-bench-parts --duration=100us --repetitions=1", "True", "False"),
]

python_examples = []
