/** Standing queues and their management (RFC 8289, RFC 8290). */

import { isPrinted, type Lesson } from "./lesson.js";

const BUFFERS = ["50 packets", "200 packets", "1000 packets"];

const ACCESS_DELAY_MS = 20;
const CORE_DELAY_MS = 1;

export const bufferbloat: Lesson = {
  id: "bufferbloat",
  title: "Bufferbloat and CoDel",
  question: "Why is a call delayed while a file is downloaded, and which queue prevents it?",
  background: [
    "A sender that increases its window until a packet is lost fills the buffer of the bottleneck, whatever its size. Every other packet then waits behind a full buffer.",
    "CoDel (RFC 8289) drops when packets have waited longer than 5 ms for a whole interval of 100 ms. FQ-CoDel (RFC 8290) does so in a queue per flow, and serves the flows in turn.",
    "The access link here has 10 Mbit/s and a delay of 20 ms. A call sends 50 packets of 160 B a second; a file is downloaded with CUBIC at the same time. Its slow start ends at 60 packets (initial_ssthresh).",
  ],
  toml: `name = "bufferbloat"
duration = "60 s"

[[nodes]]
name = "server"
[[nodes]]
name = "caller"
[[nodes]]
name = "provider"
[[nodes]]
name = "home"

[[links]]
between = ["server", "provider"]
rate = "1 Gbit/s"
delay = "${CORE_DELAY_MS} ms"
[[links]]
between = ["caller", "provider"]
rate = "1 Gbit/s"
delay = "${CORE_DELAY_MS} ms"
[[links]]
between = ["provider", "home"]
rate = "10 Mbit/s"
delay = "${ACCESS_DELAY_MS} ms"
queue = { name = "drop_tail", limit = "50 packets" }

[[flows]]
label = "download"
from = "server"
to = "home"
tcp = { congestion_control = "cubic", initial_ssthresh = "60 packets" }

[[flows]]
label = "call"
from = "caller"
to = "home"
start = "1 s..2 s"
application = { name = "constant_bit_rate", rate = "64 kbit/s", packet_size = "160 B" }
`,
  seeds: [1, 2, 3],
  control: {
    label: "Queue of the access link",
    initial: "50 packets",
    settings: [
      ...BUFFERS.map((limit) => ({
        label: limit,
        overrides: { "links.2.queue": `{ name = "drop_tail", limit = "${limit}" }` },
      })),
      { label: "CoDel", overrides: { "links.2.queue": "codel" } },
      { label: "FQ-CoDel", overrides: { "links.2.queue": "fq_codel" } },
    ],
  },
  columns: ["goodput", "delay", "lost", "delayVariation", "longestQueue"],
  charts: ["queue", "rtt", "delivery"],
  film: [10, 10.5],
  prediction: {
    question: "What is the mean delay of the call with a buffer of 1000 packets?",
    unit: "ms",
    of: (results) => 1e3 * results.mean("1000 packets", "delay", "call"),
  },
  observe: [
    "Predict the delay of the call with 1000 packets of buffer: 1500 B take 1.2 ms at 10 Mbit/s.",
    "Compare the goodput of the download with 50 and with 1000 packets.",
    "Compare the queue of CoDel with that of 50 packets.",
  ],
  claims: [
    {
      text: "The download fills every buffer: the mean queue is 38 packets with 50, 153 with 200, and 718 with 1000. CoDel and FQ-CoDel keep it at 2.",
      holds: (results) => {
        const queues = { "50 packets": "38", "200 packets": "153", "1000 packets": "718", CoDel: "2", "FQ-CoDel": "2" };
        return Object.entries(queues).every(([queue, length]) =>
          isPrinted(results.mean(queue, "longestQueue"), length),
        );
      },
    },
    {
      text: "A larger buffer does not make the download faster: it has 9.56 Mbit/s with 50, with 200 and with 1000 packets.",
      holds: (results) =>
        BUFFERS.every((buffer) => results.mean(buffer, "goodput", "download").toPrecision(3) === "9.56e+6"),
    },
    {
      text: "It makes the call slower: its mean delay is 65 ms with 50 packets, 200 ms with 200, and 856 ms with 1000.",
      holds: (results) =>
        [65, 200, 856].every(
          (delay, place) => Math.round(1e3 * results.mean(BUFFERS[place]!, "delay", "call")) === delay,
        ),
    },
    {
      text: "CoDel keeps the delay of the call at 24 ms, 3 ms above the propagation delay of its path (21 ms), and the download gives up 7 % of its goodput.",
      holds: (results) => {
        const delay = 1e3 * results.mean("CoDel", "delay", "call");
        const propagation = CORE_DELAY_MS + ACCESS_DELAY_MS;
        const kept = results.mean("CoDel", "goodput", "download") / results.mean("50 packets", "goodput", "download");
        return (
          isPrinted(delay, "24") &&
          isPrinted(delay - propagation, "3") &&
          propagation === 21 &&
          isPrinted(100 * (1 - kept), "7")
        );
      },
    },
    {
      text: "CoDel drops packets of the call, too: 0.6 % of them. FQ-CoDel, with a queue of its own for the call, loses none.",
      holds: (results) =>
        isPrinted(100 * results.mean("CoDel", "lost", "call"), "0.6") && results.mean("FQ-CoDel", "lost", "call") === 0,
    },
  ],
  further: "Set the congestion control of the download to bbr or vegas: which queues does the call need then?",
};
