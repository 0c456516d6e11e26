//! Whether this processor has the instructions that the program was compiled for.

use super::Failure;

/// Fails where the program would be killed by an illegal instruction sooner or later.
pub(super) fn check() -> Result<(), Failure> {
    if cfg!(target_feature = "avx2") && !has_v3() {
        return Err(Failure::Input(anyhow::anyhow!(
            "this build is for processors with AVX2, BMI2 and FMA (x86-64-v3), and this one lacks some of them: \
             take `target-cpu` out of .cargo/config.toml and build again"
        )));
    }
    Ok(())
}

/// Asked of the processor itself: the standard macro answers with what the program was compiled for.
#[cfg(target_arch = "x86_64")]
fn has_v3() -> bool {
    use std::arch::x86_64::__cpuid_count;
    let has = |register: u32, bits: &[u32]| bits.iter().all(|bit| register >> bit & 1 == 1);
    if __cpuid_count(0, 0).eax < 7 {
        return false;
    }
    let (basic, extended) = (__cpuid_count(1, 0), __cpuid_count(7, 0));
    // FMA, MOVBE, POPCNT, OSXSAVE, AVX, F16C; BMI1, AVX2, BMI2
    has(basic.ecx, &[12, 22, 23, 27, 28, 29]) && has(extended.ebx, &[3, 5, 8])
}

#[cfg(not(target_arch = "x86_64"))]
fn has_v3() -> bool {
    true
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_processor_that_built_and_runs_this_is_accepted() {
        assert!(super::check().is_ok());
    }
}
