// chain DURATION HOPS WINDOW
// One transfer over HOPS hops of 200 m, flat ground, 2 Mbit/s.
#include "radio.h"

using namespace ns3;

int
main(int argc, char* argv[])
{
    NS_ABORT_MSG_IF(argc != 4, "usage: chain DURATION HOPS WINDOW");
    const double duration = std::stod(argv[1]);
    const uint32_t hops = std::stoul(argv[2]);
    peers::UseNewReno(std::stoul(argv[3]));

    NodeContainer nodes(hops + 1);
    MobilityHelper places;
    places.SetPositionAllocator("ns3::GridPositionAllocator",
                                "DeltaX",
                                DoubleValue(200),
                                "GridWidth",
                                UintegerValue(hops + 1));
    places.Install(nodes);
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::TwoRayGroundPropagationLossModel",
                               "Frequency",
                               DoubleValue(914e6),
                               "HeightAboveZ",
                               DoubleValue(1.5));
    Ipv4InterfaceContainer interfaces = peers::Radios(nodes, channel, "DsssRate2Mbps");

    return peers::RunRadioFor(
        duration,
        {peers::Bulk(nodes.Get(0), nodes.Get(hops), interfaces.GetAddress(hops), 0.0, peers::kRadioSegmentBytes)});
}
