//! Emulation: what the modules of Linux, and of Linux 2.6.22 inside ns-2.35's TCP-Linux, compute otherwise than the
//! papers. One module per file, built on the paper's file; [`build`] chooses.
//!
//! Window arithmetic that all modules share (`tcp_cong.c`) stands in [`super::arithmetic`].

mod compound;
mod cubic;
mod dctcp;
mod highspeed;
mod htcp;
mod hybla;
mod illinois;
mod lp;
mod rounds;
mod vegas;
mod veno;
mod westwood;

use super::{Any, Config, Setup, enhanced_hybla::EnhancedHybla};

/// The congestion control of `config` in the arithmetic of `setup`: that of its paper, or the module of the kernel
/// that is emulated.
pub fn build(config: &Config, setup: &Setup) -> Any {
    let is_whole = setup.arithmetic.is_whole();
    let has_min_cwnd = setup.arithmetic.has_min_cwnd();
    match config {
        Config::Cubic(config) if is_whole => Box::new(cubic::Module::new(config, setup)),
        Config::Dctcp(config) if is_whole => Box::new(dctcp::Module::new(config, setup)),
        Config::Hybla(config) if is_whole => Box::new(hybla::Module::new(config, setup)),
        Config::EnhancedHybla(config) if is_whole => {
            let hybla = Box::new(hybla::Module::new(&config.hybla(), setup));
            Box::new(EnhancedHybla::extending(hybla, config, setup))
        }
        Config::HighSpeed(config) if is_whole => Box::new(highspeed::Module::new(config, setup)),
        Config::Htcp(config) if is_whole => Box::new(htcp::Module::new(config, setup)),
        Config::Illinois(config) if is_whole => Box::new(illinois::Module::new(config, setup)),
        Config::Lp(config) if is_whole => Box::new(lp::Module::new(config, setup)),
        Config::Vegas(config) if is_whole => Box::new(vegas::Module::new(config, setup)),
        Config::Veno(config) if is_whole => Box::new(veno::Module::new(config, setup)),
        Config::Westwood(config) if is_whole || has_min_cwnd => {
            Box::new(westwood::Module::new(config, setup))
        }
        Config::Compound(config) if setup.arithmetic.is_2_6_22() || has_min_cwnd => {
            Box::new(compound::Module::new(config, setup))
        }
        _ => config.build(setup),
    }
}
