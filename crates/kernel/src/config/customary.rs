//! Names from other tools and standards for what has another name here, or is not modelled.

/// `(word, a known word of the same table, remedy)`.
const CUSTOMARY: [(&str, &str, &str); 14] = [
    ("loss", "error", PACKET_ERROR_RATE),
    ("loss_rate", "error", PACKET_ERROR_RATE),
    ("packet_loss", "error", PACKET_ERROR_RATE),
    ("plr", "error", PACKET_ERROR_RATE),
    ("per", "error", PACKET_ERROR_RATE),
    ("ber", "error", "write error = { name = \"bit_error_rate\", rate = 1e-7 }"),
    ("bandwidth", "rate", "write rate = \"10 Mbit/s\""),
    ("latency", "delay", "write delay = \"20 ms\""),
    ("buffer", "queue", "write queue = { name = \"drop_tail\", limit = \"100 packets\" }"),
    ("limit", "between", "write queue = { name = \"drop_tail\", limit = \"100 packets\" }"),
    ("standard", "basic_rate", STANDARDS),
    ("congestion_control", "tcp", "write tcp = { congestion_control = \"cubic\" }"),
    ("cc", "tcp", "write tcp = { congestion_control = \"cubic\" }"),
    ("cc", "congestion_control", "write congestion_control = \"cubic\""),
];
const PACKET_ERROR_RATE: &str = "write error = { name = \"packet_error_rate\", rate = 0.01 }";
const STANDARDS: &str = "802.11b is phy = \"dsss\", 802.11a and g are phy = \"ofdm\"; 802.11n and later standards are not modelled";

/// What to write for a `word` that is customary elsewhere, if that is among the `known` words.
pub(super) fn customary(word: &str, known: &[&str]) -> Option<&'static str> {
    // Among choices of a standard, or names of physical layers.
    if word.starts_with("802.11") && known.iter().any(|known| ["802.11a", "ofdm"].contains(known)) {
        return Some(STANDARDS);
    }
    let found = CUSTOMARY.iter().find(|(name, beside, _)| *name == word && known.contains(beside));
    found.map(|(_, _, remedy)| *remedy)
}

/// What to write for a bare number in place of one of the `known` models.
pub(crate) fn instead_of_number(number: &str, known: &[&str]) -> String {
    if known.contains(&"packet_error_rate") {
        return format!("write {{ name = \"packet_error_rate\", rate = {number} }}");
    }
    String::new()
}
