//! The board: points and their names, bitboards, groups and regions, symmetries.

mod bits;
mod geometry;
mod groups;
mod hash;
mod symmetry;

pub use bits::{Bits, PointSet};
pub use geometry::{Geometry, MAX_SIZE, Point, PointError, SizeError};
pub use groups::{Liberties, Territories};
pub use hash::hash;
pub use symmetry::Symmetry;
