// shared DURATION FLOWS RATE ACCESS_RATE LIMIT (rates in Mbit/s)
// FLOWS senders, each with its own access link, share one bottleneck of RATE and 20 ms each way with a
// drop-tail queue of LIMIT packets. Access links: 1 ms each way. The round trip without queueing is 44 ms.
// The i-th flow starts at i * 0.1 s.
#include "common.h"

using namespace ns3;

int
main(int argc, char* argv[])
{
    NS_ABORT_MSG_IF(argc != 6, "usage: shared DURATION FLOWS RATE ACCESS_RATE LIMIT");
    const double duration = std::stod(argv[1]);
    const uint32_t flows = std::stoul(argv[2]);
    const double rate = std::stod(argv[3]);
    const double accessRate = std::stod(argv[4]);
    const uint32_t limit = std::stoul(argv[5]);
    peers::UseRenoWithSack(10000);

    NodeContainer routers(2);
    NodeContainer senders(flows);
    NodeContainer receivers(flows);
    InternetStackHelper stack;
    stack.Install(routers);
    stack.Install(senders);
    stack.Install(receivers);

    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    peers::Address(peers::Link(rate, "20ms", limit).Install(routers), addresses);
    PointToPointHelper access = peers::Link(accessRate, "1ms", 10000);
    std::vector<Ipv4Address> destinations;
    for (uint32_t i = 0; i < flows; ++i)
    {
        peers::Address(access.Install(senders.Get(i), routers.Get(0)), addresses);
        destinations.push_back(
            peers::Address(access.Install(routers.Get(1), receivers.Get(i)), addresses).GetAddress(1));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t i = 0; i < flows; ++i)
    {
        sinks.push_back(peers::Bulk(senders.Get(i), receivers.Get(i), destinations[i], i * 0.1));
    }
    return peers::RunFor(duration, sinks);
}
