# ns dumbbell.tcl AGENT WINDOW DURATION START0 START1 ACCESS0 ACCESS1
# Two flows share 10 Mbit/s, 20 ms each way and 50 packets of drop-tail queue; the senders' access links have
# 100 Mbit/s and ACCESS0, ACCESS1 ms each way, the receivers' 100 Mbit/s and 1 ms.
# AGENT is the name of a TCP-Linux module, or `sack1` or `newreno` for the classic agents. Prints one JSON document.
lassign $argv agent window duration start(0) start(1) access(0) access(1)

Agent/TCP set window_ $window
Agent/TCPSink set ts_echo_rfc1323_ true
set classic [expr {$agent in {sack1 newreno}}]
# 1500 bytes on the wire: TCP-Linux wants timestamps (10 bytes in ns-2), the classic agents run without by default.
Agent/TCP set packetSize_ [expr {$classic ? 1460 : 1450}]
Agent/TCP set timestamps_ [expr {!$classic}]
# ns-2 sends ACKs of 40 bytes; with the timestamp option they have 52.
Agent/TCPSink set packetSize_ [expr {$classic ? 40 : 52}]

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns duplex-link $left $right 10Mb 20ms DropTail
$ns queue-limit $left $right 50
$ns queue-limit $right $left 50
set bottleneck [$ns monitor-queue $left $right ""]

for {set i 0} {$i < 2} {incr i} {
    set sender [$ns node]
    set receiver [$ns node]
    $ns duplex-link $sender $left 100Mb $access($i)ms DropTail
    $ns duplex-link $right $receiver 100Mb 1ms DropTail
    $ns queue-limit $sender $left 10000
    $ns queue-limit $right $receiver 10000
    switch $agent {
        sack1 { set tcp($i) [new Agent/TCP/Sack1]; set sink [new Agent/TCPSink/Sack1] }
        newreno { set tcp($i) [new Agent/TCP/Newreno]; set sink [new Agent/TCPSink] }
        default { set tcp($i) [new Agent/TCP/Linux]; set sink [new Agent/TCPSink/Sack1] }
    }
    $ns attach-agent $sender $tcp($i)
    $ns attach-agent $receiver $sink
    $ns connect $tcp($i) $sink
    if {!$classic} { $ns at 0 "$tcp($i) select_ca $agent" }
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($i)
    $ns at $start($i) "$ftp start"
}

proc finish {} {
    global bottleneck tcp
    puts "{\"drops\": [$bottleneck set pdrops_], \"delivered\": \[[$tcp(0) set ack_], [$tcp(1) set ack_]\]}"
    exit 0
}
$ns at $duration finish
$ns run
