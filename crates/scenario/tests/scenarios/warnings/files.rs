//! Traces, movements and schedules by what is implausible in them, or plausible.

use farlink_scenario::Files;

pub(super) struct TestFiles;

impl Files for TestFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let text = match path {
            "147" => "0,147\n1,60.5\n",
            "1e14" => "0,1e14\n1,1e13\n",
            "0 until 90 s" => "0,0\n90,1e6\n",
            "Unix time" => "1764000000,1e6\n1764000001,2e6\n",
            "milliseconds" => "0,1e6\n100,2e6\n200,1e6\n",
            "late" => "1764000000000\n1764000000001\n",
            "90000" => "90000\n",
            "a million of one millisecond" => return Ok("1\n".repeat(1_000_000).into()),
            "rate_bps of 147" => "time_s,rate_bps\n0,147\n1,60.5\n",
            "rate_mbps of 2e7" => "time_s,rate_mbps\n0,12000000\n10,20000000\n",
            "rate_gbps of 2e4" => "time_s,rate_gbps\n0,20000\n10,12000\n",
            "rate_gbps of 2e-6" => "time_s,rate_gbps\n0,2e-6\n10,1e-6\n",
            "time_ms of 90000" => "time_ms,rate_mbps\n0,1\n90000,2\n",
            "delay_ms of 40000" => "time_s,rate_mbps,delay_ms\n0,12,40000\n10,20,40000\n",
            "delay_us of 4e7" => "time_s,delay_us\n0,40000000\n10,40000000\n",
            "40000" => "0,40000\n1,41500\n",
            "2000" => "0,2000\n1,1500\n",
            "40" => "0,40\n1,41.5\n",
            "4" => "0,4\n1,3.5\n",
            "one of 6 s" => "0,0.3\n1,6\n2,0.4\n",
            "9600" => "0,9600\n1,2400\n",
            "longer than the run" => "0,1e6\n59,2e6\n61,3e6\n3000,2e6\n",
            "early" => "59999\n70000\n",
            "eight in the morning" => "28800 0 0 28810 5 5\n28801 3000 0 28802 3001 0\n",
            "Unix time of moves" => {
                "$node_(0) set X_ 0\n$node_(1) set X_ 3000\n$ns_ at 1764000000 \"$node_(0) setdest 5 5 1\"\n"
            }
            "moves at 60 s" => {
                "$node_(0) set X_ 0\n$node_(1) set X_ 3000\n$ns_ at 60 \"$node_(0) setdest 5 5 1\"\n"
            }
            "Unix time of flows" => "time_s,size_bytes\n1764000000,1000\n1764000001,1000\n",
            "three flows, 20 s apart" => "0,1000\n20,1000\n40,1000\n",
            "500 flows in milliseconds" => {
                let lines = (0..500).map(|flow| format!("{},1000\n", 20 * flow));
                return Ok(lines.collect::<String>().into());
            }
            "one early" => "28800 0 0 28810 5 5\n1 3000 0 2 3001 0\n",
            "1.3" => "0,1.3\n1,0.3\n",
            _ => return Err("no such file".into()),
        };
        Ok(text.into())
    }
}
