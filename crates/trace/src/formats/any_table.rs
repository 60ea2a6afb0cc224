use super::{Input, Recognition};
use crate::{ReadError, ReadErrorKind, ReadOptions, Trace};

pub(crate) fn recognise(_: &str) -> Recognition {
    Recognition::No("is not read yet")
}

pub(crate) fn read(input: &Input, _: &ReadOptions) -> Result<Trace, ReadError> {
    Err(ReadError::new(ReadErrorKind::BadHeader, input.file, "not read yet"))
}
