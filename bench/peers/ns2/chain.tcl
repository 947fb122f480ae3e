# ns chain.tcl DURATION HOPS WINDOW HEADERS
# One transfer over HOPS hops of 200 m, flat ground, 2 Mbit/s.
source [file join [file dirname [info script]] radio.tcl]
lassign $argv duration hops window

Phy/WirelessPhy set freq_ 914e6
Mac/802_11 set dataRate_ 2Mb
radio_nodes [expr {$hops + 1}] 2000 100 TwoRayGround
for {set i 0} {$i <= $hops} {incr i} {
    $node($i) set X_ [expr {200.0 * $i}]
    $node($i) set Y_ 50.0
    $node($i) set Z_ 0.0
}
run_for $duration [list [transfer 0 $hops 0.0 $window]]
