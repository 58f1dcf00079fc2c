"""Five million rows where engines hold them: the local tally, whatever dies in the middle, and nothing but the tally comes back."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest

import fairveil

pytestmark = [
    pytest.mark.engines,
    # Servers outlive what started them until the session ends.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

ROWS = 5_000_000
PARTS = 40
PLAIN = {"y_pred": "y_pred", "y_true": "y_true", "proxies": ["proxy_1", "proxy_2", "proxy_3"]}
ALL = {**PLAIN, "proxy_probs": ["model_"], "sample_weight": "w"}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the table as Parquet files."""
    made = tmp_path_factory.mktemp("people")
    for part in range(PARTS):
        rng = np.random.default_rng(part)
        rows = ROWS // PARTS
        group = rng.random(rows) < 0.4
        decided = rng.random(rows) < np.where(group, 0.35, 0.55)
        table = {"y_pred": decided.astype(np.int64), "y_true": (rng.random(rows) < 0.5).astype(np.int64)}
        for place in range(1, 4):
            guess = np.where(rng.random(rows) < 0.2, ~group, group)
            said = np.array(["blue", "green"], dtype=object)[guess.astype(int)]
            said[rng.random(rows) < 0.02] = None
            table[f"proxy_{place}"] = pl.Series(said.tolist(), dtype=pl.String)
        table["w"] = rng.choice([0.3, 1.0, 2.7], rows)
        table["model_blue"] = rng.random(rows)
        table["model_green"] = 1 - table["model_blue"]
        table["never_asked_for"] = rng.random(rows)
        pl.DataFrame(table).write_parquet(made / f"part-{part:03}.parquet")
    return made


@pytest.fixture(scope="session")
def here(folder: Path) -> dict[str, fairveil.Counts]:
    """Count the same rows in this process."""
    table = pl.read_parquet(folder / "*.parquet")
    return {"plain": fairveil.Counts.from_frame(table, **PLAIN), "all": fairveil.Counts.from_frame(table, **ALL)}


