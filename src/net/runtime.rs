//! libtorch itself, apart from any network: its version, its threads and its devices.

use std::sync::Once;

use thiserror::Error;

use crate::config::{Device, Inference, Precision};

/// The libtorch that the bindings are written for.
pub const EXPECTED_LIBTORCH: &str = "2.11.0";

/// The version of the bindings, as `Cargo.toml` pins it.
pub const TCH: &str = "0.24.0";

/// How many threads libtorch uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threads {
    /// Within one operation.
    pub intra_op: usize,
    /// For operations side by side.
    pub inter_op: usize,
}

/// The bindings have no call for the version, but libtorch's own C interface has.
#[allow(unsafe_code)]
mod abi {
    // SAFETY: declared in libtorch as `uint64_t aoti_torch_abi_version()`; it returns a constant and touches nothing.
    unsafe extern "C" {
        pub safe fn aoti_torch_abi_version() -> u64;
    }
}

/// The version of the libtorch that is loaded now, such as `2.11.0`. It is asked of the library, not of the headers that
/// were there at build time: another one may have come in by way of `LD_LIBRARY_PATH`.
pub fn version() -> String {
    version_text(abi::aoti_torch_abi_version())
}

/// One byte each for the major, minor and patch number, from the top.
fn version_text(packed: u64) -> String {
    let [major, minor, patch, ..] = packed.to_be_bytes();
    format!("{major}.{minor}.{patch}")
}

/// Makes libtorch work in the thread that calls it and in no other: the program spreads games over threads itself, and
/// sums split over a varying number of threads would change the bits of a result.
///
/// Call it first in `main`. Further calls do nothing. It holds for threads started later, too.
pub fn set_single_threaded() {
    // libtorch takes the number of inter-op threads once and throws the second time, which the bindings turn into a panic.
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        tch::set_num_interop_threads(1);
        tch::set_num_threads(1);
    });
}

/// How many threads libtorch uses now.
pub fn threads() -> Threads {
    let count = |n: i32| usize::try_from(n).unwrap_or(0);
    Threads { intra_op: count(tch::get_num_threads()), inter_op: count(tch::get_num_interop_threads()) }
}

/// Whether this libtorch was built for CUDA (and its CUDA part is loaded), with or without a device.
pub fn cuda_built() -> bool {
    tch::utils::has_cuda()
}

/// Whether there is a CUDA device that libtorch can use.
pub fn cuda_available() -> bool {
    tch::Cuda::is_available()
}

/// How many CUDA devices libtorch can use.
pub fn cuda_devices() -> usize {
    usize::try_from(tch::Cuda::device_count()).unwrap_or(0)
}

/// Whether convolutions on the CPU go through oneDNN; without it they are many times slower.
pub fn onednn_available() -> bool {
    tch::utils::has_mkldnn()
}

/// A device that was asked for and is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DeviceError {
    #[error(
        "the device `cuda`: this libtorch was built without CUDA; set LIBTORCH to one with it and build again, or use the \
         CPU (--device cpu, in a config device = \"cpu\")"
    )]
    NoCuda,
    #[error(
        "the device `cuda`: libtorch finds none (is the driver there?); use the CPU (--device cpu, in a config \
         device = \"cpu\")"
    )]
    NoDevice,
}

/// The same inference with what is left to the machine settled: which precision is the fastest.
pub fn settle(inference: Inference) -> Result<Inference, DeviceError> {
    if inference.device == Device::Cuda && !cuda_available() {
        return Err(if cuda_built() { DeviceError::NoDevice } else { DeviceError::NoCuda });
    }
    let precision = match inference.precision {
        Precision::Auto if inference.device == Device::Cuda || cpu_computes_bf16() => Precision::Bf16,
        Precision::Auto => Precision::F32,
        asked => asked,
    };
    Ok(Inference { precision, ..inference })
}

/// Whether the processor multiplies bfloat16 numbers itself: with AMX or AVX512-BF16. Without them bf16 is slower than
/// 32 bits.
pub fn cpu_computes_bf16() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::__cpuid_count;
        let known = __cpuid_count(0, 0).eax >= 7;
        // Leaf 7: AVX512F, AMX-BF16, and one leaf on AVX512-BF16.
        known
            && __cpuid_count(7, 0).ebx >> 16 & 1 == 1
            && (__cpuid_count(7, 0).edx >> 22 & 1 == 1 || __cpuid_count(7, 1).eax >> 5 & 1 == 1)
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loaded_libtorch_is_the_expected_one() {
        assert_eq!(version(), EXPECTED_LIBTORCH);
    }

    #[test]
    fn version_numbers_are_the_top_three_bytes() {
        assert_eq!(version_text(0x020b_0000_0000_0000), "2.11.0");
        assert_eq!(version_text(0x0309_07ff_ffff_ffff), "3.9.7");
    }

    #[test]
    fn the_pinned_bindings_are_the_named_ones() {
        let lock = include_str!("../../Cargo.lock");
        assert!(lock.contains(&format!("name = \"tch\"\nversion = \"{TCH}\"\n")));
    }

    #[test]
    fn single_threaded_holds_in_new_threads_and_may_be_asked_for_again() {
        let one = Threads { intra_op: 1, inter_op: 1 };
        set_single_threaded();
        set_single_threaded();
        assert_eq!(threads(), one);
        let inside = std::thread::spawn(|| {
            set_single_threaded();
            threads()
        });
        assert_eq!(inside.join().expect("the thread ends"), one);
    }

    #[test]
    fn devices_and_availability_agree() {
        assert_eq!(cuda_available(), cuda_devices() > 0);
        assert!(cuda_built() || !cuda_available());
    }
}
