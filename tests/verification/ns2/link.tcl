# ns link.tcl VARIANT WINDOW RATE_MBIT DELAY_MS DURATION LOSSES
# One Agent/TCP/Linux flow over one link. LOSSES is a Tcl list: the numbers of the packets that die, counted from 0
# in the order in which they cross the link (0 is the SYN). Prints one JSON document.
lassign $argv variant window rate delay duration losses

# 1448 of payload, 40 of TCP/IP header and 12 of timestamp option, of which ns-2 counts 10 unless configured: 1500 bytes on
# the link.
Agent/TCP set packetSize_ 1448
Agent/TCP set ts_option_size_ 12
Agent/TCP set timestamps_ true
Agent/TCP set window_ $window
Agent/TCPSink set ts_echo_rfc1323_ true

set ns [new Simulator]
set from [$ns node]
set to [$ns node]
# So fast a way back that it does not matter that ns-2's ACKs have 40 bytes, with SACK blocks or without.
$ns simplex-link $from $to ${rate}Mb ${delay}ms DropTail
$ns simplex-link $to $from 100000Mb ${delay}ms DropTail
$ns queue-limit $from $to 100000
$ns queue-limit $to $from 100000

set killer [new ErrorModel/List]
$killer droplist $losses
$ns link-lossmodel $killer $from $to

set tcp [new Agent/TCP/Linux]
set sink [new Agent/TCPSink/Sack1]
$ns attach-agent $from $tcp
$ns attach-agent $to $sink
$ns connect $tcp $sink
$ns at 0 "$tcp select_ca $variant"
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0 "$ftp start"

# [time, cwnd_, ssthresh_, packets acknowledged] every second; cwnd_ holds the sending allowance while it is above the window (rate halving).
set series {}
proc sample {} {
    global ns tcp series
    lappend series "\[[format %.0f [$ns now]], [expr {int([$tcp set cwnd_])}], [expr {int([$tcp set ssthresh_])}], [$tcp set ack_]\]"
    $ns at [expr {[$ns now] + 1.0}] sample
}
$ns at 1.0 sample

proc finish {} {
    global tcp series
    puts "{\"delivered\": [$tcp set ack_], \"sent\": [$tcp set ndatapack_], \"retransmitted\": [$tcp set nrexmitpack_], \"timeouts\": [$tcp set nrexmit_], \"window_cuts\": [$tcp set ncwndcuts_], \"series\": \[[join $series {, }]\]}"
    exit 0
}
$ns at $duration finish
$ns run
