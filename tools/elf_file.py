"""Facts that scripts read from shared libraries, with readelf of Debian's package binutils."""
import re
import subprocess


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *arguments], capture_output=True, text=True, check=True).stdout


def machine_of(library):
    """As readelf names it: AArch64, ARM, Advanced Micro Devices X86-64."""
    return re.search(r"Machine:\s+(.*)", readelf("-h", library)).group(1).strip()


def segments_of(library):
    """Kind, flags and alignment of those that say how memory is used."""
    found = re.findall(r"^\s+(LOAD|GNU_STACK)\s.*?\s([R ][W ][E ])\s+(0x[0-9a-f]+|0)$", readelf("-l", library), re.M)
    return [(kind, flags, int(align, 16)) for kind, flags, align in found]


def needed_by(library):
    """The names of the libraries that it needs."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", readelf("-d", library))


def symbols_of(library):
    """Binding, section and name with its version of each dynamic symbol; section UND: an import."""
    for line in readelf("--dyn-syms", library).splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[0].rstrip(":").isdigit() and fields[3] != "SECTION":
            yield fields[4], fields[6], fields[7]


def common_problems(library):
    """Sentences on what no loader should be given, whatever the system."""
    if "DYN" not in re.search(r"Type:\s+(.*)", readelf("-h", library)).group(1):
        yield "it is no shared library"
    segments = segments_of(library)
    for kind, flags, _ in segments:
        if kind == "GNU_STACK" and "E" in flags:
            yield "its stack is executable"
        if kind == "LOAD" and "W" in flags and "E" in flags:
            yield "a segment is both writable and executable"
    if not any(kind == "GNU_STACK" for kind, _, _ in segments):
        yield "it has no mark of its stack, which is executable then"
    dynamic = readelf("-d", library)
    if "(TEXTREL)" in dynamic or re.search(r"\(FLAGS\).*TEXTREL", dynamic):
        yield "it has text relocations; compile with -fPIC"
