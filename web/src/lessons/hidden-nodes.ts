/** Hidden nodes and the RTS/CTS exchange (IEEE 802.11-1999, clause 9.2.5.4). */

import { isPrinted, type Lesson } from "./lesson.js";

const FLOWS = ["left", "right"];

export const hiddenNodes: Lesson = {
  id: "hidden-nodes",
  title: "Hidden nodes and RTS/CTS",
  question: "What does RTS/CTS cost, and when is it worth it?",
  background: [
    "An 802.11 station transmits when it senses the medium idle. Two stations that do not receive each other, but both reach a third, are hidden from each other: their frames collide there, and neither senses it.",
    "With RTS/CTS the sender asks with a short RTS; the receiver answers with a CTS, which the hidden station receives, too. It then defers for the announced time (NAV). The two frames occupy the medium at every attempt, also where no station is hidden.",
    "Here left and right send to the node in the middle, 200 m from each. Signals reach 250 m, so that the two are hidden from each other, unless carrier sense reaches 550 m.",
  ],
  toml: `name = "hidden_nodes"
duration = "20 s"

[[nodes]]
name = "left"
position = ["0 m", "0 m"]
[[nodes]]
name = "middle"
position = ["200 m", "0 m"]
[[nodes]]
name = "right"
position = ["400 m", "0 m"]

[radio]
propagation = { name = "disc", range = "250 m" }
phy = { name = "dsss", rate = "2 Mbit/s" }
mac = { name = "dcf", rts_threshold = "2347 B" }

[[flows]]
label = "left"
from = "left"
to = "middle"
start = "0 s..1 s"
application = { name = "constant_bit_rate", rate = "800 kbit/s", packet_size = "1000 B" }

[[flows]]
label = "right"
from = "right"
to = "middle"
start = "0 s..1 s"
application = { name = "constant_bit_rate", rate = "800 kbit/s", packet_size = "1000 B" }
`,
  seeds: [1, 2, 3, 4, 5],
  control: {
    label: "Access to the medium",
    initial: "hidden, no RTS",
    settings: [
      { label: "hidden, no RTS", overrides: {} },
      { label: "hidden, RTS/CTS", overrides: { "radio.mac.rts_threshold": '"0 B"' } },
      { label: "sensed, no RTS", overrides: { "radio.propagation.sensing_range": '"550 m"' } },
      {
        label: "sensed, RTS/CTS",
        overrides: { "radio.propagation.sensing_range": '"550 m"', "radio.mac.rts_threshold": '"0 B"' },
      },
    ],
  },
  columns: ["goodput", "delay", "lost", "dropped", "failedAttempts"],
  charts: ["delivery", "queue"],
  film: [2, 2.3],
  prediction: {
    question: "What goodput has the left flow with RTS/CTS, while the stations are hidden?",
    unit: "kbit/s",
    of: (results) => results.mean("hidden, RTS/CTS", "goodput", "left") / 1e3,
  },
  observe: [
    "Predict which of the four settings has the fewest failed attempts.",
    "Compare the goodput with and without RTS/CTS, first of hidden stations, then of stations that sense each other.",
    "Each flow offers 800 kbit/s: which settings carry all of it?",
  ],
  claims: [
    {
      text: "Hidden stations without RTS/CTS lose more than 70 % of their packets.",
      holds: (results) => FLOWS.every((flow) => results.mean("hidden, no RTS", "lost", flow) > 0.7),
    },
    {
      text: "RTS/CTS gives hidden stations more than three times the goodput: failed attempts fall to less than a hundredth.",
      holds: (results) =>
        FLOWS.every(
          (flow) =>
            results.mean("hidden, RTS/CTS", "goodput", flow) > 3 * results.mean("hidden, no RTS", "goodput", flow) &&
            results.mean("hidden, RTS/CTS", "failedAttempts", flow) <
              results.mean("hidden, no RTS", "failedAttempts", flow) / 100,
        ),
    },
    {
      text: "Stations that sense each other lose goodput by RTS/CTS, left 10 % and right 9 %, although no attempt fails then.",
      holds: (results) =>
        FLOWS.every((flow, place) => {
          const kept =
            results.mean("sensed, RTS/CTS", "goodput", flow) / results.mean("sensed, no RTS", "goodput", flow);
          return (
            isPrinted(100 * (1 - kept), ["10", "9"][place]!) &&
            results.isAbove("sensed, no RTS", "sensed, RTS/CTS", "goodput", flow) &&
            results.mean("sensed, RTS/CTS", "failedAttempts", flow) === 0
          );
        }),
    },
    {
      text: "Only stations that sense each other, without RTS/CTS, carry nearly all of the 800 kbit/s that each flow offers: 97 % of left, 98 % of right. The next best setting carries 88 % of each.",
      holds: (results) =>
        FLOWS.every(
          (flow, place) =>
            isPrinted(results.mean("sensed, no RTS", "goodput", flow) / 8e3, ["97", "98"][place]!) &&
            isPrinted(results.mean("sensed, RTS/CTS", "goodput", flow) / 8e3, "88") &&
            results.mean("hidden, RTS/CTS", "goodput", flow) < results.mean("sensed, RTS/CTS", "goodput", flow),
        ),
    },
  ],
  further:
    "Set flows.*.application.packet_size to 100 B and the rate to 60 kbit/s: is RTS/CTS still worth its time? In the animation, look for frames that overlap at the middle.",
};
