// manet DURATION MOVEMENT
// A hundred nodes move as the ns-2 file MOVEMENT says; eight transfers, shadowing, 11 Mbit/s.
#include "radio.h"

using namespace ns3;

int
main(int argc, char* argv[])
{
    NS_ABORT_MSG_IF(argc != 3, "usage: manet DURATION MOVEMENT");
    const double duration = std::stod(argv[1]);
    peers::UseNewReno(128);

    NodeContainer nodes(100);
    Ns2MobilityHelper(argv[2]).Install();
    // Free space up to the reference distance of 1 m at 2.4 GHz is 40.05 dB.
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::LogDistancePropagationLossModel",
                               "Exponent",
                               DoubleValue(2.0),
                               "ReferenceDistance",
                               DoubleValue(1.0),
                               "ReferenceLoss",
                               DoubleValue(40.046));
    channel.AddPropagationLoss("ns3::RandomPropagationLossModel",
                               "Variable",
                               StringValue("ns3::NormalRandomVariable[Mean=0|Variance=16]"));
    Ipv4InterfaceContainer interfaces = peers::Radios(nodes, channel, "DsssRate11Mbps");

    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t i = 0; i < 8; ++i)
    {
        sinks.push_back(peers::Bulk(nodes.Get(2 * i),
                                    nodes.Get(2 * i + 1),
                                    interfaces.GetAddress(2 * i + 1),
                                    0.5 * i,
                                    peers::kRadioSegmentBytes));
    }
    return peers::RunRadioFor(duration, sinks);
}
