//! Push and pop of the bare event queue at three depths.

#![allow(missing_docs)] // of the function that criterion's macro makes

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use farlink_bench::{filled_queue, pop_and_push};

fn event_queue(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("event_queue");
    for depth in [4, 1_000, 100_000] {
        let (mut queue, mut stream) = filled_queue(depth);
        group.bench_function(BenchmarkId::new("pop_and_push", depth), |bencher| {
            bencher.iter(|| black_box(pop_and_push(&mut queue, &mut stream)));
        });
    }
    group.finish();
}

criterion_group!(benches, event_queue);
criterion_main!(benches);
