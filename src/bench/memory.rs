//! How much memory this process takes.

/// Resident memory in MiB.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Memory {
    pub now: f64,
    /// The most since the process began.
    pub peak: f64,
}

/// This process's memory; `None` where the system does not tell (it does on Linux).
pub fn memory() -> Option<Memory> {
    of_status(&std::fs::read_to_string("/proc/self/status").ok()?)
}

fn of_status(text: &str) -> Option<Memory> {
    let mib = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib / 1024.0)
    };
    Some(Memory { now: mib("VmRSS:")?, peak: mib("VmHWM:")? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_from_the_status() {
        let text = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n";
        assert_eq!(of_status(text), Some(Memory { now: 1.0, peak: 2.0 }));
        assert_eq!(of_status("VmRSS:\t1024 kB\n"), None);
        assert_eq!(of_status("VmRSS:\t1024 kB\nVmHWM: much\n"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_takes_memory() {
        let memory = memory().expect("Linux tells");
        assert!(memory.now > 1.0 && memory.peak >= memory.now);
    }
}
