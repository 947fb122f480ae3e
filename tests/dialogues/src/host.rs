//! The host of foreign scripts: the few shell commands that only set options a connection has as well.

mod fast_open;

use farlink_tcp::config::EcnMode;
use farlink_tcp::fast_open::Memory;
use farlink_tcp::{Config, preset, recovery};

use crate::header::{self, Setting};
pub(crate) use fast_open::{FastOpen, Key};

/// What commands have set.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    /// The options of connections made from now on.
    pub(crate) tcp: Config,
    /// The segment on a foreign script's path, TCP options included.
    pub(crate) mss: u64,
    /// ECN is agreed to, but not asked for.
    pub(crate) only_answers_ecn: bool,
    /// Fast Open of client and server.
    pub(crate) fast_open: FastOpen,
}

impl Host {
    /// A host before any command.
    pub(crate) fn new(setting: &Setting) -> Self {
        Self {
            tcp: setting.tcp.clone(),
            mss: header::MSS,
            only_answers_ecn: false,
            fast_open: FastOpen::new(setting.addresses),
        }
    }
}

/// Settings that have nothing to act on: segments are compared put together again, there is no send buffer, and of
/// paths only what Fast Open needs is remembered.
const WITHOUT_OBJECT: [&str; 7] = [
    "tcp_fastopen_blackhole_timeout_sec",
    "tcp_tso_win_divisor",
    "tcp_min_tso_segs",
    "tcp_wmem",
    "tcp_syncookies",
    "tcp_no_metrics_save",
    "tcp_autocorking",
];
/// Settings at the only value that is built in.
const BUILT_IN: [&str; 4] =
    ["tcp_pacing_ss_ratio=200", "tcp_pacing_ca_ratio=120", "tcp_reordering=3", "tcp_fack=0"];

/// Carries `command` out on the options, or says which part of it cannot be.
pub(crate) fn command(command: &str, host: &mut Host) -> Result<(), String> {
    let joined = command.replace("\\\n", " ");
    for part in joined.split(['\n', ';']).map(str::trim) {
        let refusal = || format!("the command `{part}` means nothing without a kernel");
        // What stands after `||` is for older kernels.
        let part = part.split("||").next().unwrap_or(part).trim();
        let words = shlex::split(part).ok_or_else(refusal)?;
        let is_redirection =
            |word: &&str| *word == "/dev/null" || word.trim_start_matches(['&', '2']).starts_with('>');
        let words: Vec<&str> =
            words.iter().map(String::as_str).filter(|word| !is_redirection(word)).collect();
        let Some((&name, arguments)) = words.split_first() else { continue };
        match (name.rsplit('/').next().unwrap_or(name), arguments) {
            ("defaults.sh", []) => defaults(host),
            ("sysctl" | "set_sysctls.py", settings) => {
                for setting in settings.iter().filter(|word| !word.starts_with('-')) {
                    sysctl(setting, host)?;
                }
            }
            ("ip", ["tcp_metrics", "flush", "all"]) => host.fast_open.memory = Memory::default(),
            // How slow start ends: by delays and by trains of ACKs, as it is.
            ("echo", ["3", file]) if file.ends_with("/tcp_cubic/parameters/hystart_detect") => {}
            // The run ends there anyway.
            (restore, []) if restore.starts_with("sysctl_restore") => {}
            // Segments are compared put together again.
            ("ethtool", ["-K", _, features @ ..])
                if features.chunks(2).all(|pair| matches!(pair[0], "tso" | "gso" | "gro")) => {}
            // Counters of the whole host; a plain queue.
            ("nstat", _) | ("tc", ["qdisc", "add" | "replace", "dev", _, "root", "pfifo"]) => {}
            ("tc", ["qdisc", "add" | "replace", "dev", _, "root", "fq"]) => host.tcp.pacing = true,
            _ => return Err(refusal()),
        }
    }
    Ok(())
}

/// What packetdrill's `defaults.sh` sets, as far as a connection knows it.
fn defaults(host: &mut Host) {
    host.tcp.idle_restart = false;
    host.tcp.ecn = EcnMode::Auto;
    host.fast_open.reset();
}

fn sysctl(setting: &str, host: &mut Host) -> Result<(), String> {
    let config = &mut host.tcp;
    let fast_open = &mut host.fast_open;
    let refusal = || format!("`{setting}` is no option of a connection");
    let short = setting.trim_start_matches("/proc/sys/").replace('/', ".");
    let short = short.strip_prefix("net.ipv4.").unwrap_or(&short);
    let (key, value) = short.split_once('=').ok_or_else(refusal)?;
    if WITHOUT_OBJECT.contains(&key) || BUILT_IN.contains(&short) {
        return Ok(());
    }
    let switch = || match value {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(refusal()),
    };
    match key {
        "tcp_timestamps" => config.timestamps = switch()?,
        "tcp_sack" => config.sack = switch()?,
        "tcp_dsack" => config.dsack = switch()?,
        "tcp_window_scaling" => config.window_scaling = switch()?,
        "tcp_slow_start_after_idle" => config.idle_restart = switch()?,
        "tcp_ecn" => {
            host.only_answers_ecn = matches!(value, "2" | "5");
            config.ecn = match value {
                "0" => EcnMode::Off,
                "1" | "2" => EcnMode::Classic,
                "3" | "5" => EcnMode::Accurate,
                _ => return Err(refusal()),
            };
        }
        "tcp_fastopen" => fast_open.switches = number(value).ok_or_else(refusal)?,
        "tcp_fastopen_key" => fast_open.key = fast_open::key(value).ok_or_else(refusal)?,
        // An empty cache.
        "tcp_fastopen_cookies" => fast_open.memory = Memory::default(),
        "tcp_frto" => config.f_rto = value == "2" || switch()?,
        "tcp_congestion_control" => {
            config.congestion_control =
                preset::congestion_control(config.preset, value).ok_or_else(refusal)?;
        }
        // Tail-loss probes; all values but 0 mean them today.
        "tcp_early_retrans" => match &mut config.recovery {
            recovery::Config::Rack(rack) => rack.tail_loss_probe = value != "0",
            _ => return Err(refusal()),
        },
        "tcp_recovery" if switch()? => {}
        _ => return Err(refusal()),
    }
    Ok(())
}

/// A number as shells write it.
fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
