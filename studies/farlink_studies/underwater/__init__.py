"""N. Iikubo, M. Nakatsuka, J. Katto, H. Kondo, "Improving TCP Performance over Underwater Sensor Networks"."""

from farlink_studies.underwater.underwater import Underwater

measured = Underwater
