//! One satellite run for a profiler: `satellite [SECONDS [BIT_ERROR_RATE]]`; prints what was done.

use std::io::{Write, stdout};

use farlink_kernel::Duration;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().map_or(Ok(10), |text| text.parse())?;
    let bit_error_rate = arguments.next().map_or(Ok(0.0), |text| text.parse())?;
    let results = farlink_bench::run(&farlink_bench::satellite(Duration::from_secs(seconds), bit_error_rate));
    let flow = &results.flows[0];
    writeln!(
        stdout(),
        "{{\"packets_delivered\": {}, \"packets_retransmitted\": {}, \"goodput_bps\": {:.0}, \"events\": {}}}",
        flow.packets_delivered,
        flow.packets_retransmitted,
        flow.goodput_bps,
        results.engine.events
    )?;
    Ok(())
}
