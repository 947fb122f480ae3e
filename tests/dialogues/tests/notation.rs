//! What foreign scripts may say, and how the rest is refused.

use farlink_dialogues::{Outcome, play};

const SERVER: &str = "
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+.1 < S 0:0(0) win 32792 <mss 1000,sackOK,nop,nop,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK,nop,wscale 8>
+.1 < . 1:1(0) ack 1 win 257
+0 accept(3, ..., ...) = 4
";
/// The lines of [`SERVER`].
const LINES: usize = 8;

fn after_accept(rest: &str) -> Outcome {
    play(&format!("{SERVER}{rest}\n"))
}

#[track_caller]
fn assert_passes(rest: &str) {
    assert_eq!(after_accept(rest), Outcome::Passed, "{rest}");
}

#[track_caller]
fn assert_fails(rest: &str, what: &str) {
    match after_accept(rest) {
        Outcome::Failed(mismatch) => assert!(mismatch.what.contains(what), "{}", mismatch.what),
        other => panic!("{rest}: {other:?}"),
    }
}

#[test]
fn a_script_in_which_nothing_happens_does_not_pass() {
    for empty in ["", "\n", "// a comment\n", "--tolerance_usecs=1000\n"] {
        let Outcome::Refused(refusal) = play(empty) else { panic!("{empty:?}: {:?}", play(empty)) };
        assert_eq!(refusal.why, "nothing happens in it");
    }
}

#[test]
fn segments_sent_at_once_may_be_named_as_one() {
    assert_passes("+0 write(4, ..., 3000) = 3000\n+0 > P. 1:3001(3000) ack 1");
    assert_passes("+0 write(4, ..., 3000) = 3000\n+0 > . 1:2001(2000) ack 1\n+0 > P. 2001:3001(1000) ack 1");
    assert_fails("+0 write(4, ..., 3000) = 3000\n+0 > P. 1:4001(4000) ack 1", "expected bytes 1:4001");
}

#[test]
fn a_blocking_call_returns_at_the_time_of_the_script() {
    let data = "+.1 < P. 1:1001(1000) ack 1 win 257\n+0 > . 1:1(0) ack 1001";
    assert_passes(&format!("+0...0.1 read(4, ..., 1000) = 1000\n{data}"));
    assert_fails(&format!("+0...0.2 read(4, ..., 1000) = 1000\n{data}"), "returned at 0.3");
    assert_fails(&format!("+0...0.05 read(4, ..., 1000) = 1000\n{data}"), "did not return by 0.25");
    assert_fails("+0...0.1 read(4, ..., 1000) = 1000", "did not return");
}

#[test]
fn times_may_be_ranges() {
    let lost = "+0 write(4, ..., 1000) = 1000\n+0 > P. 1:1001(1000) ack 1\n";
    assert_passes(&format!("{lost}+.3~+.5 > P. 1:1001(1000) ack 1"));
    assert_passes(&format!("{lost}0.5~0.7 > P. 1:1001(1000) ack 1"));
    assert_passes(&format!("{lost}* > P. 1:1001(1000) ack 1"));
    assert_fails(&format!("{lost}+.1~+.2 > P. 1:1001(1000) ack 1"), "nothing was sent");
}

#[test]
fn assertions_compare_as_python_does() {
    assert_passes("+0 %{ assert tcpi_snd_cwnd == 10, 'cwnd=%d' % tcpi_snd_cwnd }%");
    assert_passes(
        "+0 %{\nassert 5 <= tcpi_snd_cwnd <= 10 # both\nassert tcpi_unacked == 1 or tcpi_unacked == 0\n}%",
    );
    assert_passes("+0 %{ print(tcpi_snd_cwnd); assert tcpi_ca_state == TCP_CA_Open }%");
    assert_fails("+0 %{ assert 10 < tcpi_snd_cwnd < 20 }%", "it is 10");
}

#[test]
fn a_closed_socket_is_gone() {
    assert_passes(
        "+0 close(4) = 0\n+0 > F. 1:1(0) ack 1\n+0 write(4, ..., 10) = -1 EBADF (Bad file descriptor)",
    );
    assert_passes(
        "+0 shutdown(4, SHUT_WR) = 0\n+0 > F. 1:1(0) ack 1\n+0 write(4, ..., 10) = -1 EPIPE (Broken pipe)",
    );
}

