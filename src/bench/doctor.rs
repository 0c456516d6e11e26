//! What `doctor` finds out about this machine and this build, and what to do about each fault.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use crate::net::runtime;

/// Below this much free memory, even a small run with a few threads may be killed.
const LEAST_MEMORY: u64 = 1 << 30;

/// Everything that was looked at, in the order to show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    pub checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was looked at, in a word or two.
    pub name: &'static str,
    /// What was found.
    pub found: String,
    /// What should have been found, where something particular should.
    pub expected: Option<String>,
    /// What is wrong, if anything is.
    pub fault: Option<Fault>,
}

/// Something that keeps the program from working well here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub what: String,
    /// What the user can do about it.
    pub cure: String,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for check in &self.checks {
            let mark = if check.fault.is_some() { "FAULT" } else { "ok" };
            write!(f, "{mark:<6} {:<24} {}", check.name, check.found)?;
            if let Some(expected) = &check.expected {
                write!(f, " (expected {expected})")?;
            }
            writeln!(f)?;
            if let Some(fault) = &check.fault {
                writeln!(f, "       {}\n       cure: {}", fault.what, fault.cure)?;
            }
        }
        Ok(())
    }
}

impl Report {
    /// The checks with a fault, in order.
    pub fn faults(&self) -> impl Iterator<Item = (&Check, &Fault)> {
        self.checks.iter().filter_map(|check| Some((check, check.fault.as_ref()?)))
    }

    /// Whether no check found a fault.
    pub fn healthy(&self) -> bool {
        self.faults().next().is_none()
    }
}

impl Check {
    fn new(name: &'static str, found: impl Into<String>) -> Self {
        Check { name, found: found.into(), expected: None, fault: None }
    }

    fn expecting(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    fn fault_if(mut self, wrong: bool, what: impl Into<String>, cure: impl Into<String>) -> Self {
        if wrong {
            self.fault = Some(Fault { what: what.into(), cure: cure.into() });
        }
        self
    }
}

/// Looks at this machine and this build. Takes well under a second, and writes only one temporary file, which it removes.
pub fn examine() -> Report {
    let cpu = read("/proc/cpuinfo");
    let memory = Memory::parse(&read("/proc/meminfo"), &read("/sys/fs/cgroup/memory.max"));
    let cores = available_parallelism().map_or(1, usize::from);
    let gpu_present = Path::new("/dev/nvidia0").exists();
    Report {
        checks: vec![
            libtorch(&runtime::version()),
            Check::new("tch", runtime::TCH),
            mapped_library(&libtorch_files(&read("/proc/self/maps"))),
            onednn(runtime::onednn_available()),
            Check::new("processor", processor_model(&cpu)),
            vector_units(&VectorUnits::detect(&cpu)),
            Check::new("threads", format!("{cores} available")),
            torch_threads(runtime::threads()),
            cuda(runtime::cuda_built(), runtime::cuda_devices(), gpu_present),
            memory_check(memory),
            writable(Path::new(".")),
        ],
    }
}

/// A file's text, or nothing: these files are Linux's, and elsewhere a check says "unknown".
fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn libtorch(found: &str) -> Check {
    let expected = runtime::EXPECTED_LIBTORCH;
    Check::new("libtorch", found).expecting(expected).fault_if(
        found != expected,
        format!("libtorch {found} is loaded, and this program is written for {expected}"),
        "unset LIBTORCH and LD_LIBRARY_PATH, run `make setup`, and build again",
    )
}

/// The libtorch libraries named in a process's memory map, each once.
fn libtorch_files(maps: &str) -> BTreeSet<PathBuf> {
    maps.lines()
        .filter_map(|line| line.find('/').map(|at| Path::new(&line[at..])))
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            // A library that was replaced on disk while mapped ends in " (deleted)".
            name.is_some_and(|name| name.starts_with("libtorch_cpu.so"))
        })
        .map(Path::to_path_buf)
        .collect()
}

fn mapped_library(files: &BTreeSet<PathBuf>) -> Check {
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let found = match names.is_empty() {
        true => "unknown (the map of loaded libraries cannot be read here)".to_owned(),
        false => names.join(", "),
    };
    let check = Check::new("libtorch file", found);
    if names.len() > 1 {
        return check.fault_if(
            true,
            "two libtorch libraries are loaded at once",
            "unset LD_LIBRARY_PATH and LD_PRELOAD, and start the program again",
        );
    }
    check.fault_if(
        names.iter().any(|name| name.ends_with(" (deleted)")),
        "libtorch was replaced on disk while this program was starting",
        "start the program again",
    )
}

fn onednn(available: bool) -> Check {
    let found = if available { "yes" } else { "no" };
    Check::new("oneDNN", found).expecting("yes").fault_if(
        !available,
        "this libtorch was built without oneDNN, so networks run many times slower on the CPU",
        "use the libtorch that `make setup` fetches: unset LIBTORCH and build again",
    )
}

/// The processor's name from `/proc/cpuinfo`.
pub(super) fn processor_model(cpuinfo: &str) -> String {
    cpuinfo
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim() == "model name")
        .map_or_else(|| format!("unknown ({})", std::env::consts::ARCH), |(_, name)| name.trim().to_owned())
}

