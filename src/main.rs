use std::process::ExitCode;

fn main() -> ExitCode {
    fairkomi::cli::main()
}
