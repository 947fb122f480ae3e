# ns hundred.tcl SEED DURATION MOVEMENT TRACE
# hundred.toml in ns-2: nodes move as the file MOVEMENT says, on 870 m by 870 m (its coordinates are shifted by 10 m, for
# ns-2 takes none that are zero). Writes ns-2's wireless trace of agents, MACs and interface queues to TRACE.
lassign $argv seed duration movement trace

Phy/WirelessPhy set Pt_ 0.28183815
Phy/WirelessPhy set RXThresh_ 3.652e-10
Phy/WirelessPhy set CSThresh_ 1.559e-11
Phy/WirelessPhy set CPThresh_ 10.0
Phy/WirelessPhy set freq_ 2.4e9
Phy/WirelessPhy set L_ 1.0
Propagation/Shadowing set pathlossExp_ 2.3
Propagation/Shadowing set std_db_ 2.0
Propagation/Shadowing set dist0_ 1.0
Propagation/Shadowing set seed_ $seed
Mac/802_11 set dataRate_ 11Mb
Mac/802_11 set basicRate_ 1Mb
Mac/802_11 set RTSThreshold_ 0
Agent/TCP set packetSize_ 512
Agent/TCP set window_ 20

set ns [new Simulator]
set ns_ $ns
$defaultRNG seed $seed
$ns trace-all [open $trace w]
set ground [new Topography]
$ground load_flatgrid 870 870
create-god 100
$ns node-config -adhocRouting AODV -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue -ifqLen 50 \
    -antType Antenna/OmniAntenna -propType Propagation/Shadowing -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $ground \
    -agentTrace ON -routerTrace OFF -macTrace ON -movementTrace OFF
for {set i 0} {$i < 100} {incr i} {
    set node_($i) [$ns node]
    $node_($i) random-motion 0
}
source $movement

foreach {from to start} {0 1 1.0 2 3 2.0} {
    set tcp [new Agent/TCP/Newreno]
    set sink [new Agent/TCPSink]
    $ns attach-agent $node_($from) $tcp
    $ns attach-agent $node_($to) $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at $start "$ftp start"
}
$ns at $duration "$ns flush-trace; exit 0"
$ns run
