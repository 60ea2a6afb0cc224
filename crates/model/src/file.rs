//! The model file: weights, scales, bands, distance reference and card in one.
//!
//! Layout: the eight bytes `COTRACE1`, the header's length as 32 bits little-endian, the header as JSON
//! ([`Header`]), then the weights in Burn's burnpack format, as 16-bit floats: that moves no forecast by a thousandth of
//! the capacity and halves what a visitor waits for.

use burn::module::{Module, ModuleMapper, Param};
use burn::store::ModuleRecord;
use burn::tensor::{Bytes, DType, Device, Tensor};
use cotrace_forecast::Bands;
use serde::{Deserialize, Serialize};

use crate::cotrace::{CotraceNet, CotraceNetConfig, Experience};
use crate::distance::DistanceReference;
use crate::features::Scales;
use crate::resourcenet::{ResourceNet, ResourceNetConfig};

const MAGIC: &[u8; 8] = b"COTRACE1";

/// The largest hidden size a file may ask for: far above any shipped model, low enough not to exhaust memory.
const MOST_HIDDEN: usize = 4096;

/// What a model file says before its weights.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Header {
    /// Which network: one of [`Network::NAMES`].
    pub name: String,
    /// Version of these weights.
    pub version: String,
    /// Features of the network's states or hidden layers.
    pub hidden: usize,
    /// Divides shares of capacity, per metric.
    pub scales: Scales,
    /// Half-widths of the 90 % bands.
    pub bands: Bands,
    /// Where the training jobs lie.
    pub distance: DistanceReference,
    /// What was measured of jobs, if the network is corrected by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub experience: Option<Experience>,
    /// The model card: what it was trained on, how, and how well it does.
    pub card: serde_json::Value,
}

/// A model file in memory.
#[derive(Clone, Debug)]
pub struct ModelFile {
    /// What it says of itself.
    pub header: Header,
    /// The network.
    pub network: Network,
}

/// A network of a kind that files can hold.
#[derive(Clone, Debug)]
pub enum Network {
    /// The published model.
    ResourceNet(ResourceNet),
    /// Our own.
    Cotrace(CotraceNet),
}

/// Why bytes are no model.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// Not a model file at all.
    #[error("this is no Cotrace model file: it starts with {seen:?} where COTRACE1 is expected")]
    NotAModel {
        /// The first bytes, as text.
        seen: String,
    },
    /// The file ends before what it announces.
    #[error("the model file is cut off: {part} needs {needed} bytes, {found} are there")]
    CutOff {
        /// Which part.
        part: &'static str,
        /// Bytes announced.
        needed: usize,
        /// Bytes there.
        found: usize,
    },
    /// The header is not what this version reads.
    #[error("the model file's header can't be read: {0}")]
    Header(#[from] serde_json::Error),
    /// A network that this version does not know.
    #[error("the model file holds a network called {name:?}; this version knows {}", Network::NAMES.join(", "))]
    UnknownNetwork {
        /// Its name.
        name: String,
    },
    /// A value in the header makes no sense.
    #[error("the model file's header has {field} = {value}, which can't be")]
    BadValue {
        /// The field.
        field: &'static str,
        /// What it says.
        value: String,
    },
    /// The experience makes no sense.
    #[error("the model file's experience can't be used: {0}")]
    Experience(String),
    /// The weights do not fit the network.
    #[error("the model file's weights can't be used: {0}")]
    Weights(String),
}

