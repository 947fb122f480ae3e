//! [`Custom`]: a message of a protocol whose format is not in [`wire`](super).

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use crate::ids::NodeId;

/// The role: a message over UDP.
pub trait Custom: Any + Debug + Send + Sync {
    /// The name of its packets in traces.
    fn name(&self) -> &'static str;

    /// The UDP port of the protocol.
    fn port(&self) -> u16;

    /// Its bytes behind the UDP header; `address` is the address of a node.
    fn to_bytes(&self, address: fn(NodeId) -> [u8; 4]) -> Vec<u8>;
}

/// Such a message. Copies of its packet share it.
#[derive(Clone, Debug)]
pub struct Shared(pub(super) Arc<dyn Custom>);

impl Shared {
    /// A message of the protocol that defines `M`.
    pub fn new(message: impl Custom) -> Self {
        Self(Arc::new(message))
    }

    /// The message, if it is an `M`.
    pub fn get<M: Custom>(&self) -> Option<&M> {
        (&*self.0 as &dyn Any).downcast_ref()
    }
}

/// Messages are equal if their bytes are.
impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        let of = |message: &Self| {
            (message.0.name(), message.0.port(), message.0.to_bytes(|node| node.0.to_be_bytes()))
        };
        of(self) == of(other)
    }
}

impl Eq for Shared {}
