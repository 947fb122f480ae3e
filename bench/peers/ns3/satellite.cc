// satellite DURATION BIT_ERROR_RATE
// One flow over a 100 Mbit/s link of 300 ms each way; errors strike the data direction only.
#include "common.h"

#include <cmath>

using namespace ns3;

int
main(int argc, char* argv[])
{
    NS_ABORT_MSG_IF(argc != 3, "usage: satellite DURATION BIT_ERROR_RATE");
    const double duration = std::stod(argv[1]);
    const double bitErrorRate = std::stod(argv[2]);
    peers::UseRenoWithSack(10000);

    NodeContainer nodes(2);
    NetDeviceContainer devices = peers::Link(100, "300ms", 5000).Install(nodes);
    if (bitErrorRate > 0)
    {
        Ptr<RateErrorModel> errors = CreateObject<RateErrorModel>();
        errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        errors->SetRate(1.0 - std::pow(1.0 - bitErrorRate, 8 * 1500));
        devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
    }
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    Ipv4InterfaceContainer interfaces = peers::Address(devices, addresses);

    return peers::RunFor(duration, {peers::Bulk(nodes.Get(0), nodes.Get(1), interfaces.GetAddress(1), 0.0)});
}
