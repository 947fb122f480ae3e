# ns five.tcl DURATION SEED MOVEMENT
# The chain of five nodes in ns-2.35 that move as the file MOVEMENT says (its coordinates are shifted by 10 m, for ns-2
# takes none that are zero); Agent/TCP/Reno from the first to the last over ns-2's own DSR. Writes a line every 50 ms:
# time, next sequence number, window, threshold.
lassign $argv duration seed movement

remove-all-packet-headers
add-packet-header IP TCP Flags LL Mac ARP SR
Phy/WirelessPhy set Pt_ 0.28183815
Phy/WirelessPhy set RXThresh_ 3.652e-10
Phy/WirelessPhy set CSThresh_ 1.559e-11
Phy/WirelessPhy set CPThresh_ 10.0
Phy/WirelessPhy set freq_ 9.14e8
Phy/WirelessPhy set L_ 1.0
Mac/802_11 set dataRate_ 2Mb
Mac/802_11 set basicRate_ 1Mb
Mac/802_11 set RTSThreshold_ 2347
Agent/TCP set packetSize_ 600
Agent/TCP set window_ 20

set ns [new Simulator]
set ns_ $ns
$defaultRNG seed $seed
$ns trace-all [open /dev/null w]
set ground [new Topography]
$ground load_flatgrid 600 600
create-god 5
$ns node-config -adhocRouting DSR -llType LL -macType Mac/802_11 -ifqType CMUPriQueue -ifqLen 50 \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $ground \
    -agentTrace OFF -routerTrace OFF -macTrace OFF -movementTrace OFF
for {set i 0} {$i < 5} {incr i} {
    set node_($i) [$ns node]
    $node_($i) random-motion 0
}
source $movement

set tcp [new Agent/TCP/Reno]
set sink [new Agent/TCPSink]
$ns attach-agent $node_(0) $tcp
$ns attach-agent $node_(4) $sink
$ns connect $tcp $sink
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 10.0 "$ftp start"
proc sample {} {
    global ns tcp
    puts "[$ns now] [$tcp set t_seqno_] [$tcp set cwnd_] [$tcp set ssthresh_] [$tcp set maxseq_]"
    $ns at [expr {[$ns now] + 0.05}] sample
}
$ns at 10.0 sample
$ns at $duration "exit 0"
$ns run
