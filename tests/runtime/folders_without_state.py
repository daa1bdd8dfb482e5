"""ThreadSanitizer does not instrument some folders of src/ (src/CMakeLists.txt), because they have nothing that threads could share:
FOLDER CALLED.. holds the object files of FOLDER/fulgurite_CALLED.dir against that. A variable that is no constant lies in a section
.data, .bss, .tdata or .tbss."""

import pathlib
import re
import subprocess
import sys

# Offset, flags, section, size, name. Constants that hold addresses lie in .data.rel.ro or .data.rel.local.
VARIABLE = re.compile(r"^\S+ .{7} \.(?:t?bss|t?data)(?!\.rel)\S*\s+(\S+)\s+(.+)$", re.MULTILINE)


def main():
    found = 0
    for folder in sys.argv[2:]:
        files = sorted(pathlib.Path(sys.argv[1], f"fulgurite_{folder}.dir").rglob("*.o"))
        if not files:
            sys.exit(f"{folder} has no object files in {sys.argv[1]}")
        text = subprocess.run(["objdump", "-tC", *files], capture_output=True, text=True, check=True).stdout
        for size, name in VARIABLE.findall(text):
            if int(size, 16) and "DW.ref" not in name:
                found += 1
                print(f"{folder} has a variable, so ThreadSanitizer must instrument it: {name}")
    sys.exit(1 if found else 0)


main()