/// The vector instructions that decide how fast a network runs on the CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct VectorUnits {
    /// Whether this is a processor that can have them at all.
    x86: bool,
    avx2: bool,
    avx512f: bool,
    avx512_bf16: bool,
    amx_bf16: bool,
}

impl VectorUnits {
    fn detect(cpuinfo: &str) -> Self {
        // The standard library cannot ask for AMX yet, so that one comes from the kernel.
        let amx_bf16 = has_flag(cpuinfo, "amx_bf16");
        #[cfg(target_arch = "x86_64")]
        return VectorUnits {
            x86: true,
            avx2: std::is_x86_feature_detected!("avx2"),
            avx512f: std::is_x86_feature_detected!("avx512f"),
            avx512_bf16: std::is_x86_feature_detected!("avx512bf16"),
            amx_bf16,
        };
        #[cfg(not(target_arch = "x86_64"))]
        return VectorUnits { x86: false, avx2: false, avx512f: false, avx512_bf16: false, amx_bf16 };
    }
}

fn has_flag(cpuinfo: &str, flag: &str) -> bool {
    cpuinfo
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(key, _)| key.trim() == "flags")
        .is_some_and(|(_, flags)| flags.split_whitespace().any(|word| word == flag))
}

fn vector_units(units: &VectorUnits) -> Check {
    let all = [
        ("avx2", units.avx2),
        ("avx512f", units.avx512f),
        ("avx512_bf16", units.avx512_bf16),
        ("amx_bf16", units.amx_bf16),
    ];
    let there: Vec<&str> = all.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
    let list = match there.is_empty() {
        true => "none of avx2, avx512f, avx512_bf16, amx_bf16".to_owned(),
        false => there.join(" "),
    };
    let bf16 = match units.avx512_bf16 || units.amx_bf16 {
        true => "bf16 has hardware support",
        false => "bf16 has no hardware support: prefer f32",
    };
    Check::new("vector units", format!("{list}; {bf16}")).fault_if(
        units.x86 && !units.avx2,
        "this processor has no AVX2 (or a virtual machine hides it), so networks run several times slower",
        "use a processor with AVX2, or let the virtual machine pass the host's processor through",
    )
}

fn torch_threads(threads: runtime::Threads) -> Check {
    let show = |t: runtime::Threads| format!("intra-op {}, inter-op {}", t.intra_op, t.inter_op);
    let expected = runtime::Threads { intra_op: 1, inter_op: 1 };
    Check::new("libtorch threads", show(threads)).expecting(show(expected)).fault_if(
        threads != expected,
        "libtorch uses threads of its own: they compete with the program's, and results may differ from run to run",
        "this program sets both to 1 when it starts; please report this as a bug, with the output of doctor",
    )
}

fn cuda(built: bool, devices: usize, gpu_present: bool) -> Check {
    let found = match (built, devices, gpu_present) {
        (_, 1.., _) => format!("{devices} device{}", if devices == 1 { "" } else { "s" }),
        (true, 0, _) => "no device (this libtorch could use one)".to_owned(),
        (false, 0, false) => "no device".to_owned(),
        (false, 0, true) => "an NVIDIA GPU is here, but this libtorch is for the CPU only; \
             to use it, set LIBTORCH to a CUDA libtorch and build again"
            .to_owned(),
    };
    Check::new("CUDA", found).fault_if(
        built && devices == 0 && gpu_present,
        "an NVIDIA GPU and a CUDA libtorch are here, but libtorch cannot use the GPU",
        "see whether `nvidia-smi` lists it, whether CUDA_VISIBLE_DEVICES hides it, and whether the driver is new enough",
    )
}

/// Memory in bytes, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Memory {
    total: Option<u64>,
    available: Option<u64>,
}

impl Memory {
    /// From `/proc/meminfo`, and the limit of the control group (a number, or `max`): in a container the machine's own
    /// memory is not what the program may use.
    fn parse(meminfo: &str, limit: &str) -> Self {
        let field = |name: &str| {
            let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
            let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
            Some(kib << 10)
        };
        let limit: u64 = limit.trim().parse().unwrap_or(u64::MAX);
        let below_limit = |bytes: u64| bytes.min(limit);
        Memory { total: field("MemTotal:").map(below_limit), available: field("MemAvailable:").map(below_limit) }
    }
}

fn memory_check(memory: Memory) -> Check {
    // Whole tenths, so that no float is needed for a figure that is only shown.
    let gib = |bytes: u64| {
        let tenths = bytes / (LEAST_MEMORY / 10);
        format!("{}.{} GiB", tenths / 10, tenths % 10)
    };
    let (Some(total), Some(available)) = (memory.total, memory.available) else {
        return Check::new("memory", "unknown");
    };
    let found = format!("{} free of {}", gib(available), gib(total));
    Check::new("memory", found).expecting(format!("at least {} free", gib(LEAST_MEMORY))).fault_if(
        available < LEAST_MEMORY,
        format!("only {} of memory are free", gib(available)),
        "end other programs, or run with fewer threads and slots",
    )
}

