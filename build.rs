//! Tells the linker where libtorch is, so that the binary, tests, benches and examples start with no environment variable.
//! torch-sys cannot do it for us: the link arguments of a dependency do not reach the programs that use it.

use std::path::{Path, PathBuf};
use std::{env, process};

fn main() {
    for name in ["LIBTORCH", "LIBTORCH_LIB", "LIBTORCH_STATIC", "LIBTORCH_USE_PYTORCH"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=build.rs");

    // torch-sys gives this variable precedence, so the program would be linked with one libtorch and load another.
    if env::var_os("LIBTORCH_USE_PYTORCH").is_some() {
        fail("LIBTORCH_USE_PYTORCH is set, which this build does not follow; unset it and set LIBTORCH instead");
    }
    // The same choice as torch-sys makes, LIBTORCH_LIB included.
    let Some(home) = env::var_os("LIBTORCH_LIB").or_else(|| env::var_os("LIBTORCH")).map(PathBuf::from) else {
        return; // a system-wide libtorch, which the loader finds by itself
    };
    let lib = home.join("lib");
    if !lib.is_dir() {
        fail(&format!("no libtorch in {}; run scripts/setup first, or set LIBTORCH to your own", home.display()));
    }
    println!("cargo:rerun-if-changed={}", lib.display());

    let target = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if target == "windows" {
        return; // no rpath there; the folder has to be on PATH
    }
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", lib.display());
    if target == "linux" && env::var_os("LIBTORCH_STATIC").is_none() {
        keep_gpu_libraries(&lib);
    }
}

/// Nothing calls the GPU libraries by name: they register themselves when they are loaded. The linker would drop
/// them as unneeded, and a CUDA libtorch would look like a CPU one.
fn keep_gpu_libraries(lib: &Path) {
    for name in ["torch_cuda", "torch_hip"] {
        if lib.join(format!("lib{name}.so")).exists() {
            println!("cargo:rustc-link-arg=-Wl,--push-state,--no-as-needed,-l{name},--pop-state");
        }
    }
}

fn fail(what: &str) -> ! {
    // A line that starts with `cargo:error` is shown as an error of this package, without a backtrace.
    println!("cargo::error={what}");
    process::exit(1);
}
