//! The satellite run of 10 s, without and with losses, per data packet delivered.

#![allow(missing_docs)] // of the function that criterion's macro makes

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use farlink_bench::{run, satellite};
use farlink_kernel::Duration;

fn whole_run(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("satellite");
    group.sample_size(10);
    for bit_error_rate in [0.0, 1e-7] {
        let blueprint = satellite(Duration::from_secs(10), bit_error_rate);
        group.throughput(Throughput::Elements(run(&blueprint).flows[0].packets_delivered));
        group.bench_function(format!("ber_{bit_error_rate:e}"), |bencher| bencher.iter(|| run(&blueprint)));
    }
    group.finish();
}

criterion_group!(benches, whole_run);
criterion_main!(benches);