fn writable(folder: &Path) -> Check {
    let shown = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let check = |found: String| Check::new("current folder", found).expecting("writable");
    match tempfile::NamedTempFile::new_in(folder) {
        Ok(_) => check(format!("{} (writable)", shown.display())),
        Err(error) => check(format!("{} (not writable)", shown.display())).fault_if(
            true,
            format!("no file can be written in {}: {error}", shown.display()),
            "change to a folder of yours, or give runs another place with --out; a full disk is another cause",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_passes_once_libtorch_is_single_threaded() {
        runtime::set_single_threaded();
        let report = examine();
        let names: BTreeSet<_> = report.checks.iter().map(|check| check.name).collect();
        assert_eq!(names.len(), report.checks.len(), "names are unique");
        for name in ["libtorch", "libtorch threads", "current folder"] {
            let check = report.checks.iter().find(|check| check.name == name);
            let check = check.unwrap_or_else(|| panic!("{name} is missing"));
            assert_eq!(check.fault, None, "{name}: {}", check.found);
        }
    }

    #[test]
    fn every_fault_has_a_cure_and_counts() {
        let slow = VectorUnits { x86: true, avx2: false, avx512f: false, avx512_bf16: false, amx_bf16: false };
        let poor = Memory { total: Some(LEAST_MEMORY), available: Some(LEAST_MEMORY / 2) };
        let two = ["/a/libtorch_cpu.so", "/b/libtorch_cpu.so"].map(PathBuf::from);
        let checks = vec![
            libtorch("2.9.1"),
            mapped_library(&BTreeSet::from(two)),
            onednn(false),
            vector_units(&slow),
            torch_threads(runtime::Threads { intra_op: 8, inter_op: 1 }),
            cuda(true, 0, true),
            memory_check(poor),
            writable(Path::new("/no/such/folder")),
        ];
        let report = Report { checks };
        assert_eq!(report.faults().count(), report.checks.len());
        assert!(!report.healthy());
        for (check, fault) in report.faults() {
            assert!(!fault.what.is_empty() && !fault.cure.is_empty(), "{check:?}");
        }
        assert!(Report { checks: vec![libtorch("2.11.0")] }.healthy());
    }

    #[test]
    fn a_machine_without_a_gpu_is_healthy() {
        for (built, devices, gpu) in [(false, 0, false), (true, 0, false), (false, 0, true), (true, 2, true)] {
            assert_eq!(cuda(built, devices, gpu).fault, None);
        }
        assert_eq!(cuda(true, 2, true).found, "2 devices");
        assert!(cuda(false, 0, true).found.contains("LIBTORCH"));
    }

    #[test]
    fn mapped_libraries_are_listed_once() {
        let maps = "7f00-7f01 r-xp 00000000 08:01 12 /opt/my torch/lib/libtorch_cpu.so\n\
                    7f01-7f02 rw-p 00001000 08:01 12 /opt/my torch/lib/libtorch_cpu.so\n\
                    7f03-7f04 r-xp 00000000 08:01 13 /opt/my torch/lib/libtorch_cuda.so\n\
                    7f05-7f06 rw-p 00000000 00:00 0 [heap]\n";
        let files = libtorch_files(maps);
        assert_eq!(files, BTreeSet::from([PathBuf::from("/opt/my torch/lib/libtorch_cpu.so")]));
        assert_eq!(mapped_library(&files).fault, None);
        let gone = libtorch_files("7f00-7f01 r-xp 0 08:01 12 /x/libtorch_cpu.so (deleted)");
        assert!(mapped_library(&gone).fault.is_some());
        assert!(mapped_library(&BTreeSet::new()).found.starts_with("unknown"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_loaded_library_is_found() {
        // Asking for the version makes sure that the library is linked at all.
        let _ = runtime::version();
        assert_eq!(libtorch_files(&read("/proc/self/maps")).len(), 1);
    }

    #[test]
    fn cpuinfo_is_read() {
        let text = "processor\t: 0\nmodel name\t: Some CPU @ 2.3GHz\nflags\t\t: fpu avx2 amx_bf16\n";
        assert_eq!(processor_model(text), "Some CPU @ 2.3GHz");
        assert!(has_flag(text, "amx_bf16"));
        assert!(!has_flag(text, "amx"));
        assert!(processor_model("").starts_with("unknown"));
    }

    #[test]
    fn meminfo_is_read_and_a_limit_counts() {
        let text = "MemTotal:       8388608 kB\nMemFree: 1 kB\nMemAvailable:   4194304 kB\n";
        let whole = Memory::parse(text, "max\n");
        assert_eq!((whole.total, whole.available), (Some(8 << 30), Some(4 << 30)));
        assert_eq!(memory_check(whole).found, "4.0 GiB free of 8.0 GiB");
        let limited = Memory::parse(text, "536870912\n");
        assert_eq!(limited.available, Some(512 << 20));
        assert!(memory_check(limited).fault.is_some());
        assert_eq!(memory_check(Memory::parse("", "")).found, "unknown");
    }
}
