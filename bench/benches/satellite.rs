//! The satellite run of 10 s, without and with losses, per data packet delivered.

#![allow(missing_docs)] // of the function that criterion's macro makes

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use farlink_bench::{Work, run};
use farlink_kernel::Duration;

fn whole_run(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("satellite");
    group.sample_size(10);
    for name in ["satellite", "satellite_losses"] {
        let work = Work::named(name).expect("a work of that name");
        let blueprint = work.blueprint(Duration::from_secs(10));
        group.throughput(Throughput::Elements(run(&blueprint).flows[0].packets_delivered));
        group.bench_function(name, |bencher| bencher.iter(|| run(&blueprint)));
    }
    group.finish();
}

criterion_group!(benches, whole_run);
criterion_main!(benches);
