/** Two flows with different RTTs at one bottleneck. */

import { isPrinted, type Lesson, type Results } from "./lesson.js";

const FAIR = "reno, FQ-CoDel";

export const rttFairness: Lesson = {
  id: "rtt-fairness",
  title: "RTT fairness",
  question: "How do a near and a far sender share a bottleneck?",
  background: [
    "A Reno sender adds a segment per round trip of its own. Of two senders that meet the same losses, the one with the shorter RTT grows more often.",
    "CUBIC (RFC 9438) grows with the time since the last loss, and Hybla as with a common reference RTT. FQ-CoDel (RFC 8290) serves the flows in turn, so that the queue shares the link instead of the senders.",
    "Here two flows share 20 Mbit/s. Without queueing, the RTT of the near one is 24 ms and that of the far one 204 ms.",
  ],
  toml: `name = "rtt_fairness"
duration = "120 s"

[[nodes]]
name = "near"
[[nodes]]
name = "far"
[[nodes]]
name = "left"
[[nodes]]
name = "right"

[[links]]
between = ["near", "left"]
rate = "1 Gbit/s"
delay = "2 ms"
[[links]]
between = ["far", "left"]
rate = "1 Gbit/s"
delay = "92 ms"
[[links]]
between = ["left", "right"]
rate = "20 Mbit/s"
delay = "10 ms"
queue = { name = "drop_tail", limit = "100 packets" }

[[flows]]
label = "near"
from = "near"
to = "right"
start = "0 s..1 s"
tcp = { congestion_control = "reno", initial_ssthresh = "60 packets" }

[[flows]]
label = "far"
from = "far"
to = "right"
start = "0 s..1 s"
tcp = { congestion_control = "reno", initial_ssthresh = "60 packets" }
`,
  seeds: [1, 2, 3, 4, 5],
  control: {
    label: "Congestion control of both",
    initial: "reno",
    settings: [
      ...["reno", "cubic", "hybla"].map((name) => ({
        label: name,
        overrides: { "flows.*.tcp.congestion_control": name },
      })),
      { label: FAIR, overrides: { "links.2.queue": "fq_codel" } },
    ],
  },
  columns: ["goodput", "delay", "retransmitted"],
  charts: ["delivery", "cwnd", "queue"],
  film: [5, 5.6],
  prediction: {
    question: "With CUBIC, how many times the goodput of the far flow has the near one?",
    unit: "times",
    of: (results) => ratio(results, "cubic"),
  },
  observe: [
    "Choose one setting and all flows above the charts: both flows of a setting are then beside each other.",
    "Predict: does the near flow have twice, eight times or more of the goodput of the far one with Reno?",
    "Compare how the settings share the link, and what they use of it together.",
  ],
  claims: [
    {
      text: "With Reno the near flow has 9.4 times the goodput of the far one, with CUBIC 4.1 times.",
      holds: (results) => isPrinted(ratio(results, "reno"), "9.4") && isPrinted(ratio(results, "cubic"), "4.1"),
    },
    {
      text: "Hybla turns the ratio round: the far flow has 2.3 times the goodput of the near one, and it retransmits over 1000 packets where all others retransmit fewer than 250.",
      holds: (results) =>
        isPrinted(1 / ratio(results, "hybla"), "2.3") &&
        results.mean("hybla", "retransmitted", "far") > 1000 &&
        ["reno", "cubic", "hybla", FAIR].every((name) =>
          ["near", "far"].every(
            (flow) => (name === "hybla" && flow === "far") || results.mean(name, "retransmitted", flow) < 250,
          ),
        ),
    },
    {
      text: "FQ-CoDel lowers the ratio of Reno to 1.4 without a change at the senders.",
      holds: (results) => isPrinted(ratio(results, FAIR), "1.4"),
    },
    {
      text: "That costs 13 % of the goodput of both together, and shortens the mean delay of the near flow from 52 to 16 ms.",
      holds: (results) =>
        isPrinted(100 * (1 - total(results, FAIR) / total(results, "reno")), "13") &&
        Math.round(1e3 * results.mean("reno", "delay", "near")) === 52 &&
        Math.round(1e3 * results.mean(FAIR, "delay", "near")) === 16,
    },
  ],
  further: "Set links.1.delay to 292 ms: does the share of the far flow with Hybla change?",
};

/** Goodput of the near flow over that of the far one. */
function ratio(results: Results, setting: string): number {
  return results.mean(setting, "goodput", "near") / results.mean(setting, "goodput", "far");
}

function total(results: Results, setting: string): number {
  return results.mean(setting, "goodput", "near") + results.mean(setting, "goodput", "far");
}
