//! Loss recovery and its scoreboard under any acknowledgements, SACK blocks, timeouts and spurious detections, also
//! such as no correct receiver sends: reneged blocks, partial segments, ACKs that skip.
//!
//! After every step: running sums equal a traversal (`SetPipe`); what is SACKed is what the blocks said; what is
//! lost is so for a reason, and for the members of RFC 6675 exactly by its `IsLost`; an episode begins and
//! ends by the RFC. A retransmission is of the lowest segment that waits. At the end the receiver has
//! forgotten everything, and timeouts and retransmissions alone must deliver the rest.

mod checks;

use std::collections::VecDeque;

use farlink_kernel::random::Stream;
use farlink_kernel::{Duration, Instant};
use farlink_tcp::recovery::scoreboard::{Delivery, Scoreboard, SegmentId};
use farlink_tcp::recovery::{Acked, Any, Config, Phase, Setup, Step};

use crate::sequence::Harness;

/// Segments outstanding at most, to keep the traversals short.
const LARGEST_FLIGHT: usize = 60;

/// Something that may happen. Places are counted in outstanding segments from the oldest.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// So many new segments of so many bytes, as far as the window lets them.
    Send(usize, u32),
    /// So many retransmissions, as far as there are any; whether there is new data instead.
    Retransmit(usize, bool),
    /// An ACK arrives.
    Ack {
        /// Segments it acknowledges, and bytes of the next one.
        segments: usize,
        /// See `segments`.
        bytes: u64,
        /// Its SACK blocks: place and number of segments.
        blocks: Vec<(usize, usize)>,
        /// A duplicate is reported.
        has_dsack: bool,
    },
    /// The retransmission timer expires.
    Timeout,
    /// The last reduction was a mistake.
    Spurious,
    /// The member's own timer expires.
    Deadline,
    /// Time passes.
    Pass(Duration),
    /// The congestion window is so many segments.
    Window(u64),
}

/// The harness of one registered member.
pub struct Repair {
    config: Config,
}

/// The member `config` with the parameters it has.
pub fn registered(config: Config) -> Repair {
    Repair { config }
}

/// What the model knows about an outstanding segment.
#[derive(Clone, Copy, Debug)]
struct Known {
    end: u64,
    sacked: bool,
    /// There is or was a reason to call it lost.
    may_be_lost: bool,
}

/// A member with its scoreboard, and the truth about them.
#[derive(Debug)]
pub struct State {
    member: Any,
    board: Scoreboard,
    kind: Kind,
    keep_sacked: bool,
    size: u64,
    cwnd: u64,
    now: Instant,
    una: u64,
    nxt: u64,
    known: VecDeque<Known>,
}

/// By what a member calls segments lost.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Duplicate ACKs only.
    Duplicates,
    /// Duplicate ACKs that SACK something; SACK then shows what may be missing, and is soon forgotten.
    SackedNew,
    /// RFC 6675, and nothing else.
    Sacks,
    /// How far above the highest SACKed segment is.
    Distance(u64),
    /// Time.
    Clock,
}

fn kind(config: &Config) -> Kind {
    match config {
        Config::Reno(_) | Config::NewReno(_) => Kind::Duplicates,
        Config::Sack1(_) => Kind::SackedNew,
        Config::Sack(_) | Config::Prr(_) => Kind::Sacks,
        Config::RateHalving(config) => Kind::Distance(config.distance),
        Config::Rack(_) => Kind::Clock,
    }
}

impl Harness for Repair {
    type Operation = Operation;
    type State = State;

    fn begin(&self, rng: &mut Stream) -> State {
        let keep_sacked = rng.below(2) == 0;
        let size = [1, 100, 1448][rng.below(3) as usize];
        let setup = Setup {
            limited_transmit: rng.below(2) == 0,
            keep_sacked_on_timeout: keep_sacked,
            duplicates_deliver: rng.below(2) == 0,
            reduces_packets: rng.below(2) == 0,
        };
        State {
            member: self.config.build(&setup),
            board: Scoreboard::new(size),
            kind: kind(&self.config),
            keep_sacked,
            size,
            cwnd: 10,
            now: Instant::ZERO + Duration::from_secs(1),
            una: 1,
            nxt: 1,
            known: VecDeque::new(),
        }
    }

    fn operation(&self, rng: &mut Stream) -> Operation {
        match rng.below(40) {
            0..8 => Operation::Send(1 + rng.below(10) as usize, rng.below(3_000) as u32),
            8..16 => Operation::Retransmit(1 + rng.below(6) as usize, rng.below(2) == 0),
            16..30 => acknowledgement(rng),
            30..32 => Operation::Timeout,
            32 => Operation::Spurious,
            33..35 => Operation::Deadline,
            35..38 => Operation::Pass(Duration::from_micros(1 + rng.below(400_000))),
            _ => Operation::Window(1 + rng.below(LARGEST_FLIGHT as u64)),
        }
    }

