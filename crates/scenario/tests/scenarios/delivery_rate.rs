//! The delivery rate over random links, in random bins, is at most the rate of the link.

use farlink_kernel::Instant;
use farlink_kernel::random::Stream;
use farlink_scenario::{Column, Draft, Files, Record, RunResults, Simulation, bins};

/// Columns of time and rate of a link whose rate changes.
struct Rates(String);

impl Files for Rates {
    fn read(&self, _path: &str) -> Result<Vec<u8>, String> {
        Ok(self.0.clone().into_bytes())
    }
}

fn run(text: &str, files: &dyn Files, seed: u64) -> RunResults {
    let scenario =
        Draft::parse(text, "link.toml").unwrap().validate(files).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut simulation = Simulation::new(&scenario, seed, Record { series: true });
    simulation.advance(Instant::NEVER);
    simulation.finish()
}

/// Time and bits delivered of the one flow.
fn delivered(results: &RunResults) -> (Vec<f64>, Vec<f64>) {
    let series = results.series();
    let column = |name| &series.flows.columns.iter().find(|(of, _)| *of == name).expect("a column").1;
    let (Column::Number(time_s), Column::Integer(bytes)) = (column("time_s"), column("delivered_bytes"))
    else {
        panic!("other types")
    };
    (time_s.clone(), bytes.iter().map(|bytes| 8.0 * *bytes as f64).collect())
}

/// Rates in bins of equal width.
struct Bins {
    width_s: f64,
    /// The largest rate.
    most: f64,
    /// The number of bins with data.
    held: usize,
}

fn largest(random: &mut Stream, time_s: &[f64], bits: &[f64]) -> Bins {
    let (end_s, interval_s) = (time_s[time_s.len() - 1], time_s[1] - time_s[0]);
    let width_s = interval_s * (1.0 + 20.0 * random.uniform());
    let first_s = width_s * random.uniform();
    let count = ((end_s - first_s) / width_s) as usize;
    let edges: Vec<f64> = (0..=count).map(|edge| first_s + edge as f64 * width_s).collect();
    let rates = bins::rate(&edges, time_s, bits);
    let held = rates.iter().filter(|rate| **rate > 0.0).count();
    Bins { width_s, most: rates.into_iter().fold(0.0, f64::max), held }
}

fn application(random: &mut Stream, rate_bps: f64) -> String {
    match random.below(3) {
        0 => "application = \"bulk\"\ntcp.congestion_control = \"cubic\"".into(),
        1 => "application = { name = \"file\", size = \"200 kB\" }\nstart = \"2200 ms\"".into(),
        _ => {
            let (size, load) = (60 + random.below(1400), 0.05 + 1.5 * random.uniform());
            let rate_bps = load * rate_bps;
            format!(
                "application = {{ name = \"constant_bit_rate\", rate = \"{rate_bps:.0} bit/s\", packet_size = \"{size} B\" }}"
            )
        }
    }
}

fn link(random: &mut Stream, rate: &str, rate_bps: f64) -> String {
    let (delay_ms, interval_ms) = (random.below(300), 5 + random.below(60));
    let loss = [0.0, 0.01, 0.05][random.below(3) as usize];
    format!(
        "name = \"link\"\nnodes = [{{ name = \"a\" }}, {{ name = \"b\" }}]\nduration = \"10 s\"\n[record]\ninterval = \"{interval_ms} ms\"\n\
         [[links]]\nbetween = [\"a\", \"b\"]\nrate = {rate}\ndelay = \"{delay_ms} ms\"\n\
         error = {{ name = \"packet_error_rate\", rate = {loss} }}\n\
         [[flows]]\nfrom = \"a\"\nto = \"b\"\n{}\n",
        application(random, rate_bps)
    )
}

#[test]
fn no_bin_exceeds_the_rate_of_the_link() {
    let mut random = Stream::new(35, "delivery_rate", 0);
    for case in 0..60 {
        let rate_bps =
            ([25e3, 100e3, 500e3, 2e6, 10e6][random.below(5) as usize] * (1.0 + random.uniform())).round();
        let text = link(&mut random, &format!("\"{rate_bps} bit/s\""), rate_bps);
        let (time_s, bits) = delivered(&run(&text, &Rates(String::new()), case));
        let mut held = 0;
        for _ in 0..20 {
            let bins = largest(&mut random, &time_s, &bits);
            assert!(bins.most <= rate_bps, "{} bit/s over a link of {rate_bps} bit/s:\n{text}", bins.most);
            held += bins.held;
        }
        assert!(held > 0, "nothing was delivered:\n{text}");
    }
}

