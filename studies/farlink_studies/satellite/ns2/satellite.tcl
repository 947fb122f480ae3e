# ns satellite.tcl VARIANT BIT_ERROR_RATE DURATION WINDOW BUFFER DELAY_MS SEED BYTES
# The study's link in ns-2.35: one Agent/TCP/Linux flow over 100 Mbit/s; errors strike the data only, a packet of 1500
# bytes at a time. BYTES 0 is a transfer without end. Prints one JSON document: packets acknowledged after 100 s, 200 s
# and so on.
lassign $argv variant bit_error_rate duration window buffer delay seed bytes

remove-all-packet-headers
add-packet-header IP TCP Flags

# 1450 of payload, 40 of TCP/IP header and ns-2's 10 of timestamp option: 1500 bytes on the wire.
Agent/TCP set packetSize_ 1450
Agent/TCP set timestamps_ true
Agent/TCP set window_ $window
Agent/TCPSink set ts_echo_rfc1323_ true

set ns [new Simulator]
$defaultRNG seed $seed
set from [$ns node]
set to [$ns node]
$ns duplex-link $from $to 100Mb ${delay}ms DropTail
$ns queue-limit $from $to $buffer
$ns queue-limit $to $from $buffer

if {$bit_error_rate > 0} {
    set errors [new ErrorModel]
    $errors unit pkt
    $errors set rate_ [expr {1.0 - pow(1.0 - $bit_error_rate, 8 * 1500)}]
    set uniform [new RandomVariable/Uniform]
    set stream [new RNG]
    for {set skipped 1} {$skipped < $seed} {incr skipped} { $stream next-substream }
    $uniform use-rng $stream
    $errors ranvar $uniform
    $ns link-lossmodel $errors $from $to
}

set tcp [new Agent/TCP/Linux]
set sink [new Agent/TCPSink/Sack1]
$ns attach-agent $from $tcp
$ns attach-agent $to $sink
$ns connect $tcp $sink
$ns at 0 "$tcp select_ca $variant"
set ftp [new Application/FTP]
$ftp attach-agent $tcp
$ns at 0 [expr {$bytes > 0 ? "$ftp send $bytes" : "$ftp start"}]

set acknowledged {}
proc sample {} {
    global ns tcp acknowledged
    lappend acknowledged [$tcp set ack_]
    $ns at [expr {[$ns now] + 100.0}] sample
}
$ns at 100.0 sample

# A file is over when the sender knows that all of it arrived; asked every 10 ms.
set completed null
proc watch {last} {
    global ns tcp completed
    if {[$tcp set ack_] >= $last} {
        set completed [$ns now]
        finish
    }
    $ns at [expr {[$ns now] + 0.01}] "watch $last"
}
if {$bytes > 0} {
    # Packets are counted from 1; number 0 is the SYN.
    $ns at 0.01 "watch [expr {int(ceil($bytes / 1450.0))}]"
}

proc finish {} {
    global tcp acknowledged completed
    puts "{\"delivered\": [$tcp set ack_], \"retransmitted\": [$tcp set nrexmitpack_], \"timeouts\": [$tcp set nrexmit_], \"window_cuts\": [$tcp set ncwndcuts_], \"completion_s\": $completed, \"acknowledged\": \[[join $acknowledged {, }]\]}"
    exit 0
}
$ns at [expr {$duration + 0.001}] finish
$ns run
