// What the radio works share: 802.11b with RTS/CTS, AODV without hello, interface queues of 50 packets, NewReno without SACK
// and timestamps, segments of 512 bytes: 552 on the wire, as in ns2/radio.tcl.
#pragma once
#include "common.h"
#include "ns3/aodv-module.h"
#include "ns3/mobility-module.h"
#include "ns3/propagation-module.h"
#include "ns3/wifi-module.h"

namespace peers {

constexpr uint32_t kRadioSegmentBytes = 512;

// Frames that radios have sent.
inline uint64_t framesSent = 0;

inline void
OnFrame(ns3::Ptr<const ns3::Packet>, double)
{
    ++framesSent;
}

inline void
UseNewReno(uint32_t windowPackets)
{
    using namespace ns3;
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpNewReno"));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType", StringValue("ns3::TcpClassicRecovery"));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(kRadioSegmentBytes));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(windowPackets * kRadioSegmentBytes));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(windowPackets * kRadioSegmentBytes));
}

// Radios on all nodes, which have their places already; answers their addresses. The thresholds are ns-2's: 0.28183815 W
// sent, 3.652e-10 W to make a frame out, 1.559e-11 W to notice it.
inline ns3::Ipv4InterfaceContainer
Radios(const ns3::NodeContainer& nodes, const ns3::YansWifiChannelHelper& channel, const std::string& dataMode)
{
    using namespace ns3;
    Config::SetDefault("ns3::WifiMacQueue::MaxSize", StringValue("50p"));
    YansWifiPhyHelper phy;
    phy.SetChannel(channel.Create());
    phy.Set("TxPowerStart", DoubleValue(24.5));
    phy.Set("TxPowerEnd", DoubleValue(24.5));
    phy.Set("RxSensitivity", DoubleValue(-78.072));
    phy.Set("CcaEdThreshold", DoubleValue(-78.072));
    phy.SetPreambleDetectionModel("ns3::ThresholdPreambleDetectionModel", "MinimumRssi", DoubleValue(-64.375));
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211b);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue(dataMode),
                                 "ControlMode",
                                 StringValue("DsssRate1Mbps"),
                                 "RtsCtsThreshold",
                                 UintegerValue(0));
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    NetDeviceContainer devices = wifi.Install(phy, mac, nodes);
    Config::ConnectWithoutContext("/NodeList/*/DeviceList/*/$ns3::WifiNetDevice/Phys/*/PhyTxBegin",
                                  MakeCallback(&OnFrame));

    AodvHelper aodv;
    aodv.Set("EnableHello", BooleanValue(false));
    InternetStackHelper stack;
    stack.SetRoutingHelper(aodv);
    stack.Install(nodes);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.0.0");
    return Address(devices, addresses);
}

inline int
RunRadioFor(double seconds, const std::vector<ns3::Ptr<ns3::PacketSink>>& sinks)
{
    return RunFor(seconds, sinks, kRadioSegmentBytes, &framesSent);
}

} // namespace peers
