"""TCP over the Flexible Radio Network: T. Yuki's thesis, reproduced."""

from farlink_studies.frn.frn import Frn

measured = Frn
"""What the runs of this study say, by the name under which `farlink.studies.study` asks for it."""
