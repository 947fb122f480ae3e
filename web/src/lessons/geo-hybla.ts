/** A geostationary link with bit errors (C. Caini, R. Firrincieli, IJSCN 22(5), 2004). */

import { isPrinted, type Lesson, type Results } from "./lesson.js";

export const geoHybla: Lesson = {
  id: "geo-hybla",
  title: "Geostationary links and Hybla",
  question: "Which sender can use a geostationary link, and why not Reno?",
  background: [
    "Reno adds a segment per round trip. After a loss at a window of 1000 segments it needs 500 round trips to reach that window again: 12.5 s with an RTT of 25 ms, and 300 s with one of 600 ms.",
    "Hybla (Caini, Firrincieli, 2004) makes the growth per second independent of the RTT: it grows as a reference connection of 25 ms would.",
    "The link here has 20 Mbit/s, an RTT of 600 ms, and bit errors (BER 1e-7), which lose one packet in 834. Its bandwidth-delay product is 1000 packets, and so is its queue. A sender has at most 1800 packets in flight (max_window).",
  ],
  toml: `name = "geo"
duration = "120 s"

[[nodes]]
name = "gateway"
[[nodes]]
name = "terminal"

[[links]]
between = ["gateway", "terminal"]
rate = "20 Mbit/s"
delay = "300 ms"
queue = { name = "drop_tail", limit = "1000 packets" }
error = { name = "bit_error_rate", rate = 1e-7 }
reverse = { error = "none" }

[[flows]]
label = "transfer"
from = "gateway"
to = "terminal"
tcp = { congestion_control = "reno", delayed_ack = "off", max_window = "1800 packets" }
`,
  seeds: [1, 2, 3, 4, 5],
  control: {
    label: "Congestion control",
    initial: "reno",
    settings: ["reno", "cubic", "westwood", "hybla", "bbr"].map((name) => ({
      label: name,
      overrides: { "flows.0.tcp.congestion_control": name },
    })),
  },
  columns: ["goodput", "delay", "longestQueue", "retransmitted", "timeouts"],
  charts: ["cwnd", "delivery", "rtt"],
  film: [0, 3],
  prediction: {
    question: "What goodput has Hybla?",
    unit: "Mbit/s",
    of: (results) => results.mean("hybla", "goodput") / 1e6,
  },
  observe: [
    "Predict with the square-root law: what goodput does Reno have with one loss in 834 packets and an RTT of 600 ms?",
    "Compare how fast the windows grow again after a loss.",
    "Compare the delays: which sender fills the queue?",
  ],
  claims: [
    {
      text: "Reno uses 5 % of the link's 20 Mbit/s, CUBIC 13 %.",
      holds: (results) => share(results, "reno") === 5 && share(results, "cubic") === 13,
    },
    {
      text: "Hybla has more than ten times the goodput of Reno.",
      holds: (results) => results.mean("hybla", "goodput") > 10 * results.mean("reno", "goodput"),
    },
    {
      text: "Westwood and BBR, which estimate the rate of the path instead of halving at a loss, have more than Hybla: their 95 % CIs are above that of Hybla.",
      holds: (results) => ["westwood", "bbr"].every((name) => results.isAbove(name, "hybla", "goodput")),
    },
    {
      text: "Hybla has the longest mean queue of all: 104 packets, where Westwood has 25.",
      holds: (results) =>
        isPrinted(results.mean("hybla", "longestQueue"), "104") &&
        isPrinted(results.mean("westwood", "longestQueue"), "25") &&
        ["reno", "cubic", "bbr"].every((name) => results.isAbove("hybla", name, "longestQueue")),
    },
    {
      text: "The mean delay with Hybla is 97 ms longer than with Westwood, and 6.1 times as many packets are retransmitted.",
      holds: (results) =>
        isPrinted(1e3 * (results.mean("hybla", "delay") - results.mean("westwood", "delay")), "97") &&
        isPrinted(results.mean("hybla", "retransmitted") / results.mean("westwood", "retransmitted"), "6.1"),
    },
  ],
  further: "Set links.0.error.rate to 0 and to 1e-6. Which order of the senders changes, and which are equal within the largest window of 1800 packets?",
};

/** Of the rate of the link, in %. */
function share(results: Results, setting: string): number {
  return Math.round(results.mean(setting, "goodput") / 20e4);
}
