//! The messages of ARP (RFC 826), and their bytes behind the Ethernet header.

use crate::ids::NodeId;

/// What a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A request.
    Request = 1,
    /// It is me.
    Reply = 2,
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Request or reply.
    pub operation: Operation,
    /// The sender.
    pub sender: NodeId,
    /// The node whose address is resolved; in a reply, the node that asked.
    pub target: NodeId,
}

impl Message {
    /// Its size in bytes; IP has no part in it.
    pub const SIZE: u32 = 28;

    /// Its bytes: Ethernet's addresses for those of IPv4. The sender of a request does not know that of the target.
    pub fn to_bytes(
        &self,
        hardware: impl Fn(NodeId) -> [u8; 6],
        address: impl Fn(NodeId) -> [u8; 4],
    ) -> Vec<u8> {
        let target = match self.operation {
            Operation::Request => [0; 6],
            Operation::Reply => hardware(self.target),
        };
        let mut bytes = vec![0, 1, 8, 0, 6, 4, 0, self.operation as u8];
        bytes.extend(hardware(self.sender));
        bytes.extend(address(self.sender));
        bytes.extend(target);
        bytes.extend(address(self.target));
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_laid_out_as_in_rfc_826() {
        let hardware = |node: NodeId| [2, 0, 0, 0, 0, node.0 as u8];
        let address = |node: NodeId| [10, 0, 0, node.0 as u8];
        let request = Message { operation: Operation::Request, sender: NodeId(1), target: NodeId(2) };
        let expected = [0, 1, 8, 0, 6, 4, 0, 1, 2, 0, 0, 0, 0, 1, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2];
        assert_eq!(request.to_bytes(hardware, address), expected);
        let reply = Message { operation: Operation::Reply, sender: NodeId(2), target: NodeId(1) };
        let expected = [0, 1, 8, 0, 6, 4, 0, 2, 2, 0, 0, 0, 0, 2, 10, 0, 0, 2, 2, 0, 0, 0, 0, 1, 10, 0, 0, 1];
        assert_eq!(reply.to_bytes(hardware, address), expected);
        assert_eq!(expected.len(), Message::SIZE as usize);
    }
}