#[test]
fn what_cannot_be_run_is_refused_with_its_line_and_construct() {
    let cases = [
        ("+0 sendfile(4, 5, [0], 5) = 5", "sendfile(4, 5, [0], 5) = 5"),
        ("+0 splice(4, 5) = 1", "splice("),
        ("+0 < icmp echo_request", "echo_request"),
        ("+0 < . 1:1(0) ack 1 win 257 <md5 0102>", "md5"),
        ("+0 < . 1:1(0) ack 1 win 257 urg 3", "urg 3"),
        ("+0 %{ assert tcpi_reordering == 7 }%", "tcpi_reordering == 7"),
        ("+0 %{ assert tcpi_options == 32 }%", "tcpi_options == 32"),
        ("+0 %{ cwnd = tcpi_snd_cwnd }%", "cwnd = tcpi_snd_cwnd"),
        ("+0 `iptables -A OUTPUT -j DROP`", "iptables"),
        ("+0 setsockopt(4, IPPROTO_TCP, TCP_CORK, [1], 4) = 0", "TCP_CORK"),
        ("+0 write(4, ..., 5000) = 3000", "write(4, ..., 5000)"),
        ("+0 nonsense(4) = 0", "nonsense(4)"),
        ("0.0 < . 1:1(0) ack 1 win 257", "0"),
    ];
    for (rest, construct) in cases {
        match after_accept(rest) {
            Outcome::Refused(refusal) => {
                assert_eq!(refusal.line, LINES + 1, "{rest}");
                assert!(refusal.construct.contains(construct), "{rest}: {}", refusal.construct);
            }
            other => panic!("{rest}: {other:?}"),
        }
    }
}

#[test]
fn an_error_in_a_header_is_refused_with_its_line() {
    let Outcome::Refused(refusal) = play("// RFC 0\n//! segment_sise = \"1000 B\"\n") else {
        panic!("it is taken");
    };
    assert_eq!(refusal.line, 2);
    assert!(refusal.why.contains("segment_size"), "{}", refusal.why);
}

#[test]
fn poll_and_epoll_find_what_holds_and_nothing_else() {
    assert_passes("+0 poll([{fd=4, events=POLLIN|POLLOUT, revents=POLLOUT}], 1, 0) = 1");
    assert_fails("+0 poll([{fd=4, events=POLLIN|POLLOUT, revents=POLLIN|POLLOUT}], 1, 0) = 1", "found OUT");
    let watch = "+0 epoll_create(1) = 5\n+0 epoll_ctl(5, EPOLL_CTL_ADD, 4, {events=EPOLLOUT|EPOLLET, fd=4}) = 0\n\
                 +0 epoll_wait(5, {events=EPOLLOUT, fd=4}, 1, 0) = 1";
    assert_passes(&format!("{watch}\n+0 epoll_wait(5, {{events=0, ptr=0}}, 1, 0) = 0"));
    assert_fails(&format!("{watch}\n+0 epoll_wait(5, {{events=EPOLLOUT, fd=4}}, 1, 0) = 1"), "found nothing");
}

#[test]
fn a_report_of_the_error_queue_with_another_number_fails() {
    let report = |last: u32| {
        format!(
            "+0 setsockopt(4, SOL_SOCKET, SO_ZEROCOPY, [1], 4) = 0\n+0 send(4, ..., 500, MSG_ZEROCOPY) = 500\n\
             +0 > P. 1:501(500) ack 1\n+.1 < . 1:1(0) ack 501 win 257\n\
             +0 recvmsg(4, {{msg_name(...)=..., msg_iov(1)=[{{..., 0}}], msg_flags=MSG_ERRQUEUE, \
             msg_control=[{{cmsg_level=SOL_IP, cmsg_type=IP_RECVERR, cmsg_data={{ee_errno=0, \
             ee_origin=SO_EE_ORIGIN_ZEROCOPY, ee_info=0, ee_data={last}}}}}]}}, MSG_ERRQUEUE) = 0"
        )
    };
    assert_passes(&report(0));
    assert_fails(&report(1), "Zerocopy { first: 0, last: 0 }");
}

#[test]
fn the_unread_bytes_of_a_message_are_compared() {
    let read = |unread: u32| {
        format!(
            "+0 setsockopt(4, SOL_TCP, TCP_INQ, [1], 4) = 0\n+.1 < P. 1:501(500) ack 1 win 257\n\
             +0 recvmsg(4, {{msg_name(...)=..., msg_iov(1)=[{{..., 200}}], msg_flags=0, \
             msg_control=[{{cmsg_level=SOL_TCP, cmsg_type=TCP_CM_INQ, cmsg_data={unread}}}]}}, 0) = 200"
        )
    };
    assert_passes(&read(300));
    assert_fails(&read(299), "TCP_CM_INQ is 300");
}

#[test]
fn variables_of_assertions_keep_their_values() {
    assert_passes("+0 %{ cwnd = 9 }%\n+0 %{ cwnd += 1; assert tcpi_snd_cwnd == cwnd }%");
    assert_fails("+0 %{ cwnd = 9 }%\n+0 %{ assert tcpi_snd_cwnd == cwnd }%", "it is 10");
}

#[test]
fn a_cookie_with_another_byte_fails() {
    let listen = "`../common/defaults.sh`\n0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 bind(3, ..., ...) = 0\n\
                  +0 listen(3, 1) = 0\n+0 < S 0:0(0) win 32792 <mss 1000,FO,nop,nop>\n";
    let answer = |cookie: &str| play(&format!("{listen}+0 > S. 0:0(0) ack 1 <mss 1460,FO {cookie}>\n"));
    assert_eq!(answer("TFO_COOKIE"), Outcome::Passed);
    assert!(matches!(answer("3021b9d889017eec"), Outcome::Failed(_)));
}
