# ns thirty.tcl DURATION MOVEMENT HEADERS
# Thirty nodes move as the file MOVEMENT says, on 1502 m by 302 m; three transfers over DSR, flat ground, 2 Mbit/s.
source [file join [file dirname [info script]] radio.tcl]
lassign $argv duration movement

Phy/WirelessPhy set freq_ 914e6
Mac/802_11 set dataRate_ 2Mb
radio_nodes 30 1502 302 TwoRayGround DSR
for {set i 0} {$i < 30} {incr i} { set node_($i) $node($i) }
set ns_ $ns
source $movement

set senders {}
for {set i 0} {$i < 3} {incr i} {
    lappend senders [transfer [expr {2 * $i}] [expr {2 * $i + 1}] [expr {0.5 * $i}] 20]
}
run_for $duration $senders
