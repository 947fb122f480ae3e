# ns manet.tcl VARIANT NODES CONNECTIONS ERRORS EXPONENT DURATION SEED MOVEMENT TRACE
# The study's network in ns-2.35: nodes move as the file MOVEMENT says, on 870 m by 870 m (its coordinates are shifted
# by 10 m, for ns-2 takes none that are zero); Agent/TCP/Linux over AODV; ERRORS is the probability that a frame is lost
# at a listener. Writes ns-2's wireless trace of agents, routing and interface queues.
lassign $argv variant nodes connections errors exponent duration seed movement trace

remove-all-packet-headers
add-packet-header IP TCP Flags LL Mac ARP AODV
Phy/WirelessPhy set Pt_ 0.28183815
Phy/WirelessPhy set RXThresh_ 3.652e-10
Phy/WirelessPhy set CSThresh_ 1.559e-11
Phy/WirelessPhy set CPThresh_ 10.0
Phy/WirelessPhy set freq_ 2.4e9
Phy/WirelessPhy set L_ 1.0
Propagation/Shadowing set pathlossExp_ $exponent
Propagation/Shadowing set std_db_ 4.0
Propagation/Shadowing set dist0_ 1.0
Propagation/Shadowing set seed_ $seed
Mac/802_11 set dataRate_ 11Mb
Mac/802_11 set basicRate_ 1Mb
Mac/802_11 set RTSThreshold_ 0
Agent/TCP set packetSize_ 514
Agent/TCP set timestamps_ true
Agent/TCP set window_ 128
Agent/TCPSink set ts_echo_rfc1323_ true

set ns [new Simulator]
set ns_ $ns
$defaultRNG seed $seed
$ns trace-all [open $trace w]
set ground [new Topography]
$ground load_flatgrid 870 870
create-god $nodes

proc errors_at_listener {} {
    global errors
    set model [new ErrorModel]
    $model unit packet
    $model set rate_ $errors
    $model ranvar [new RandomVariable/Uniform]
    return $model
}
$ns node-config -adhocRouting AODV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 50 \
    -antType Antenna/OmniAntenna -propType Propagation/Shadowing -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $ground \
    -agentTrace ON -routerTrace ON -macTrace OFF -movementTrace OFF
if {$errors > 0} { $ns node-config -IncomingErrProc errors_at_listener }
for {set i 0} {$i < $nodes} {incr i} {
    set node_($i) [$ns node]
    $node_($i) random-motion 0
}
source $movement

set starts [new RandomVariable/Uniform]
$starts set min_ 0.0
$starts set max_ 5.0
for {set i 0} {$i < $connections} {incr i} {
    set tcp [new Agent/TCP/Linux]
    set sink [new Agent/TCPSink/Sack1]
    $ns attach-agent $node_([expr {2 * $i}]) $tcp
    $ns attach-agent $node_([expr {2 * $i + 1}]) $sink
    $ns connect $tcp $sink
    $tcp set fid_ $i
    $ns at 0 "$tcp select_ca $variant"
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at [$starts value] "$ftp start"
}
$ns at $duration "$ns flush-trace; exit 0"
$ns run
