"""R. D. Vanzara, H. S. Bhatt, "Enhanced TCP Hybla and performance comparison for satellite link", 2014."""

from farlink_studies.satellite.satellite import Satellite

measured = Satellite
