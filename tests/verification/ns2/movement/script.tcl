# Interrupted, stopped, sent twice at once, given before the run, with tabs: what ns-2 allows beyond its tools.
$node_(0) set X_ 10
$node_(0) set Y_ 20
$node_(0) set Z_ 0
$node_(1)	set	X_	5e1
$node_(1)	set	Y_	60.25
$node_(1)	set	Z_	0
$node_(1) setdest 250 60.25 3
$ns_ at 2.5 "$node_(0) setdest 290 190 7.5"
$ns_ at 12.125 "$node_(0) setdest 30 150 4"
$ns_ at 20 "$node_(0) setdest 30 150 0"
$ns_ at 33.3 "$node_(0) setdest 1 1 1"
$ns_ at 33.3 "$node_(0) setdest 200 1 11"
$ns_ at 7 "$god_ set-dist 0 1 1"
$ns_  at  40.5  "$node_(1)  setdest  50  60.25  12.5"
$ns_ at 45 "$node_(1) setdest 100 199 40"
$ns_ at 50 "$node_(1) setdest 100 199 1";# there already
