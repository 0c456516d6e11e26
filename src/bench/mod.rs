//! What `bench` and `doctor` measure.

pub mod doctor;
