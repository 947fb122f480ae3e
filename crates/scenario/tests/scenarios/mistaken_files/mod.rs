//! The files that scenarios with mistakes name: bad ones, and good ones.

use farlink_scenario::Files;

pub struct TestFiles;

impl Files for TestFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let text = match path {
            "bad.csv" => "time_s,rate_bps\n0,1000000\n1,fast\n",
            "backwards.csv" => "0,1000000\n2,500000\n1,1000000\n",
            "header.csv" => "seconds,mbps\n0,10\n",
            "commas.csv" => return Ok(",".repeat(1000).into()),
            "rate.csv.gz" => return Ok(b"\x1f\x8b\x08\0\0".to_vec()),
            "nodes.csv" => "id,lat,lon\na,0,0\n",
            "header_of_links.csv" => "source,target\na,b\n",
            "both.movements" => "0 1 2 3 5 1 13 13 9 20 2 13\n",
            "degrees.xml" => {
                "<fcd-export>\n<timestep time=\"0\"><vehicle id=\"a\" x=\"13.4\" y=\"52.5\" speed=\"14\"/></timestep>\n\
                 <timestep time=\"1\"><vehicle id=\"a\" x=\"13.4002\" y=\"52.5\" speed=\"14\"/></timestep></fcd-export>\n"
            }
            "zero.csv" => "0,0\n5,0\n",
            "empty.csv" => "time_s,rate_bps\n",
            "bad.trace" => "1\n2\nthree\n",
            "zero.trace" => "0\n0\n",
            "empty.trace" => "\n",
            "huge.csv" => "0,1e30\n",
            "bad.tcl" => "$node_(0) set X_ 10.0\n$ns_ at 2.0 \"$node_(0) setdest 5.0 9.0\"\n",
            "one.tcl" => "$node_(0) set X_ 10.0\n$node_(0) set Y_ 0.0\n",
            "unplaced.tcl" => {
                "$node_(0) set X_ 10.0\n$ns_ at 0.0 \"$node_(1) setdest 5.0 9.0 1.0\"\n\
                 $ns_ at 2.0 \"$node_(2) set X_ 5.0\"\n"
            }
            "one.movements" => "0.0 8 9 10.0 38 49\n",
            "one.xml" => {
                "<fcd-export><timestep time=\"0\"><vehicle id=\"a\" x=\"1\" y=\"2\"/></timestep></fcd-export>\n"
            }
            "far.tcl" => "$node_(0) set X_ 10.0\n$node_(0) set Y_ -1e300\n",
            "fast.tcl" => "$ns_ at 2.0 \"$node_(0) setdest 5.0 9.0 1e300\"\n",
            "far.graphml" => {
                "<graphml><key id=\"d\" attr.name=\"y\"/><graph><node id=\"a\">\
                 <data key=\"d\">1e300</data></node></graph></graphml>\n"
            }
            "far.csv" => "name,x_m,y_m\na,0,0\nb,1e300,0\n",
            "many.tcl" => "$node_(0) set X_ 10.0\n$node_(3) set X_ 10.0\n",
            "net.graphml" => "<graphml><graph><node id=\"a\"/><edge source=\"a\"/></graph></graphml>\n",
            "places.graphml" => {
                "<graphml><key id=\"d\" attr.name=\"y\"/><graph><node id=\"a\"/>\
                 <node id=\"b\"><data key=\"d\">5</data></node><node id=\"c\"/></graph></graphml>\n"
            }
            "net.csv" => "name,x_m,y_m\na,0,0\nb,200,0\n",
            "edges.csv" => "a,b\na,c\n",
            "good.tcl" => "$node_(0) set X_ 10.0\n$node_(1) set X_ 20.0\n$node_(2) set X_ 30.0\n",
            "jumps.tcl" => "$node_(0) set Y_ 1\n$ns_ at 0 \"$node_(1) set X_ 2\"\n$node_(2) set Z_ 3\n",
            "sizes.csv" => "size_bytes,share\n1000,0.5\n20000,1\n",
            "unfinished_sizes.csv" => "1000,0.5\n20000,0.9\n",
            "falling_sizes.csv" => "20000,0.5\n1000,1\n",
            "shares_in_percent.csv" => "1000,50\n20000,100\n",
            "arrivals.csv" => "time_s,size_bytes\n0.5,20000\n0.5,1000\n2,3000000\n",
            "falling_times.csv" => "2,1000\n1,1000\n",
            "no_size.csv" => "0,1000\n1,0\n",
            "good.trace" => "1\n2\n3\n",
            _ => return Err("no such file".into()),
        };
        Ok(text.into())
    }
}
