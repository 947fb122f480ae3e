# ns overhead.tcl SEED DURATION MOVEMENT TRACE ROUTING
# bench/peers/thirty.toml in ns-2 with AODV, DSDV or DSR: thirty nodes move as the file MOVEMENT says, on 1502 m by 302 m, with
# three transfers. Writes ns-2's wireless trace of agents, routing and MACs to TRACE.
lassign $argv seed duration movement trace routing

source [file join [file dirname [info script]] .. .. .. bench peers ns2 radio.tcl]
Phy/WirelessPhy set freq_ 914e6
Mac/802_11 set dataRate_ 2Mb
Agent/TCP set window_ 20

set ns_ $ns
$defaultRNG seed $seed
$ns trace-all [open $trace w]
set ground [new Topography]
$ground load_flatgrid 1502 302
create-god 30
set queue [expr {$routing eq "DSR" ? "CMUPriQueue" : "Queue/DropTail/PriQueue"}]
$ns node-config -adhocRouting $routing -llType LL -macType Mac/802_11 -ifqType $queue -ifqLen 50 \
    -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $ground \
    -agentTrace ON -routerTrace ON -macTrace ON -movementTrace OFF
for {set i 0} {$i < 30} {incr i} {
    set node_($i) [$ns node]
    $node_($i) random-motion 0
}
source $movement

foreach {from to start} {0 1 0.0 2 3 0.5 4 5 1.0} {
    set node($from) $node_($from)
    set node($to) $node_($to)
    transfer $from $to $start 20
}
$ns at $duration "$ns flush-trace; exit 0"
$ns run
