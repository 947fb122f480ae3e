# ns satellite.tcl DURATION BIT_ERROR_RATE HEADERS
# One flow over a 100 Mbit/s link of 300 ms each way; errors strike the data direction only.
source [file join [file dirname [info script]] common.tcl]
lassign $argv duration bit_error_rate

set ground [$ns node]
set remote [$ns node]
$ns duplex-link $ground $remote 100Mb 300ms DropTail
$ns queue-limit $ground $remote 5000
$ns queue-limit $remote $ground 5000

if {$bit_error_rate > 0} {
    set errors [new ErrorModel]
    $errors unit pkt
    $errors set rate_ [expr {1.0 - pow(1.0 - $bit_error_rate, 8 * 1500)}]
    $ns link-lossmodel $errors $ground $remote
}

run_for $duration [list [bulk $ground $remote 0.0]]
