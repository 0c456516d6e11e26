//! The network's input, in libtorch's own memory.

use half::bf16;
use tch::{Device, Kind, TchError, Tensor};

use super::planes::Number;

/// Room for a whole batch, written in place and used again for the next one.
pub(super) struct Input {
    batch: usize,
    /// Planes of a position, and whole planes among them.
    counts: [usize; 2],
    kind: Kind,
    device: Device,
    /// The board's side; 0 until it is known.
    side: usize,
    /// batch × side × side × planes, of `kind`.
    planes: Tensor,
    /// batch × whole planes, 32 bits.
    whole: Tensor,
}

impl Input {
    pub fn new(batch: usize, counts: [usize; 2], kind: Kind, device: Device) -> Self {
        Input { batch, counts, kind, device, side: 0, planes: Tensor::new(), whole: Tensor::new() }
    }

    /// The side of the boards that there is room for.
    pub fn side(&self) -> usize {
        self.side
    }

    /// Makes room for boards of this side.
    pub fn set_side(&mut self, side: usize) -> Result<(), TchError> {
        if self.side != side {
            let [batch, square, planes, whole] = [self.batch, side, self.counts[0], self.counts[1]].map(|n| n as i64);
            self.planes = Tensor::f_zeros([batch, square, square, planes], (self.kind, Device::Cpu))?;
            self.whole = Tensor::f_zeros([batch, whole], (Kind::Float, Device::Cpu))?;
            self.side = side;
        }
        Ok(())
    }

    /// Has the planes of a row, and its whole planes' numbers, written by `fill`. `T` must be of the input's kind.
    pub fn write<T: Number>(&mut self, row: usize, fill: impl FnOnce(&mut [T], &mut [f32])) {
        let [planes, whole] = [self.side * self.side * self.counts[0], self.counts[1]];
        fill(
            &mut numbers(&mut self.planes)[row * planes..(row + 1) * planes],
            &mut numbers(&mut self.whole)[row * whole..(row + 1) * whole],
        );
    }

    /// Makes the rows from `rows` to `batch` zeros.
    pub fn pad(&mut self, rows: usize, batch: usize) {
        let [planes, whole] = [self.side * self.side * self.counts[0], self.counts[1]];
        match self.kind {
            Kind::BFloat16 => numbers::<bf16>(&mut self.planes)[rows * planes..batch * planes].fill(bf16::ZERO),
            _ => numbers::<f32>(&mut self.planes)[rows * planes..batch * planes].fill(0.0),
        }
        numbers::<f32>(&mut self.whole)[rows * whole..batch * whole].fill(0.0);
    }

    /// The whole planes' numbers of the first `batch` rows.
    pub fn whole(&mut self, batch: usize) -> &[f32] {
        let count = self.counts[1];
        &numbers::<f32>(&mut self.whole)[..batch * count]
    }

    /// The planes and the whole planes' numbers of the first `batch` rows, on the device.
    pub fn tensors(&self, batch: usize) -> Result<[Tensor; 2], TchError> {
        let rows = |tensor: &Tensor| tensor.f_narrow(0, 0, batch as i64)?.f_to_device(self.device);
        Ok([rows(&self.planes)?, rows(&self.whole)?])
    }
}

/// A tensor's numbers, to be written in place.
#[allow(unsafe_code)]
pub(super) fn numbers<T: Number>(tensor: &mut Tensor) -> &mut [T] {
    assert!(tensor.kind() == T::KIND && tensor.device() == Device::Cpu && tensor.is_contiguous());
    let (first, count) = (tensor.data_ptr().cast::<T>(), tensor.numel());
    if first.is_null() {
        return &mut [];
    }
    // SAFETY: a contiguous tensor on the CPU holds so many numbers of its kind side by side from `data_ptr` on. Tensors
    // that share memory live in this thread alone, and the callers in this room look at no other while they write one.
    unsafe { std::slice::from_raw_parts_mut(first, count) }
}
