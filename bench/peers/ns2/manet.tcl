# ns manet.tcl DURATION MOVEMENT HEADERS
# A hundred nodes move as the file MOVEMENT says, on 852 m by 852 m; eight transfers, shadowing, 11 Mbit/s.
source [file join [file dirname [info script]] radio.tcl]
lassign $argv duration movement

Phy/WirelessPhy set freq_ 2.4e9
Propagation/Shadowing set pathlossExp_ 2.0
Propagation/Shadowing set std_db_ 4.0
Propagation/Shadowing set dist0_ 1.0
Mac/802_11 set dataRate_ 11Mb
radio_nodes 100 852 852 Shadowing
for {set i 0} {$i < 100} {incr i} { set node_($i) $node($i) }
set ns_ $ns
source $movement

set senders {}
for {set i 0} {$i < 8} {incr i} {
    lappend senders [transfer [expr {2 * $i}] [expr {2 * $i + 1}] [expr {0.5 * $i}] 128]
}
run_for $duration $senders
