use ugas_net::soak::{Profile, Report, play};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let profile = Profile::named(&args[1]).unwrap();
    let from: u64 = args[2].parse().unwrap();
    let count: u64 = args[3].parse().unwrap();
    let start = std::time::Instant::now();
    let mut total = Report::default();
    for seed in from..from + count {
        let report = play(&profile, seed);
        for v in report.violations.iter().take(6) {
            println!("{seed} {} {}", v.kind.name(), &v.message.chars().take(700).collect::<String>());
        }
        total = total.join(report);
    }
    let mut kinds = std::collections::BTreeMap::new();
    for v in &total.violations {
        kinds.entry(v.kind.name()).or_insert_with(std::collections::BTreeSet::new).insert(v.seed);
    }
    for (k, s) in &kinds {
        println!("{k}: {} seeds {:?}", s.len(), s.iter().take(10).collect::<Vec<_>>());
    }
    println!(
        "seeds {} sim {:.0}s cmds {} rej {} datagrams {} faults {:?} hash {:x} in {:?}",
        total.seeds,
        total.simulated_seconds,
        total.commands,
        total.rejected,
        total.datagrams,
        total.faults,
        total.hash,
        start.elapsed()
    );
}