    fn step(&self, state: &mut State, operation: &Operation) -> Result<(), String> {
        let happened = match operation {
            Operation::Send(count, len) => state.send(*count, *len),
            Operation::Retransmit(count, no_new_data) => {
                (0..*count).try_for_each(|_| state.retransmit(*no_new_data).map(|_| ()))
            }
            Operation::Ack { segments, bytes, blocks, has_dsack } => {
                state.ack(*segments, *bytes, blocks, *has_dsack)
            }
            Operation::Timeout => {
                state.time_out();
                Ok(())
            }
            Operation::Spurious => {
                state.undo_reduction();
                Ok(())
            }
            Operation::Deadline => state.expire(),
            Operation::Pass(time) => {
                state.now += *time;
                Ok(())
            }
            Operation::Window(segments) => {
                state.cwnd = *segments;
                Ok(())
            }
        };
        happened.and_then(|()| state.check()).map_err(|broken| format!("{broken} after {operation:?}"))
    }

    /// The receiver has forgotten what came out of order: only retransmissions from the left edge help.
    fn finish(&self, state: &mut State) -> Result<(), String> {
        let mut timeouts = 0;
        while !state.known.is_empty() {
            match state.retransmit(true)? {
                Some(id) if id == state.board.first_id() => state.ack(1, 0, &[], false)?,
                Some(_) => {}
                None => {
                    timeouts += 1;
                    if timeouts > 2 * LARGEST_FLIGHT {
                        return Err(format!("{timeouts} timeouts did not deliver {:?}", state.board.first()));
                    }
                    state.now += Duration::from_secs(10);
                    state.time_out();
                }
            }
            state.check()?;
        }
        Ok(())
    }
}

fn acknowledgement(rng: &mut Stream) -> Operation {
    let segments = [0, 0, 0, 1, 1, 2, 5][rng.below(7) as usize];
    let bytes = if rng.below(8) == 0 { rng.below(1_500) } else { 0 };
    let blocks = (0..rng.below(4)).map(|_| (1 + rng.below(20) as usize, 1 + rng.below(4) as usize)).collect();
    Operation::Ack { segments, bytes, blocks, has_dsack: rng.below(10) == 0 }
}

impl State {
    fn send(&mut self, count: usize, len: u32) -> Result<(), String> {
        for _ in 0..count {
            let len = u64::from(len).clamp(1, self.size);
            let room = self.member.room(&self.board, self.cwnd * self.size);
            if self.known.len() >= LARGEST_FLIGHT || room < len {
                return Ok(());
            }
            let rests = self.rests();
            let id = self.board.push(self.nxt, len as u32, self.now);
            self.member.on_sent(&self.board, id, self.now);
            self.nxt += len;
            self.known.push_back(Known { end: self.nxt, sacked: false, may_be_lost: false });
            if rests {
                self.check_rest("new data")?;
            }
        }
        Ok(())
    }

    fn retransmit(&mut self, no_new_data: bool) -> Result<Option<SegmentId>, String> {
        let waiting = self.waiting();
        let next = self.member.next_retransmission(&mut self.board, no_new_data);
        if waiting.is_some() && next != waiting {
            return Err(format!("{waiting:?} waits, {next:?} is retransmitted"));
        }
        let Some(id) = next else { return Ok(None) };
        let is_suspect = match self.kind {
            Kind::Sacks => no_new_data,
            Kind::SackedNew => self.member.phase() == Phase::Fast,
            _ => false,
        };
        if (waiting.is_none() && !is_suspect) || self.is_sacked(id) {
            return Err(format!("{:?} is retransmitted without need", self.board.get(id)));
        }
        self.board.retransmit(id, self.now);
        self.member.on_sent(&self.board, id, self.now);
        Ok(Some(id))
    }

    fn is_sacked(&self, id: SegmentId) -> bool {
        self.known.get((id - self.board.first_id()) as usize).is_none_or(|known| known.sacked)
    }

