//! The host of foreign scripts: the few shell commands that only set options a connection has as well.

use farlink_tcp::{Config, congestion};

/// What commands have set.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    /// The options of connections made from now on.
    pub(crate) tcp: Config,
    /// ECN is agreed to, but not asked for.
    pub(crate) only_answers_ecn: bool,
}

/// Carries `command` out on the options, or says which part of it cannot be.
pub(crate) fn command(command: &str, host: &mut Host) -> Result<(), String> {
    let parts = command.split(['\n', ';']).map(|part| part.split('#').next().unwrap_or("").trim());
    for part in parts.filter(|part| !part.is_empty()) {
        let words: Vec<&str> = part.split_whitespace().collect();
        match words[..] {
            [script] if script.ends_with("common/defaults.sh") => defaults(&mut host.tcp),
            ["sysctl", ..] => {
                for word in words[1..].iter().filter(|word| !word.starts_with('-')) {
                    sysctl(word, host)?;
                }
            }
            _ => return Err(format!("the command `{part}` means nothing without a kernel")),
        }
    }
    Ok(())
}

/// What packetdrill's `defaults.sh` sets, as far as a connection knows it.
fn defaults(config: &mut Config) {
    config.idle_restart = false;
    config.ecn = false;
}

fn sysctl(setting: &str, host: &mut Host) -> Result<(), String> {
    let config = &mut host.tcp;
    let refusal = || format!("`{setting}` is no option of a connection");
    let (key, value) = setting.split_once('=').ok_or_else(refusal)?;
    let value = value.trim_matches(['"', '\'']);
    let switch = || match value {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(refusal()),
    };
    match key.strip_prefix("net.ipv4.").unwrap_or(key) {
        "tcp_timestamps" => config.timestamps = switch()?,
        "tcp_sack" => config.sack = switch()?,
        "tcp_dsack" => config.dsack = switch()?,
        "tcp_window_scaling" => config.window_scaling = switch()?,
        "tcp_slow_start_after_idle" => config.idle_restart = switch()?,
        "tcp_ecn" => {
            host.only_answers_ecn = value == "2";
            config.ecn = host.only_answers_ecn || switch()?;
        }
        "tcp_frto" => config.f_rto = value == "2" || switch()?,
        "tcp_congestion_control" => {
            config.congestion_control = congestion::Config::named(value).ok_or_else(refusal)?;
        }
        _ => return Err(refusal()),
    }
    Ok(())
}
