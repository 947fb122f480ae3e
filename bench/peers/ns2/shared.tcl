# ns shared.tcl DURATION FLOWS RATE ACCESS_RATE LIMIT HEADERS (rates in Mbit/s)
# FLOWS senders, each with its own access link, share one bottleneck of RATE and 20 ms each way with a
# drop-tail queue of LIMIT packets. Access links: 1 ms each way. The round trip without queueing is 44 ms.
# The i-th flow starts at i * 0.1 s.
source [file join [file dirname [info script]] common.tcl]
lassign $argv duration flows rate access_rate limit

set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right ${rate}Mb 20ms DropTail
$ns queue-limit $left $right $limit
$ns queue-limit $right $left $limit

set agents {}
for {set i 0} {$i < $flows} {incr i} {
    set sender [$ns node]
    set receiver [$ns node]
    $ns duplex-link $sender $left ${access_rate}Mb 1ms DropTail
    $ns duplex-link $right $receiver ${access_rate}Mb 1ms DropTail
    $ns queue-limit $sender $left 10000
    $ns queue-limit $right $receiver 10000
    lappend agents [bulk $sender $receiver [expr {$i * 0.1}]]
}
run_for $duration $agents
