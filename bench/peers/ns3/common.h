// What every work over links shares: Reno congestion control with SACK recovery, one ACK per segment, 1500 bytes on the wire
// (1448 of payload; ns-3 always sends timestamps: 12 + 40 of headers), an initial window and a send buffer as given.
#pragma once
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

namespace peers {

constexpr uint32_t kSegmentBytes = 1448;

inline void
UseRenoWithSack(uint32_t windowPackets)
{
    using namespace ns3;
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpLinuxReno"));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", StringValue("ns3::TcpClassicRecovery"));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(kSegmentBytes));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(windowPackets * kSegmentBytes));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(windowPackets * kSegmentBytes));
}

// A point-to-point link. ns-3 adds 2 bytes of PPP framing to a packet; the rate is raised by 1502/1500, so that a
// 1500-byte packet takes the time it takes in the other simulators.
inline ns3::PointToPointHelper
Link(double megabitPerSecond, const std::string& delay, uint32_t queuePackets)
{
    using namespace ns3;
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(megabitPerSecond * 1e6 * 1502 / 1500)));
    link.SetChannelAttribute("Delay", StringValue(delay));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(std::to_string(queuePackets) + "p"));
    return link;
}

// Addresses for one link; the device queue alone holds packets (no traffic-control layer in front of it).
inline ns3::Ipv4InterfaceContainer
Address(const ns3::NetDeviceContainer& devices, ns3::Ipv4AddressHelper& addresses)
{
    using namespace ns3;
    Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
    TrafficControlHelper().Uninstall(devices);
    addresses.NewNetwork();
    return interfaces;
}

inline ns3::Ptr<ns3::PacketSink>
Bulk(ns3::Ptr<ns3::Node> from,
     ns3::Ptr<ns3::Node> to,
     ns3::Ipv4Address destination,
     double startSeconds,
     uint32_t segmentBytes = kSegmentBytes)
{
    using namespace ns3;
    const uint16_t port = 5001;
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
    ApplicationContainer receiver = sink.Install(to);
    receiver.Start(Seconds(0));
    BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(destination, port));
    bulk.SetAttribute("SendSize", UintegerValue(segmentBytes));
    bulk.Install(from).Start(Seconds(startSeconds));
    return DynamicCast<PacketSink>(receiver.Get(0));
}

inline int
RunFor(double seconds,
       const std::vector<ns3::Ptr<ns3::PacketSink>>& sinks,
       uint32_t segmentBytes = kSegmentBytes,
       const uint64_t* frames = nullptr)
{
    using namespace ns3;
    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    uint64_t bytes = 0;
    for (const auto& sink : sinks)
    {
        bytes += sink->GetTotalRx();
    }
    std::cout << "{\"delivered\": " << bytes / segmentBytes << ", \"events\": " << Simulator::GetEventCount();
    if (frames)
    {
        std::cout << ", \"frames\": " << *frames;
    }
    std::cout << "}" << std::endl;
    Simulator::Destroy();
    return 0;
}

} // namespace peers
