#!/bin/sh
# Five vehicles on a grid of streets, one departing every 7 s, as SUMO exports them: pip install eclipse-sumo, SUMO_HOME set.
set -e
cd "$(mktemp -d)"
netgenerate --grid --grid.number 3 --grid.length 150 --output-file net.xml
python "$SUMO_HOME/tools/randomTrips.py" -n net.xml -b 5 -e 40 -p 7 --seed 3 --min-distance 200 -o trips.xml
sumo -n net.xml -r trips.xml --fcd-output fcd.xml --end 60 --no-step-log
python "$SUMO_HOME/tools/traceExporter.py" -i fcd.xml --ns2mobility-output mobility.tcl
cp fcd.xml mobility.tcl "$OLDPWD"
