# Where ns-2's nodes are: ns movement.tcl FILE NODES WIDTH HEIGHT SAMPLES
#
# FILE is a movement file, SAMPLES one of lines "time node". Prints one JSON object: positions as [x, y].
# A node learns where it is when it is asked; `log-movement` makes it ask itself, without a log to write to.

lassign $argv file count width height samples

set ns_ [new Simulator]
$ns_ trace-all [open /dev/null w]
set topo [new Topography]
$topo load_flatgrid $width $height
set god_ [create-god $count]
$ns_ node-config -adhocRouting DumbAgent -llType LL -macType Mac/802_11 -ifqType Queue/DropTail/PriQueue \
    -ifqLen 50 -antType Antenna/OmniAntenna -propType Propagation/TwoRayGround -phyType Phy/WirelessPhy \
    -channel [new Channel/WirelessChannel] -topoInstance $topo -agentTrace OFF -routerTrace OFF -macTrace OFF
for {set i 0} {$i < $count} {incr i} {
    set node_($i) [$ns_ node]
    $node_($i) random-motion 0
}
source $file

set positions {}
proc sample {node} {
    global positions
    $node log-movement
    lappend positions [format {[%.9f, %.9f]} [$node set X_] [$node set Y_]]
}
set in [open $samples]
set last 0
while {[gets $in line] >= 0} {
    lassign $line time i
    $ns_ at $time "sample $node_($i)"
    set last $time
}
$ns_ at [expr {$last + 0.001}] {
    puts "{\"positions\": \[[join $positions {, }]\]}"
    exit 0
}
$ns_ run
