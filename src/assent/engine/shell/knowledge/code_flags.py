"""The harmless flags of forge clients that their checks need to know, too."""

GH_API = """
    -X= --method= -H= --header= -f= --raw-field= -q= --jq= -t= --template= --paginate --slurp --cache=
    -i --include --silent -p= --preview=
"""
GLAB_API = "-X= --method= -H= --header= -f= --raw-field= --paginate -i --include --silent --output="
