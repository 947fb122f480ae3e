"""M. Shivaranjani, A. Kameswaran, "Performance analysis of TCP in wireless multi-hop environment"."""

from farlink_studies.manet.manet import Manet

measured = Manet
