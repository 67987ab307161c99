"""For all that pytest runs here, lessons under nbval and JupyterLab among it: no reader, so no reader's record."""

import os

os.environ["ATTENTION_LAB_HOME"] = ""
