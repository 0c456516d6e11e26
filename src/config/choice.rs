//! The names of choices in files and on the command line.

use std::str::FromStr;

use super::{Device, Precision, Selection};

impl Precision {
    /// All, the usual one first.
    pub const ALL: [Precision; 3] = [Precision::Auto, Precision::F32, Precision::Bf16];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Precision::Auto => "auto",
            Precision::F32 => "f32",
            Precision::Bf16 => "bf16",
        }
    }
}

impl Device {
    /// All, the usual one first.
    pub const ALL: [Device; 2] = [Device::Cpu, Device::Cuda];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Device::Cpu => "cpu",
            Device::Cuda => "cuda",
        }
    }
}

impl Selection {
    /// All, the usual one first.
    pub const ALL: [Selection; 2] = [Selection::Puct, Selection::Gumbel];

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Selection::Puct => "puct",
            Selection::Gumbel => "gumbel",
        }
    }
}

impl FromStr for Selection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Selection::ALL.into_iter().find(|known| known.name() == text);
        known.ok_or_else(|| format!("`{text}` is not a selection (puct, gumbel)"))
    }
}

impl FromStr for Precision {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Precision::ALL.into_iter().find(|known| known.name() == text);
        known.ok_or_else(|| format!("`{text}` is not a precision (auto, f32, bf16)"))
    }
}

impl FromStr for Device {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Device::ALL.into_iter().find(|known| known.name() == text);
        known.ok_or_else(|| format!("`{text}` is not a device (cpu, cuda)"))
    }
}
