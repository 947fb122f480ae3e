# What every work shares: Reno congestion control with SACK recovery, one ACK per segment,
# 1500 bytes on the wire (1460 of payload and 40 of header), an initial window of 10 packets.
Agent/TCP set packetSize_ 1460
Agent/TCP set windowInit_ 10
Agent/TCP set window_ 10000

# A plain ns-2 script carries the headers of every protocol in every packet; `few` keeps only those in use,
# which is faster. Both are measured. HEADERS is the last argument of every script.
if {[lindex $argv end] eq "few"} {
    remove-all-packet-headers
    add-packet-header IP TCP Flags
}

set ns [new Simulator]

# A bulk flow from `from` to `to` that starts at `start` seconds; answers its sender.
proc bulk {from to start} {
    global ns
    set tcp [new Agent/TCP/Sack1]
    set sink [new Agent/TCPSink/Sack1]
    $ns attach-agent $from $tcp
    $ns attach-agent $to $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at $start "$ftp start"
    return $tcp
}

# Runs for `duration` seconds and prints one line: the packets the senders know to be delivered. ns-2 keeps its
# count of events to itself.
proc run_for {duration senders} {
    global ns
    $ns at $duration "finish {$senders}"
    $ns run
}

proc finish {senders} {
    set delivered 0
    set retransmitted 0
    foreach tcp $senders {
        incr delivered [expr {[$tcp set ack_] > 0 ? [$tcp set ack_] : 0}]
        incr retransmitted [$tcp set nrexmitpack_]
    }
    puts "{\"delivered\": $delivered, \"retransmitted\": $retransmitted}"
    exit 0
}