def same(here: fairveil.Counts, there: fairveil.Counts) -> None:
    """Counts agree to the digit, sums of weights to 1e-12 of them."""
    one, other = here.to_frame(backend="polars"), there.to_frame(backend="polars")
    sums = [name for name in one.columns if name.startswith(("count", "squared", "soft_"))]
    keys = [name for name in one.columns if name not in {*sums, "rest"}]
    assert one[keys].equals(other[keys])
    np.testing.assert_allclose(one[sums].to_numpy(), other[sums].to_numpy(), rtol=1e-12)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Cluster:
    """A standalone master and two workers from the PySpark package, on loopback."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        self.home = Path(pyspark.__file__).parent
        self.folder = folder
        self.port = free_port()
        self.address = f"spark://127.0.0.1:{self.port}"
        words = ("--host", "127.0.0.1", "--port", str(self.port), "--webui-port", str(free_port()))
        self.master = self.start("master.Master", *words)
        self.wait(lambda: self.listens(self.port))
        self.workers = [self.worker() for _ in range(2)]
        self.wait(lambda: len(re.findall("Registering worker", self.log("master.Master"))) >= 2)

    def start(self, name: str, *words: str) -> subprocess.Popen:
        environment = {
            **os.environ,
            "SPARK_HOME": str(self.home),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_WORKER_DIR": str(self.folder / "work"),
            "PYSPARK_PYTHON": sys.executable,
        }
        out = (self.folder / f"{name}.log").open("ab")
        command = [str(self.home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *words]
        # A group of its own: a worker dies with its executors.
        return subprocess.Popen(command, env=environment, stdout=out, stderr=out, start_new_session=True)

    def worker(self) -> subprocess.Popen:
        words = ("--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", str(free_port()))
        return self.start("worker.Worker", *words, self.address)

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    @staticmethod
    def listens(port: int) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    @staticmethod
    def wait(ready, seconds: float = 90.0) -> None:
        end = time.monotonic() + seconds
        while not ready():
            assert time.monotonic() < end, "the cluster did not come up"
            time.sleep(0.2)

    def kill(self, one: subprocess.Popen) -> None:
        if one.poll() is None:
            os.killpg(one.pid, signal.SIGKILL)
            one.wait()

    def stop(self) -> None:
        for one in [*self.workers, self.master]:
            self.kill(one)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    made = Cluster(tmp_path_factory.mktemp("spark"))
    yield made
    made.stop()


@pytest.fixture(scope="session")
def spark(cluster: Cluster):
    from pyspark.sql import SparkSession

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.executor.memory": "640m",
        "spark.executor.cores": "1",
        "spark.sql.shuffle.partitions": "4",
        # One file a task: there is a middle to die in.
        "spark.sql.files.maxPartitionBytes": "2m",
    }
    builder = SparkSession.builder.master(cluster.address).appName("fairveil")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


def only_the_tally(query: str) -> None:
    """The plan counts before anything leaves, and reads no column that was not asked for."""
    assert "HashAggregate" in query
    read = re.findall(r"ReadSchema: struct<([^>]*)>", query)
    assert read
    assert not any("never_asked_for" in columns for columns in read)
    physical = query.split("== Physical Plan ==")[1].split("== Initial Plan ==", maxsplit=1)[0]
    steps = [line for line in physical.splitlines() if line.strip()]
    first = next(place for place, line in enumerate(steps) if "HashAggregate" in line)
    # Nothing but projections of the tally stands above the last count.
    harmless = ("AdaptiveSparkPlan", "Final Plan", "ResultQueryStage", "Project", "WholeStageCodegen")
    assert all(any(word in line for word in harmless) for line in steps[:first]), steps[:first]


def test_spark_gives_the_local_tally(spark, folder: Path, here: dict[str, fairveil.Counts]) -> None:
    table = spark.read.parquet(str(folder))
    there = fairveil.Counts.from_engine(table, **PLAIN)
    assert there.to_csv() == here["plain"].to_csv()
    only_the_tally(there.query)
    everything = fairveil.Counts.from_engine(table, **ALL)
    same(here["all"], everything)
    only_the_tally(everything.query)
    audit = fairveil.audit(table, **PLAIN, n_boot=200)
    assert audit.to_json() == here["plain"].audit(n_boot=200).to_json()


def test_spark_gives_it_with_a_worker_killed_in_the_middle(
    spark, cluster: Cluster, folder: Path, here: dict[str, fairveil.Counts]
) -> None:
    table = spark.read.parquet(str(folder))
    found: list[fairveil.Counts] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            found.append(fairveil.Counts.from_engine(table, **ALL))
        except BaseException as error:  # noqa: BLE001 told by the test
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    tracker = spark.sparkContext.statusTracker()
    killed_at = None
    end = time.monotonic() + 120
    while thread.is_alive() and killed_at is None and time.monotonic() < end:
        for stage in tracker.getActiveStageIds():
            about = tracker.getStageInfo(stage)
            if about is not None and about.numTasks >= 10 and 2 <= about.numCompletedTasks <= about.numTasks - 4:
                cluster.kill(cluster.workers[0])
                killed_at = (about.numCompletedTasks, about.numTasks)
                break
        time.sleep(0.01)
    thread.join(timeout=300)
    assert not thread.is_alive()
    assert killed_at is not None, "the work was done before a worker could be killed"
    sys.stdout.write(f"a worker was killed with {killed_at[0]} of {killed_at[1]} tasks done\n")
    assert not failed, failed
    same(here["all"], found[0])


def test_duckdb_gives_the_local_tally(folder: Path, here: dict[str, fairveil.Counts]) -> None:
    table = duckdb.connect().read_parquet(str(folder / "*.parquet"))
    there = fairveil.Counts.from_engine(table, **PLAIN)
    assert there.to_csv() == here["plain"].to_csv()
    assert "GROUP BY" in there.query.upper()
    same(here["all"], fairveil.Counts.from_engine(table, **ALL))


def test_postgresql_through_ibis_gives_the_local_tally(folder: Path, here: dict[str, fairveil.Counts]) -> None:
    servers = os.environ.get("FAIRVEIL_POSTGRES")
    if servers is None:
        pytest.skip("no PostgreSQL server was started")
    import ibis
    import psycopg

    words = {
        "host": "127.0.0.1",
        "port": int((Path(servers) / "lasting" / "port").read_text()),
        "user": "owner",
        "password": (Path(servers) / "password").read_text(),
    }
    with psycopg.connect(**words, dbname="postgres", autocommit=True) as connection:
        connection.execute(
            "CREATE TABLE people (y_pred bigint, y_true bigint, proxy_1 text, proxy_2 text, proxy_3 text,"
            " w double precision, model_blue double precision, model_green double precision, never_asked_for double precision)"
        )
        with connection.cursor() as cursor, cursor.copy("COPY people FROM STDIN (FORMAT csv)") as copy:
            for path in sorted(folder.glob("*.parquet")):
                copy.write(pl.read_parquet(path).write_csv(include_header=False))
    connection = ibis.postgres.connect(**words, database="postgres")
    try:
        table = connection.table("people")
        there = fairveil.Counts.from_engine(table, **PLAIN)
        assert there.to_csv() == here["plain"].to_csv()
        assert "GROUP BY" in there.query
        assert "never_asked_for" not in there.query
        same(here["all"], fairveil.Counts.from_engine(table, **ALL))
    finally:
        connection.disconnect()
