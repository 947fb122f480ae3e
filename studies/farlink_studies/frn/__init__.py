"""TCP over the Flexible Radio Network: T. Yuki's thesis, reproduced."""

from farlink_studies.frn.frn import Frn

measured = Frn
