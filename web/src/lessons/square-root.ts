/** Goodput and random loss (M. Mathis et al., ACM CCR 27(3), 1997). */

import { isNear, isPrinted, type Lesson } from "./lesson.js";

const RTT_S = 0.05;
const SEGMENT_BITS = 8 * 1448;

/** MSS / RTT * sqrt(3 / 2) / sqrt(p), with an ACK per segment. */
function mathis(loss: number): number {
  return ((SEGMENT_BITS / RTT_S) * Math.sqrt(1.5)) / Math.sqrt(loss);
}

export const squareRoot: Lesson = {
  id: "square-root",
  title: "Loss and the square-root law",
  question: "What does a sender lose when four times as many packets are lost?",
  background: [
    "Reno halves its window at a loss and then adds a segment per round trip. The mean of that sawtooth gives the goodput MSS / RTT · √(3/2) / √p for a loss probability p (Mathis et al., 1997), as long as neither the link nor timeouts limit it.",
    "The link here has 100 Mbit/s and an RTT of 50 ms. Packets of data are lost at random, independently of each other.",
  ],
  toml: `name = "square_root"
duration = "120 s"

[[nodes]]
name = "sender"
[[nodes]]
name = "receiver"

[[links]]
between = ["sender", "receiver"]
rate = "100 Mbit/s"
delay = "25 ms"
queue = { name = "drop_tail", limit = "1000 packets" }
error = { name = "packet_error_rate", rate = 0.0004 }
reverse = { error = "none" }

[[flows]]
label = "transfer"
from = "sender"
to = "receiver"
tcp = { congestion_control = "reno", delayed_ack = "off", initial_ssthresh = "50 packets" }
`,
  seeds: [1, 2, 3, 4, 5],
  control: {
    label: "Loss probability",
    initial: "0.0004",
    settings: ["0.0004", "0.0016", "0.0064", "0.0256"].map((rate) => ({
      label: rate,
      overrides: { "links.0.error.rate": rate },
    })),
  },
  columns: ["goodput", "dropped", "fastRetransmits", "timeouts"],
  charts: ["cwnd", "delivery"],
  film: [1, 1.3],
  prediction: {
    question: "What goodput is left with a loss of 0.0016?",
    unit: "Mbit/s",
    of: (results) => results.mean("0.0016", "goodput") / 1e6,
  },
  observe: [
    "Predict the goodput for four times the loss before you move the control.",
    "Compare the goodput with the formula: 0.0004 gives 14.2 Mbit/s.",
    "Watch the heights of the sawtooth in the chart of the congestion window.",
  ],
  claims: [
    {
      text: "Four times the loss halves the goodput, as the law says: from 0.0004 to 0.0016 it falls to 48 %, and from there to 0.0064 to 48 %.",
      holds: (results) =>
        [
          ["0.0004", "0.0016", "48"],
          ["0.0016", "0.0064", "48"],
        ].every(([less, more, left]) =>
          isPrinted((100 * results.mean(more!, "goodput")) / results.mean(less!, "goodput"), left!),
        ),
    },
    {
      text: "From 0.0004 to 0.0064 the goodput is within 6 % of the formula, which gives 14.2 Mbit/s for 0.0004.",
      holds: (results) =>
        isPrinted(mathis(0.0004) / 1e6, "14.2") &&
        ["0.0004", "0.0016", "0.0064"].every((loss) =>
          isNear(results.mean(loss, "goodput"), mathis(Number(loss)), 0.06),
        ),
    },
    {
      text: "With a loss of 0.0256 the goodput is 20 % below the formula.",
      holds: (results) => isPrinted(100 * (1 - results.mean("0.0256", "goodput") / mathis(0.0256)), "20"),
    },
    {
      text: "There the formula leaves out the timeouts: a mean of 9.6 in 120 s with 0.0256, of 0.8 with 0.0064, and none with less loss.",
      holds: (results) =>
        isPrinted(results.mean("0.0256", "timeouts"), "9.6") &&
        isPrinted(results.mean("0.0064", "timeouts"), "0.8") &&
        ["0.0004", "0.0016"].every((loss) => results.mean(loss, "timeouts") === 0),
    },
  ],
  further: "Set the congestion control to cubic, then to bbr. Which of the two depends on the loss probability?",
};
