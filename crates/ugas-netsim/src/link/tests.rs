//! Checks of the simulated link.

use proptest::prelude::*;

use super::*;

fn millis(millis: u64) -> Time {
    Time::from_micros(millis * 1_000)
}

/// Sends `number` datagrams of ten bytes, one a millisecond, and gives what arrived, with when.
fn run(link: &mut Link, number: u32) -> Vec<(u64, Vec<u8>)> {
    let mut arrived = Vec::new();
    for n in 0..number {
        let mut bytes = [0; 10];
        bytes[..4].copy_from_slice(&n.to_le_bytes());
        link.send(millis(u64::from(n)), &bytes);
    }
    while let Some(at) = link.next_arrival() {
        arrived.push((at.micros(), link.receive(at).unwrap()));
    }
    arrived
}

/// Numbers of the datagrams that [`run`] sent, in the order of arrival.
fn numbers(arrived: &[(u64, Vec<u8>)]) -> Vec<u32> {
    arrived.iter().map(|(_, bytes)| u32::from_le_bytes(bytes[..4].try_into().unwrap())).collect()
}

/// A link under these conditions with seed 1.
fn over(conditions: Conditions) -> Link {
    Link::new(1, conditions)
}

#[test]
fn a_perfect_link_delivers_at_once_and_in_order() {
    let mut link = over(Conditions::perfect());
    let arrived = run(&mut link, 100);
    assert_eq!(numbers(&arrived), (0..100).collect::<Vec<_>>());
    assert!(arrived.iter().zip(0..).all(|((at, _), n)| *at == n * 1_000));
    let counts = LinkCounts {
        sent: 100,
        sent_bytes: 1_000,
        received: 100,
        received_bytes: 1_000,
        ..Default::default()
    };
    assert_eq!(*link.counts(), counts);
}

#[test]
fn jitter_stays_in_its_span_and_keeps_order() {
    let mut link =
        over(Conditions { delay: Span::millis(20), jitter: Span::millis(10), ..Conditions::perfect() });
    let arrived = run(&mut link, 1_000);
    assert_eq!(numbers(&arrived), (0..1_000).collect::<Vec<_>>());
    let late = |at: u64, n: u64| at - n * 1_000;
    assert!(arrived.iter().zip(0..).all(|((at, _), n)| (20_000..30_000).contains(&late(*at, n))));
    assert!(arrived.iter().zip(0..).any(|((at, _), n)| late(*at, n) > 29_000));
}

#[test]
fn losses_come_about_as_often_as_said() {
    let mut link = over(Conditions { loss: 0.25, ..Conditions::perfect() });
    run(&mut link, 10_000);
    // 2,500, with a standard deviation of sqrt(10,000 × 0.25 × 0.75) = 43; six of them either way.
    assert!((2_240..=2_760).contains(&link.counts().lost), "{:?}", link.counts());
}

#[test]
fn bursts_lose_groups() {
    let burst = BurstLoss { begin: 0.01, end: 0.1, loss: 1.0 };
    let mut link = over(Conditions { burst: Some(burst), ..Conditions::perfect() });
    let arrived = numbers(&run(&mut link, 20_000));
    // Bad for 0.01 / (0.01 + 0.1) = 1/11 of the time: 1,818 of 20,000; in groups of ten: about 182 gaps.
    let lost = link.counts().lost_in_burst;
    assert!((1_200..2_400).contains(&lost), "{lost}");
    let gaps = arrived.windows(2).filter(|pair| pair[1] != pair[0] + 1).count();
    assert!((120..250).contains(&gaps), "{gaps}");
}

#[test]
fn the_held_are_overtaken() {
    let mut link = over(Conditions { reorder: 0.1, hold: Span::millis(5), ..Conditions::perfect() });
    let arrived = run(&mut link, 1_000);
    let held = link.counts().held as usize;
    assert!((40..160).contains(&held), "{held}");
    let late =
        arrived.iter().zip(numbers(&arrived)).filter(|((at, _), n)| *at == (u64::from(*n) + 5) * 1_000);
    assert_eq!(late.count(), held);
    assert_eq!(arrived.len(), 1_000);
}

#[test]
fn copies_are_told_apart_by_nothing() {
    let mut link = over(Conditions { duplicate: 1.0, ..Conditions::perfect() });
    assert_eq!(numbers(&run(&mut link, 3)), [0, 0, 1, 1, 2, 2]);
    assert_eq!(link.counts().duplicated, 3);
}

