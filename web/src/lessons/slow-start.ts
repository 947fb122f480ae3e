/** How long a transfer is in slow start (RFC 5681, section 3.1; RFC 6928). */

import { isPrinted, type Lesson, type Results } from "./lesson.js";

export const slowStart: Lesson = {
  id: "slow-start",
  title: "Slow start",
  question: "Why does a short transfer not use the capacity of a link?",
  background: [
    "A TCP sender does not know the capacity of the path. It begins with a congestion window of 10 segments (RFC 6928) and adds a segment for each one that is acknowledged, so that the window doubles every round trip until a packet is lost (slow start, RFC 5681).",
    "The link here has 10 Mbit/s and an RTT of 100 ms. Its bandwidth-delay product is 125 kB, or 83 packets of 1500 B: a sender needs a window of that size to keep the link busy. The receiver's buffer of 256 kB bounds what is sent without acknowledgement, so that nothing is lost here.",
  ],
  toml: `name = "slow_start"
duration = "30 s"

[[nodes]]
name = "server"
[[nodes]]
name = "client"

[[links]]
between = ["server", "client"]
rate = "10 Mbit/s"
delay = "50 ms"
queue = { name = "drop_tail", limit = "200 packets" }

[[flows]]
label = "download"
from = "server"
to = "client"
application = { name = "file", size = "10 kB" }
tcp = { congestion_control = "reno", delayed_ack = "off", receive_buffer = "256 kB" }

[record]
interval = "20 ms"
`,
  seeds: [1],
  control: {
    label: "Size of the file",
    initial: "1 MB",
    settings: ["10 kB", "100 kB", "1 MB", "10 MB"].map((size) => ({
      label: size,
      overrides: { "flows.0.application.size": JSON.stringify(size) },
    })),
  },
  columns: ["completion", "goodput", "retransmitted"],
  charts: ["cwnd", "delivery"],
  span: [0, 1.4],
  film: [0, 1.4],
  prediction: {
    question: "How long does the transfer of 100 kB take?",
    unit: "s",
    of: (results) => results.mean("100 kB", "completion"),
  },
  observe: [
    "Predict the completion time of 100 kB from that of 10 kB.",
    "Compare the goodput with the 10 Mbit/s of the link.",
    "In the chart of the congestion window, count the round trips of 100 ms until it reaches 83 segments.",
  ],
  claims: [
    {
      text: "The window doubles every round trip: with 10 MB it is 10, 20, 40 and 80 segments at 0.2, 0.3, 0.4 and 0.5 s.",
      holds: (results) => [10, 20, 40, 80].every((window, place) => windowAt(results, 0.2 + 0.1 * place) === window),
    },
    {
      text: "A file of ten times the size, 100 kB instead of 10 kB, takes 2.2 times as long.",
      holds: (results) => isPrinted(results.mean("100 kB", "completion") / results.mean("10 kB", "completion"), "2.2"),
    },
    {
      text: "10 kB reach 4 % of the link's 10 Mbit/s, 100 kB 18 %, 1 MB 64 % and 10 MB 92 %.",
      holds: (results) => {
        const shares = { "10 kB": 4, "100 kB": 18, "1 MB": 64, "10 MB": 92 };
        return Object.entries(shares).every(
          ([size, share]) => Math.round(results.mean(size, "goodput") / 1e5) === share,
        );
      },
    },
    {
      text: "No packet is retransmitted: what short files lack is not caused by loss.",
      holds: (results) =>
        ["10 kB", "100 kB", "1 MB", "10 MB"].every((size) => results.mean(size, "retransmitted") === 0),
    },
  ],
  further:
    "Set links.0.delay to 300 ms, the delay of a geostationary satellite. Why does no file reach 40 % of the link, however large? Then set flows.0.tcp.receive_buffer to 1 MB, links.0.queue.limit to 1000 packets, and the simulated time to 120 s. How large must a file be to reach 90 %? Which size gains most from flows.0.tcp.initial_window = \"40 packets\"?",
};

/** The congestion window with 10 MB. */
function windowAt(results: Results, time: number): number | undefined {
  const { t, v } = results.samples("10 MB", "cwnd");
  return v[t.findIndex((each) => Math.abs(each - time) < 1e-6)];
}
