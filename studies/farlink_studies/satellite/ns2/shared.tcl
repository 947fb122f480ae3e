# ns shared.tcl VARIANT BIT_ERROR_RATE DURATION SEED
# The link of two senders (../shared.toml) in ns-2.35: each with a link of its own to the ground station, the second
# starts 0.1 s later. Prints every 10 s, for both: packets acknowledged, packets retransmitted, timeouts, window.
lassign $argv variant bit_error_rate duration seed

remove-all-packet-headers
add-packet-header IP TCP Flags

Agent/TCP set packetSize_ 1450
Agent/TCP set timestamps_ true
Agent/TCP set window_ 8000
Agent/TCPSink set ts_echo_rfc1323_ true

set ns [new Simulator]
$defaultRNG seed $seed
foreach name {first second ground remote} { set $name [$ns node] }

# ns-2 counts the packet being sent as one of the queue.
proc join_nodes {from to rate buffer} {
    global ns
    $ns duplex-link $from $to $rate 150ms DropTail
    $ns queue-limit $from $to [expr {$buffer + 1}]
    $ns queue-limit $to $from [expr {$buffer + 1}]
}
join_nodes $first $ground 1Gb 20000
join_nodes $second $ground 1Gb 20000
join_nodes $ground $remote 100Mb 5000

if {$bit_error_rate > 0} {
    set errors [new ErrorModel]
    $errors unit pkt
    $errors set rate_ [expr {1.0 - pow(1.0 - $bit_error_rate, 8 * 1500)}]
    set uniform [new RandomVariable/Uniform]
    set stream [new RNG]
    for {set skipped 1} {$skipped < $seed} {incr skipped} { $stream next-substream }
    $uniform use-rng $stream
    $errors ranvar $uniform
    $ns link-lossmodel $errors $ground $remote
}

proc transfer {from start} {
    global ns remote variant
    set tcp [new Agent/TCP/Linux]
    set sink [new Agent/TCPSink/Sack1]
    $ns attach-agent $from $tcp
    $ns attach-agent $remote $sink
    $ns connect $tcp $sink
    $ns at $start "$tcp select_ca $variant"
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at $start "$ftp start"
    return $tcp
}
set agents [list [transfer $first 0] [transfer $second 0.1]]

proc sample {} {
    global ns agents
    puts -nonewline [$ns now]
    foreach tcp $agents {
        puts -nonewline "  [$tcp set ack_] [$tcp set nrexmitpack_] [$tcp set nrexmit_] [$tcp set cwnd_]"
    }
    puts ""
    flush stdout
    $ns at [expr {[$ns now] + 10.0}] sample
}
$ns at 10.0 sample
$ns at [expr {$duration + 0.001}] "exit 0"
$ns run
