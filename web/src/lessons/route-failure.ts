/** A route that fails and returns (G. Holland, N. Vaidya, MobiCom 1999). */

import { isPrinted, type Lesson, type Results } from "./lesson.js";

const NOTIFIED = ["tcp_f", "tcp_elfn"];
/** Of their goodput over that without notification, in %. */
const GAINS = ["32", "29"];

export const routeFailure: Lesson = {
  id: "route-failure",
  title: "Route failure in an ad hoc network",
  question: "What does TCP do while a route is broken, and after it is repaired?",
  background: [
    "In a mobile ad hoc network a relay that moves away breaks the route. TCP takes the missing ACKs for congestion: it retransmits at its timeout, and doubles the timeout at each expiry (RFC 6298). It uses a new route only when the next timeout expires.",
    "With explicit link failure notification (ELFN, Holland and Vaidya, 1999) the node at the broken link notifies the sender. It freezes window and timers, and probes every 2 s. TCP-F (Chandran et al., 2001) freezes, too, until it is notified of the new route.",
    "Here the only relay between two ends leaves at 20 s; it is out of range from 24 s to 38 s. The sender's window is 8 packets at most (max_window). AODV looks for the route with requests. It sends the first to the whole network at about 26 s, and waits 2.8 s after it, then 5.6 s, then 11.2 s (RFC 3561, section 6.3).",
  ],
  toml: `name = "route_failure"
duration = "60 s"

[[nodes]]
name = "left"
position = ["0 m", "0 m"]
[[nodes]]
name = "relay"
position = ["200 m", "0 m"]
mobility = { name = "scripted", moves = [{ at = "20 s", to = ["200 m", "400 m"], speed = "40 m/s" }, { at = "32 s", to = ["200 m", "0 m"], speed = "40 m/s" }] }
[[nodes]]
name = "right"
position = ["400 m", "0 m"]

[radio]
propagation = { name = "disc", range = "250 m" }
phy = { name = "dsss", rate = "2 Mbit/s" }
mac = { name = "dcf", rts_threshold = "0 B" }

[routing]
name = "aodv"
route_notifications = "in_band"
destination_only = true

[[flows]]
label = "transfer"
from = "left"
to = "right"
start = "0 s..1 s"
tcp = { congestion_control = "reno", max_window = "8 packets" }
`,
  seeds: [1, 2, 3, 4, 5],
  control: {
    label: "Reaction to a route failure",
    initial: "none",
    settings: ["none", "tcp_f", "tcp_elfn"].map((name) => ({
      label: name,
      overrides: { "flows.0.tcp.route_failure": name },
    })),
  },
  columns: ["goodput", "timeouts", "inTimeout", "frozen", "retransmitted"],
  charts: ["delivery", "cwnd", "rtt"],
  span: [15, 60],
  film: [20, 44],
  prediction: {
    question: "With TCP-F, at which time of the run do data arrive again (mean of the seeds)?",
    unit: "s",
    isInstant: true,
    of: (results) => resumed(results, "tcp_f"),
  },
  observe: [
    "In the chart of the delivery rate, read when data arrive again after the relay is back.",
    "Compare the number of timeouts with and without notification.",
    "Compare the share of time in timeout with the share in the frozen state.",
  ],
  claims: [
    {
      text: "Without notification there are 5 timeouts, and the flow is in timeout for 53 % of its time.",
      holds: (results) =>
        results.mean("none", "timeouts") === 5 && isPrinted(100 * results.mean("none", "inTimeout"), "53"),
    },
    {
      text: "With notification there is less than one timeout in the mean, and the flow is frozen for 37 % of its time.",
      holds: (results) =>
        NOTIFIED.every(
          (name) => results.mean(name, "timeouts") < 1 && isPrinted(100 * results.mean(name, "frozen"), "37"),
        ),
    },
    {
      text: "The relay is back in range at 38 s. Without notification data arrive again at 55 s, with TCP-F and ELFN before 48 s.",
      holds: (results) =>
        isPrinted(resumed(results, "none"), "55") && NOTIFIED.every((name) => resumed(results, name) < 48),
    },
    {
      text: "TCP-F has 32 % more goodput than TCP without notification, ELFN 29 %.",
      holds: (results) =>
        NOTIFIED.every(
          (name, place) =>
            isPrinted(100 * (results.mean(name, "goodput") / results.mean("none", "goodput") - 1), GAINS[place]!) &&
            results.isAbove(name, "none", "goodput"),
        ),
    },
  ],
  further:
    "In the moves of the relay, let the second begin at 25250 ms: it is then away for 3 s. Then let it begin at 57500 ms, which is 40 s, with a simulated time of 120 s. Which absence gains nothing from the notification, and why?",
};

/**
 * In bit/s. The bytes of a packet count evenly since it was first sent: a packet that is retransmitted after a pause of 10 s
 * makes 1.2 kbit/s of it.
 */
const PAUSE_BPS = 10e3;

/** When data arrive after the longest time without any, in s. */
function resumed(results: Results, setting: string): number {
  const { t, v } = results.samples(setting, "delivery");
  let [longest, end, since] = [0, NaN, 0];
  for (let at = 1; at < t.length; at += 1) {
    if (8 * (v[at]! - v[at - 1]!) < PAUSE_BPS * (t[at]! - t[at - 1]!)) continue;
    if (t[at]! - since > longest) [longest, end] = [t[at]! - since, t[at]!];
    since = t[at]!;
  }
  return end;
}
