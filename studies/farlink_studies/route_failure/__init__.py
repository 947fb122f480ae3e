"""J. Zhou, B. Shi, L. Zou, H. Shen, "Improve TCP Performance in Ad Hoc Networks"."""

from farlink_studies.route_failure.route_failure import RouteFailure

measured = RouteFailure
