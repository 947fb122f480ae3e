# Made by `make docs`; do not edit.
from typing import Literal, TypeAlias

CongestionControl: TypeAlias = Literal[
    "reno",
    "bic",
    "cubic",
    "hybla",
    "enhanced_hybla",
    "compound",
    "vegas",
    "veno",
    "westwood",
    "bbr",
    "newreno",
]

Recovery: TypeAlias = Literal[
    "reno",
    "newreno",
    "sack",
    "sack1",
    "rate_halving",
    "prr",
    "rack",
]

RouteFailure: TypeAlias = Literal[
    "none",
    "atcp",
    "tcp_door",
    "tcp_f",
    "tcp_elfn",
    "sim_elfn",
    "tcp_fsr",
]

Application: TypeAlias = Literal[
    "bulk",
    "file",
    "on_off",
    "constant_bit_rate",
    "relay",
]

Routing: TypeAlias = Literal[
    "shortest_path",
    "aodv",
    "dsr",
    "olsr",
    "dsdv",
    "frn",
]

Queue: TypeAlias = Literal[
    "drop_tail",
    "red",
    "codel",
    "fq_codel",
    "priority",
]

Mac: TypeAlias = Literal[
    "aloha",
    "csma",
    "dcf",
    "uw_csma",
    "cs_aloha",
    "slotted_fama",
    "t_lohi",
    "tdma",
    "frn",
]

Phy: TypeAlias = Literal[
    "modem",
    "acoustic",
    "dsss",
    "ofdm",
]

Error: TypeAlias = Literal[
    "none",
    "bit_error_rate",
    "packet_error_rate",
    "gilbert_elliott",
    "list",
    "impair",
]

Propagation: TypeAlias = Literal[
    "disc",
    "acoustic",
    "free_space",
    "two_ray",
    "log_distance",
    "shadowing",
    "rayleigh",
    "nakagami",
]

Mobility: TypeAlias = Literal[
    "static",
    "random_waypoint",
    "random_walk",
    "gauss_markov",
    "manhattan_grid",
    "scripted",
]

Topology: TypeAlias = Literal[
    "chain",
    "grid",
    "cross",
    "hexagon",
    "mesh",
    "random",
    "file",
]

Preset: TypeAlias = Literal[
    "rfc",
    "ns2",
    "ns2_linux",
    "linux",
]

Ready: TypeAlias = Literal[
    "satellite",
    "dumbbell",
    "chain_wired",
    "asymmetric_access",
    "competition",
    "gateway",
    "gateway_split",
    "chain_80211",
    "frn",
    "manet",
    "underwater",
]