impl ModelFile {
    /// Reads a model file.
    ///
    /// # Errors
    /// See [`ModelError`].
    pub fn from_bytes(bytes: &[u8], device: &Device) -> Result<ModelFile, ModelError> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            let seen = String::from_utf8_lossy(&bytes[..bytes.len().min(MAGIC.len())]).into_owned();
            return Err(ModelError::NotAModel { seen });
        };
        let (length, rest) = rest.split_first_chunk::<4>().ok_or(ModelError::CutOff {
            part: "the header's length",
            needed: 4,
            found: rest.len(),
        })?;
        let length = u32::from_le_bytes(*length) as usize;
        let (header, weights) = rest.split_at_checked(length).ok_or(ModelError::CutOff {
            part: "the header",
            needed: length,
            found: rest.len(),
        })?;
        let header: Header = serde_json::from_slice(header)?;
        header.check()?;
        let record = ModuleRecord::from_bytes(Bytes::from_bytes_vec(weights.to_vec()))
            .map_err(|error| ModelError::Weights(error.to_string()))?
            .cast_to_module_dtype();
        let network = Network::new(&header.name, header.hidden, device)?.load(record)?;
        Ok(ModelFile { header, network })
    }

    /// Writes a model file.
    ///
    /// # Errors
    /// [`ModelError::Header`] or [`ModelError::Weights`] if a part can't be written.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ModelError> {
        let header = serde_json::to_vec(&self.header)?;
        let weights = self.network.to_bytes()?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend(u32::try_from(header.len()).unwrap_or(u32::MAX).to_le_bytes());
        bytes.extend(header);
        bytes.extend_from_slice(&weights);
        Ok(bytes)
    }
}

impl Network {
    /// The names of all kinds.
    pub const NAMES: [&str; 2] = ["cotrace", "resourcenet"];

    /// The name of its kind.
    pub fn name(&self) -> &'static str {
        match self {
            Network::Cotrace(_) => Network::NAMES[0],
            Network::ResourceNet(_) => Network::NAMES[1],
        }
    }

    /// Features of its states or hidden layers.
    pub fn hidden(&self) -> usize {
        match self {
            Network::Cotrace(network) => network.hidden(),
            Network::ResourceNet(network) => network.encoder.d_hidden,
        }
    }

    /// A network of a kind with random weights.
    fn new(name: &str, hidden: usize, device: &Device) -> Result<Network, ModelError> {
        match name {
            "cotrace" => Ok(Network::Cotrace(CotraceNetConfig::new().with_hidden(hidden).init(device))),
            "resourcenet" => {
                Ok(Network::ResourceNet(ResourceNetConfig::new().with_hidden(hidden).init(device)))
            }
            _ => Err(ModelError::UnknownNetwork { name: name.to_owned() }),
        }
    }

    fn load(self, record: ModuleRecord) -> Result<Network, ModelError> {
        let loaded = match self {
            Network::Cotrace(network) => network.try_load_record(record).map(Network::Cotrace),
            Network::ResourceNet(network) => network.try_load_record(record).map(Network::ResourceNet),
        };
        loaded.map_err(|error| ModelError::Weights(error.to_string()))
    }

    fn to_bytes(&self) -> Result<Bytes, ModelError> {
        let record = match self.clone() {
            Network::Cotrace(network) => network.map(&mut Halved).into_record(),
            Network::ResourceNet(network) => network.map(&mut Halved).into_record(),
        };
        record.into_bytes().map_err(|error| ModelError::Weights(error.to_string()))
    }
}

/// Makes weights 16-bit floats.
struct Halved;

impl ModuleMapper for Halved {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        param.map(|weights| weights.cast(DType::F16))
    }
}

impl Header {
    fn check(&self) -> Result<(), ModelError> {
        if !Network::NAMES.contains(&&*self.name) {
            return Err(ModelError::UnknownNetwork { name: self.name.clone() });
        }
        if self.hidden == 0 || self.hidden > MOST_HIDDEN {
            return Err(ModelError::BadValue { field: "hidden", value: self.hidden.to_string() });
        }
        if let Some((_, &scale)) = self.scales.iter().find(|(_, scale)| !(**scale > 0.0 && scale.is_finite()))
        {
            return Err(ModelError::BadValue { field: "scales", value: scale.to_string() });
        }
        Ok(())
    }
}
