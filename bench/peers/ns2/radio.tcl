# What the radio works share: 802.11b with RTS/CTS, interface queues of 50 packets, NewReno with segments of
# 512 bytes. `few` keeps the headers that are in use, as in common.tcl.
set headers [lindex $argv end]
if {$headers eq "few"} {
    remove-all-packet-headers
    add-packet-header IP TCP Flags LL Mac ARP AODV SR
}
Phy/WirelessPhy set Pt_ 0.28183815
Phy/WirelessPhy set RXThresh_ 3.652e-10
Phy/WirelessPhy set CSThresh_ 1.559e-11
Phy/WirelessPhy set CPThresh_ 10.0
Phy/WirelessPhy set L_ 1.0
Mac/802_11 set basicRate_ 1Mb
Mac/802_11 set RTSThreshold_ 0
Agent/TCP set packetSize_ 512

set ns [new Simulator]
# ns-2 wants a file even when nothing is written to it.
$ns trace-all [open /dev/null w]

# `count` nodes on a plain of `width` by `height` metres.
proc radio_nodes {count width height propagation {routing AODV}} {
    global ns node
    # DSR takes packets out of a queue of its own kind only.
    set queue [expr {$routing eq "DSR" ? "CMUPriQueue" : "Queue/DropTail/PriQueue"}]
    set plain [new Topography]
    $plain load_flatgrid $width $height
    create-god $count
    $ns node-config -adhocRouting $routing -llType LL -macType Mac/802_11 -ifqType $queue -ifqLen 50 \
        -antType Antenna/OmniAntenna -propType Propagation/$propagation -phyType Phy/WirelessPhy \
        -channel [new Channel/WirelessChannel] -topoInstance $plain \
        -agentTrace OFF -routerTrace OFF -macTrace OFF -movementTrace OFF
    for {set i 0} {$i < $count} {incr i} {
        set node($i) [$ns node]
        $node($i) random-motion 0
    }
}

# A transfer that starts at `start` seconds; answers its sender.
proc transfer {from to start window} {
    global ns node
    set tcp [new Agent/TCP/Newreno]
    $tcp set window_ $window
    set sink [new Agent/TCPSink]
    $ns attach-agent $node($from) $tcp
    $ns attach-agent $node($to) $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at $start "$ftp start"
    return $tcp
}

# Runs for `duration` seconds and prints one line: the packets the senders know to be delivered.
proc run_for {duration senders} {
    global ns
    $ns at $duration "finish {$senders}"
    $ns run
}

proc finish {senders} {
    set delivered 0
    foreach tcp $senders {
        incr delivered [expr {[$tcp set ack_] > 0 ? [$tcp set ack_] : 0}]
    }
    puts "\n{\"delivered\": $delivered}"
    exit 0
}
