# ns chain.tcl HOPS WINDOW SEED DURATION ROUTING [TRACE [START [WINDOW_OF]]]
# One transfer over HOPS radio hops of 200 m: 802.11 with 2 Mbit/s and RTS/CTS, flat ground (250 m of reception,
# 550 m of carrier sense), ROUTING is AODV, DSR or DSDV. Prints one JSON document; TRACE is a file for ns-2's wireless trace,
# START when the transfer begins. WINDOW_OF: `class`, the agent is created with the window, or `agent`, it gets it afterwards.
lassign $argv hops window seed duration routing trace start window_of

if {$window_of ne "agent"} {
    Agent/TCP set window_ $window
}
Agent/TCP set packetSize_ 512
Phy/WirelessPhy set Pt_ 0.28183815
Phy/WirelessPhy set RXThresh_ 3.652e-10
Phy/WirelessPhy set CSThresh_ 1.559e-11
Phy/WirelessPhy set CPThresh_ 10.0
Phy/WirelessPhy set freq_ 914e6
Phy/WirelessPhy set L_ 1.0
Mac/802_11 set dataRate_ 2Mb
Mac/802_11 set basicRate_ 1Mb
Mac/802_11 set RTSThreshold_ 0

# DSR takes packets out of a queue of its own kind only.
set queue [expr {$routing eq "DSR" ? "CMUPriQueue" : "Queue/DropTail/PriQueue"}]
set ns [new Simulator]
$defaultRNG seed $seed
# ns-2 wants a file even when nothing is written to it.
$ns trace-all [open [expr {$trace eq "" ? "/dev/null" : $trace}] w]
set tracing [expr {$trace eq "" ? "OFF" : "ON"}]

set ground [new Topography]
$ground load_flatgrid 2000 100
create-god [expr {$hops + 1}]
$ns node-config -adhocRouting $routing -llType LL -macType Mac/802_11 -ifqType $queue -ifqLen 50 \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $ground \
    -agentTrace $tracing -routerTrace $tracing -macTrace $tracing -movementTrace OFF
for {set i 0} {$i <= $hops} {incr i} {
    set node($i) [$ns node]
    $node($i) random-motion 0
    $node($i) set X_ [expr {200.0 * $i}]
    $node($i) set Y_ 50.0
    $node($i) set Z_ 0.0
}

set tcp [new Agent/TCP/Newreno]
if {$window_of eq "agent"} {
    $tcp set window_ $window
}
set sink [new Agent/TCPSink]
$ns attach-agent $node(0) $tcp
$ns attach-agent $node($hops) $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at [expr {$start eq "" ? 0 : $start}] "$ftp start"

proc finish {} {
    global ns tcp
    $ns flush-trace
    puts "{\"delivered\": [$tcp set ack_], \"retransmitted\": [$tcp set nrexmitpack_], \"timeouts\": [$tcp set nrexmit_]}"
    exit 0
}
$ns at $duration finish
$ns run