#[test]
fn a_narrow_link_makes_wait_and_then_drops() {
    let capacity = Some(Capacity { bytes_per_second: 1_000, queue: 25 });
    let mut link = over(Conditions { capacity, ..Conditions::perfect() });
    for n in 0..4u8 {
        link.send(millis(0), &[n; 10]); // 10 ms each; the queue has 0, 10, 20 bytes before them: the third is full
    }
    assert_eq!(link.counts().dropped, 2);
    assert_eq!(link.receive(millis(9)), None);
    assert_eq!(link.receive(millis(10)), Some(vec![0; 10]));
    assert_eq!(link.receive(millis(20)), Some(vec![1; 10]));
    link.send(millis(100), &[9; 1_000]); // alone, and so longer than the queue
    assert_eq!(link.next_arrival(), Some(millis(1_100)));
    link.set_conditions(Conditions {
        capacity: Some(Capacity { bytes_per_second: 0, queue: 25 }),
        ..Conditions::perfect()
    });
    link.send(millis(2_000), &[]);
    assert_eq!(link.counts().dropped, 3);
}

#[test]
fn a_cut_is_one_sided_and_ends() {
    let mut duplex = Duplex::new(1, Conditions { delay: Span::millis(10), ..Conditions::perfect() });
    duplex.to_server.send(millis(0), b"before");
    duplex.to_server.cut_until(millis(5));
    duplex.to_server.send(millis(4), b"during");
    duplex.to_client.send(millis(4), b"other way");
    duplex.to_server.send(millis(5), b"after");
    assert_eq!(duplex.to_server.receive(millis(10)).as_deref(), Some(&b"before"[..]));
    assert_eq!(duplex.next_arrival(), Some(millis(14)));
    assert_eq!(duplex.to_client.receive(millis(14)).as_deref(), Some(&b"other way"[..]));
    assert_eq!(duplex.to_server.receive(millis(99)).as_deref(), Some(&b"after"[..]));
    assert_eq!(duplex.to_server.counts().cut, 1);
}

#[test]
fn damage_flips_few_bits_or_cuts_off_the_end() {
    let mut link = over(Conditions { corrupt: 1.0, ..Conditions::perfect() });
    for (_, bytes) in run(&mut link, 100).iter().skip(1) {
        assert_eq!(bytes.len(), 10);
    }
    link.send(millis(1_000), &[0; 100]);
    let flipped: u32 = link.receive(millis(1_000)).unwrap().iter().map(|byte| byte.count_ones()).sum();
    assert!(flipped <= 8);
    link.set_conditions(Conditions { truncate: 1.0, ..Conditions::perfect() });
    link.send(millis(1_000), &[7; 100]);
    let rest = link.receive(millis(1_000)).unwrap();
    assert!(rest.len() < 100 && rest.iter().all(|&byte| byte == 7));
    link.send(millis(1_000), &[]);
    assert_eq!((link.counts().corrupted, link.counts().truncated), (101, 1));
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_another() {
    let runs = [5, 5, 6].map(|seed| run(&mut Link::new(seed, Conditions::terrible()), 500));
    assert_eq!(runs[0], runs[1]);
    assert_ne!(runs[0], runs[2]);
}

#[test]
fn one_condition_does_not_shift_the_dice_of_another() {
    let lossy = Conditions { loss: 0.3, ..Conditions::perfect() };
    let plain = numbers(&run(&mut over(lossy), 300));
    let jittery = Conditions { jitter: Span::millis(50), corrupt: 0.0, truncate: 0.0, ..lossy };
    assert_eq!(numbers(&run(&mut over(jittery), 300)), plain);
}

proptest! {
    /// Nothing appears from nowhere, nothing is unaccounted for, and senseless conditions do no harm.
    #[test]
    fn every_datagram_is_accounted_for(
        seed: u64,
        loss in -0.5..1.5f64,
        duplicate in 0.0..1.0f64,
        delay in -5_000i64..5_000,
        capacity in proptest::option::of((0u32..20_000, 0u32..200)),
        truncate in proptest::sample::select(vec![0.0, 0.5, f64::NAN]),
    ) {
        let capacity = capacity.map(|(bytes_per_second, queue)| Capacity { bytes_per_second, queue });
        let delay = Span::from_micros(delay);
        let conditions =
            Conditions { delay, jitter: delay, hold: delay, loss, duplicate, reorder: 0.2, capacity, truncate, ..Conditions::mobile() };
        let mut link = Link::new(seed, conditions);
        link.cut_until(millis(10));
        let arrived = run(&mut link, 100);
        let counts = *link.counts();
        let through = counts.sent - counts.lost - counts.lost_in_burst - counts.cut - counts.dropped;
        prop_assert_eq!(arrived.len() as u64, through + counts.duplicated);
        prop_assert_eq!(counts.received, arrived.len() as u64);
        prop_assert!(arrived.is_sorted_by_key(|(at, _)| *at));
    }
}