/// What arrives in a time left the link in that time and the largest jitter, whether in order or not. Beside it at each
/// end of a bin is a part of a packet at most.
#[test]
fn bins_of_a_link_with_jitter_hold_what_it_sends_in_their_time_and_the_largest_jitter() {
    let mut random = Stream::new(37, "delivery_rate", 0);
    let mut exceeds = 0;
    for case in 0..60 {
        let rate_bps = ([25e3, 500e3, 10e6][random.below(3) as usize] * (1.0 + random.uniform())).round();
        let (jitter_ms, in_order) = (1 + random.below(200), random.below(2) == 0);
        let text = link(&mut random, &format!("\"{rate_bps} bit/s\""), rate_bps);
        let jitter =
            format!("[links.jitter]\nname = \"uniform\"\nmax = \"{jitter_ms} ms\"\nin_order = {in_order}\n");
        let text = text.replacen("[[flows]]", &format!("{jitter}[[flows]]"), 1);
        let (time_s, bits) = delivered(&run(&text, &Rates(String::new()), case));
        for _ in 0..20 {
            let Bins { most, width_s, .. } = largest(&mut random, &time_s, &bits);
            let bound = rate_bps * (width_s + jitter_ms as f64 / 1e3) + 2.0 * 8.0 * 1500.0;
            assert!(most * width_s <= bound, "{most} bit/s in {width_s} s:\n{text}");
            exceeds += usize::from(most > rate_bps);
        }
    }
    assert!(exceeds > 0, "no bin exceeds the rate of its link");
}

#[test]
fn a_busy_link_is_seen_busy_and_a_packet_after_a_pause_is_not_spread_over_it() {
    let text = "name = \"link\"\nnodes = [{ name = \"a\" }, { name = \"b\" }]\nduration = \"20 s\"\n[record]\ninterval = \"10 ms\"\n\
                [[links]]\nbetween = [\"a\", \"b\"]\nrate = \"50 kbit/s\"\ndelay = \"100 ms\"\n\
                [[flows]]\nfrom = \"a\"\nto = \"b\"\napplication = \"bulk\"\nstart = \"10 s\"\n";
    let (time_s, bits) = delivered(&run(text, &Rates(String::new()), 1));
    let edges: Vec<f64> = (0..=200).map(|edge| 0.1 * f64::from(edge)).collect();
    let rates = bins::rate(&edges, &time_s, &bits);
    assert!(rates[..100].iter().all(|rate| *rate == 0.0), "{rates:?}");
    // A segment of 1460 bytes in a packet of 1500 bytes.
    let payload = 50e3 * 1460.0 / 1500.0;
    assert!(rates[110..199].iter().all(|rate| (rate - payload).abs() < 0.01 * payload), "{rates:?}");
}

#[test]
fn nothing_is_delivered_during_an_outage() {
    let text = "name = \"link\"\nnodes = [{ name = \"a\" }, { name = \"b\" }]\nduration = \"40 s\"\n[record]\ninterval = \"10 ms\"\n\
                [[links]]\nbetween = [\"a\", \"b\"]\nrate = \"1 Mbit/s\"\ndelay = \"100 ms\"\n\
                down = [\"10 s..24 s\"]\n\
                [[flows]]\nfrom = \"a\"\nto = \"b\"\napplication = \"bulk\"\n";
    let (time_s, bits) = delivered(&run(text, &Rates(String::new()), 1));
    let edges: Vec<f64> = (0..=400).map(|edge| 0.1 * f64::from(edge)).collect();
    let rates = bins::rate(&edges, &time_s, &bits);
    // What had left before arrives within a delay and the time of a packet.
    assert!(rates[112..240].iter().all(|rate| *rate == 0.0), "{:?}", &rates[112..240]);
    assert!(rates[240..].iter().any(|rate| *rate > 900e3));
    assert!(rates.iter().all(|rate| *rate <= 1e6));
}

#[test]
fn bins_after_a_change_of_rate_are_within_the_larger_of_both() {
    let mut random = Stream::new(36, "delivery_rate", 0);
    for case in 0..20 {
        let fast = ([500e3, 2e6, 10e6][random.below(3) as usize] * (1.0 + random.uniform())).round();
        let slow = (fast / (2.0 + 30.0 * random.uniform())).round();
        let rates = Rates(format!("time_s,rate_bps\n0,{fast}\n4,{slow}\n7,{fast}\n"));
        let text = link(&mut random, "{ csv = \"rates.csv\" }", slow);
        let (time_s, bits) = delivered(&run(&text, &rates, case));
        let Bins { most, .. } = largest(&mut random, &time_s, &bits);
        assert!(most <= fast, "{most} bit/s over a link of {fast} bit/s:\n{text}");
        // What left before the change has arrived 0.4 s and a packet later.
        let slowly: Vec<f64> = (0..10).map(|edge| 4.7 + 0.2 * f64::from(edge)).collect();
        let most = bins::rate(&slowly, &time_s, &bits).into_iter().fold(0.0, f64::max);
        assert!(most <= slow, "{most} bit/s over a link of {slow} bit/s:\n{text}");
    }
}
