/* Enhanced Hybla (Vanzara, Bhatt, 2014) as a module of ns-2.35's TCP-Linux agent, for comparison with Farlink's.
 *
 * The agent of the paper keeps its modules in the program. This one is loaded beside it:
 *
 *     gcc -O2 -w -shared -fPIC -I NS2/tcp/linux enhanced_hybla.c -o enhanced_hybla.so -lm
 *     env LD_PRELOAD=./enhanced_hybla.so ns satellite.tcl enhanced_hybla ..
 *
 * where NS2 is the unpacked source of ns-2.35, of which only the agent's interface (ns-linux-c.h) is used.
 *
 * Growth is Hybla's in real numbers. The used bandwidth is Westwood+'s: bytes of each round trip through two averages
 * of 7/8. After a loss the window is the residual or the minimum pipe, never less than three quarters of the flight;
 * after a timeout the window is rho.
 */
#include "ns-linux-c.h"

#include <math.h>

#define CAPACITY_BPS 100e6
#define WIRE_BITS 12000.0
#define RTT0_MS 25.0
#define LARGEST 65535.0

/* How the agent's scoreboard begins (ScoreBoard1 in tcp/scoreboard1.h). */
struct scoreboard {
	void *methods;
	void *head;
	void *next_lost;
	int acked_retransmission;
	int retransmission;
	int highest_sacked;
	int lost;
	int sacked;
};

struct enhanced {
	double window;    /* the real-valued window */
	double rho;
	double coarse;    /* segments per millisecond after the first average */
	double bandwidth; /* and after the second */
	double arrived;   /* segments since `since` */
	double accounted; /* those that duplicate ACKs stood for */
	unsigned long since_ms;
	unsigned long una;
	unsigned long min_rtt_ms;
	unsigned long srtt_ms;
	double pipe;      /* what the last loss set */
	int repairing;
};

/* The agent keeps 16 words for a module; this one keeps a pointer there. */
static struct enhanced *of(const struct sock *sk)
{
	return *(struct enhanced **)sk->icsk_ca_priv;
}

static void follow(struct sock *sk, struct enhanced *e)
{
	unsigned long srtt = sk->srtt >> 3;

	if (srtt == 0 || srtt >= e->min_rtt_ms)
		return;
	e->min_rtt_ms = srtt;
	e->rho = fmax(srtt / RTT0_MS, 1.0);
}

static void enhanced_init(struct sock *sk)
{
	struct enhanced *e = calloc(1, sizeof *e);

	*(struct enhanced **)sk->icsk_ca_priv = e;
	e->rho = 1.0;
	e->min_rtt_ms = ~0ul;
	e->since_ms = tcp_time_stamp;
	e->una = sk->snd_una;
	follow(sk, e);
	e->window = e->rho;
	sk->snd_cwnd = (unsigned long)e->rho;
}

/* Counts every segment once, duplicates as one that a later ACK leaves out, and closes a sample per round trip. */
static void enhanced_event(struct sock *sk, enum tcp_ca_event event)
{
	struct enhanced *e = of(sk);
	unsigned long elapsed = tcp_time_stamp - e->since_ms;
	double acked = ((double)sk->snd_una - (double)e->una) / sk->mss_cache;

	if (event != CA_EVENT_FAST_ACK && event != CA_EVENT_SLOW_ACK)
		return;
	if (e->srtt_ms > 0 && elapsed > max(e->srtt_ms, 50ul)) {
		double sample = e->arrived / elapsed;

		e->coarse = e->coarse > 0 ? (7 * e->coarse + sample) / 8 : sample;
		e->bandwidth = e->bandwidth > 0 ? (7 * e->bandwidth + e->coarse) / 8 : sample;
		e->arrived = 0;
		e->since_ms = tcp_time_stamp;
	}
	e->una = sk->snd_una;
	if (acked <= 0) {
		e->accounted += 1;
		e->arrived += 1;
	} else {
		double known = fmin(e->accounted, acked - 1);

		e->accounted -= known;
		e->arrived += acked - known;
		e->srtt_ms = sk->srtt >> 3;
	}
	follow(sk, e);
}

static void enhanced_cong_avoid(struct sock *sk, u32 ack, u32 rtt, u32 in_flight, int good)
{
	struct enhanced *e = of(sk);

	if (!tcp_is_cwnd_limited(sk, in_flight))
		return;
	/* The agent sets the window at losses and when they are repaired. */
	if ((unsigned long)e->window != sk->snd_cwnd)
		e->window = sk->snd_cwnd;
	if (sk->snd_cwnd < sk->snd_ssthresh)
		e->window = fmin(e->window + exp2(e->rho) - 1, sk->snd_ssthresh);
	else
		e->window += e->rho * e->rho / e->window;
	e->window = fmin(e->window, fmin(LARGEST, sk->snd_cwnd_clamp));
	sk->snd_cwnd = (unsigned long)e->window;
}

/* Packets in flight. The agent tells a module that only while the window may grow, which it never does while losses are
 * repaired; at BER 1e-7 one repair follows the other, and that number stays the one of the first seconds. So it is
 * counted as the agent counts it (packets_in_flight in tcp-linux.cc): its scoreboard is what stands before its sock. */
static double flight(const struct sock *sk)
{
	const struct scoreboard *board = ((const struct scoreboard *const *)sk)[-1];
	double sent = ((double)sk->snd_nxt - (double)sk->snd_una) / sk->mss_cache;

	return sent - board->lost - board->sacked;
}

static u32 enhanced_ssthresh(struct sock *sk)
{
	struct enhanced *e = of(sk);
	double used_bps = e->bandwidth * 1000 * WIRE_BITS;
	double bps = used_bps < CAPACITY_BPS / 2 ? CAPACITY_BPS - used_bps : used_bps;
	double rtt_s = e->min_rtt_ms == ~0ul ? 0 : e->min_rtt_ms / 1e3;

	e->pipe = fmax(fmax(bps * rtt_s / WIRE_BITS, 0.75 * flight(sk)), 2);
	return (u32)e->pipe;
}

static u32 enhanced_min_cwnd(const struct sock *sk)
{
	return (u32)of(sk)->pipe;
}

static void enhanced_state(struct sock *sk, u8 state)
{
	struct enhanced *e = of(sk);

	if (e != NULL && state == TCP_CA_Loss)
		sk->snd_cwnd = (unsigned long)e->rho;
}

static struct tcp_congestion_ops enhanced = {
	.init = enhanced_init,
	.ssthresh = enhanced_ssthresh,
	.min_cwnd = enhanced_min_cwnd,
	.cong_avoid = enhanced_cong_avoid,
	.set_state = enhanced_state,
	.cwnd_event = enhanced_event,
	.name = "enhanced_hybla",
};

__attribute__((constructor)) static void enhanced_register(void)
{
	tcp_register_congestion_control(&enhanced);
	set_linux_file_name("enhanced_hybla.c");
}