    fn ack(
        &mut self,
        segments: usize,
        bytes: u64,
        blocks: &[(usize, usize)],
        has_dsack: bool,
    ) -> Result<(), String> {
        let (prior_una, rested) = (self.una, self.member.is_at_rest());
        for _ in 0..segments.min(self.known.len()) {
            self.una = self.known.pop_front().map_or(self.una, |known| known.end);
        }
        // A part of a segment leaves at least a byte of it.
        self.una += self.known.front().map_or(0, |known| bytes.min(known.end - self.una - 1));
        let mut acked = Acked {
            now: self.now,
            una: self.una,
            prior_una,
            nxt: self.nxt,
            is_duplicate: self.una == prior_una && !self.known.is_empty(),
            has_dsack,
            delivery: Delivery::default(),
            srtt: Duration::from_millis(100),
            min_rtt: Duration::from_millis(80),
            cwnd: self.cwnd * self.size,
            echoes_original: false,
        };
        self.board.acknowledge(self.una, &mut acked.delivery);
        if self.member.reads_sack() {
            self.take_blocks(blocks, &mut acked.delivery);
        }
        self.find_lost();
        let before = self.member.phase();
        let rests = rested && self.board.is_untouched() && self.una > prior_una;
        let step = self.member.on_ack(&mut self.board, &mut acked);
        let goes_on = before == Phase::Fast && self.member.phase() == Phase::Fast;
        if self.kind == Kind::SackedNew && self.una > prior_una && !goes_on {
            self.known.iter_mut().for_each(|known| known.sacked = false);
        }
        self.follow(before, step)?;
        if rests {
            if step != Step::Stay || acked.delivery.lost > 0 {
                return Err(format!("a member at rest makes {step:?} of an ACK that advances"));
            }
            self.check_rest("an ACK that advances")?;
        }
        if self.kind == Kind::Sacks { self.check_is_lost() } else { Ok(()) }
    }

    fn take_blocks(&mut self, blocks: &[(usize, usize)], delivery: &mut Delivery) {
        let start = |state: &Self, place: usize| match place {
            0 => state.una,
            _ => state.known[place - 1].end,
        };
        let mut offsets: Vec<_> = blocks
            .iter()
            .filter(|(place, _)| *place < self.known.len())
            .map(|&(place, count)| (place, (place + count).min(self.known.len())))
            .map(|(place, end)| (start(self, place), start(self, end), place..end))
            .collect();
        offsets.sort_by_key(|block| block.0);
        for (left, right, places) in offsets {
            self.board.sack(left, right, delivery);
            places.for_each(|place| self.known[place].sacked = true);
        }
    }

    /// What a step of the member means, and whether it may come now.
    fn follow(&mut self, before: Phase, step: Step) -> Result<(), String> {
        let phase = self.member.phase();
        let fits = match step {
            // One ACK may end an episode and, by the clock, begin another.
            Step::Enter(_) => (before != Phase::Fast || self.kind == Kind::Clock) && phase == Phase::Fast,
            Step::Exit { .. } => before != Phase::Open && phase == Phase::Open,
            Step::Retransmit => phase == Phase::Fast,
            Step::Stay | Step::Reduce(_) | Step::Probe => before == phase,
        };
        if !fits {
            return Err(format!("{step:?} leads from {before:?} to {phase:?}"));
        }
        if matches!(step, Step::Enter(_) | Step::Retransmit)
            && let Some(first) = self.known.front_mut()
        {
            first.may_be_lost = true;
        }
        if let Step::Enter(_) = step {
            self.member.on_enter(&mut self.board, (self.cwnd / 2).max(2) * self.size);
        }
        Ok(())
    }

    /// The connection runs the timer only while something is outstanding.
    fn time_out(&mut self) {
        let Some(first) = self.known.front() else { return };
        let has_reneged = first.sacked;
        let forgets = has_reneged || (self.kind != Kind::Clock && !self.keep_sacked);
        let forgets = forgets || matches!(self.kind, Kind::Duplicates | Kind::SackedNew);
        self.member.on_timeout(&mut self.board, self.now);
        for known in &mut self.known {
            known.sacked &= !forgets;
            known.may_be_lost = true;
        }
    }

    fn undo_reduction(&mut self) {
        // By SACK alone a segment that was retransmitted in a fast recovery stays so.
        let stays = self.kind == Kind::Sacks && self.member.phase() == Phase::Fast;
        self.member.on_spurious(&mut self.board);
        for (known, id) in self.known.iter_mut().zip(self.board.first_id()..) {
            let is_out = self.board.get(id).is_some_and(|sent| sent.is_lost() && sent.is_retransmitted());
            known.may_be_lost = self.kind == Kind::Clock || known.may_be_lost && stays && is_out;
        }
    }

    fn expire(&mut self) -> Result<(), String> {
        let deadline = self.member.deadline();
        if deadline == Instant::NEVER {
            return Ok(());
        }
        self.now = self.now.max(deadline);
        let before = self.member.phase();
        let step = self.member.on_deadline(&mut self.board, self.now);
        self.follow(before, step)?;
        if self.member.deadline() <= self.now {
            return Err("the member's timer expires again at once".into());
        }
        Ok(())
    }
}
