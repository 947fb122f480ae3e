//! The Python module `farlink._farlink`: converts, releases the GIL, maps errors. No logic.

use pyo3::prelude::*;

#[pymodule]
mod _farlink {
    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
