//! `fairkomi gtp`

use std::io::{self, BufReader};

use super::flags::GtpFlags;
use super::job::settled;
use super::{Failure, Outcome, printed};
use crate::gtp::{GtpError, serve};
use crate::net::NetFile;

pub(super) fn run(flags: &GtpFlags) -> Outcome {
    let mut setting = flags.setting()?;
    setting.inference = settled(setting.inference, flags.net.is_some())?;
    let network = flags.net.as_deref().map(|path| NetFile::load_for(path, setting.board.game)).transpose();
    let network = network.map_err(Failure::input)?;
    match serve(setting, network, BufReader::new(io::stdin()), &mut io::stdout().lock()) {
        Err(GtpError::Output(error)) => printed(Err(error)),
        result => result.map_err(Failure::run),
    }
}
