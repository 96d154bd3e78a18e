"""Proof: an S3 bucket is read and written as a folder is, by the commands as users call them."""

import io
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from metamorph.corpus import sample_path
from metamorph.runs.reading import reading

pytestmark = pytest.mark.proof

boto3 = pytest.importorskip("boto3")
pytest.importorskip("s3fs")
moto_server = pytest.importorskip("moto.server")

BUCKET = "corpora"


@pytest.fixture(scope="module")
def bucket() -> Iterator[dict[str, str]]:
    """A server with the sample corpus in a bucket, in every form; the environment to reach it."""
    server = moto_server.ThreadedMotoServer(port=0)
    server.start()
    host, port = server.get_host_and_port()
    environ = {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "not-to-be-told",
        "AWS_DEFAULT_REGION": "us-east-1",
        "FSSPEC_S3_ENDPOINT_URL": f"http://{host}:{port}",
    }
    old = dict(os.environ)
    os.environ.update(environ)
    try:
        with closing(boto3.client("s3", endpoint_url=environ["FSSPEC_S3_ENDPOINT_URL"])) as client:
            client.create_bucket(Bucket=BUCKET)
            for name, data in _forms().items():
                client.put_object(Bucket=BUCKET, Key=name, Body=data)
        yield environ
    finally:
        os.environ.clear()
        os.environ.update(old)
        server.stop()


def _files() -> dict[str, bytes]:
    paths = sorted(sample_path().rglob("*.java"))
    return {path.relative_to(sample_path()).as_posix(): path.read_bytes() for path in paths}


def _forms() -> dict[str, bytes]:
    """The sample corpus as a folder, a tar and a zip."""
    tarred, zipped = io.BytesIO(), io.BytesIO()
    with (
        tarfile.open(fileobj=tarred, mode="w:gz") as tar,
        zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name, data in _files().items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
            archive.writestr(name, data)
    folder = {f"src/{name}": data for name, data in _files().items()}
    return {**folder, "src.tar.gz": tarred.getvalue(), "src.zip": zipped.getvalue()}


def _metamorph(folder: Path, environ: dict[str, str], *words: str) -> str:
    """What the command says; it must end well."""
    done = subprocess.run(
        [sys.executable, "-m", "metamorph", *words],
        cwd=folder,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def _rows(folder: Path) -> list[tuple[object, ...]]:
    """What was found of each variant, by the end of its file's name."""
    query = """
    SELECT substr(f.path, -12), m.method, m.name, m.label, v.variant, v.transform, v.label, v.edits
    FROM variants v JOIN methods m USING (file, method) JOIN files f USING (file)
    """
    with reading(folder) as connection:
        return sorted(connection.execute(query).fetchall())


def test_every_form_of_a_corpus_in_a_bucket_gives_the_results_of_the_folder(
    bucket: dict[str, str], tmp_path: Path
) -> None:
    plan = ["--model", "code2vec", "--transform", "VN", "--limit", "60"]
    _metamorph(tmp_path, bucket, "run", str(sample_path()), *plan, "--out", "here")
    expected = _rows(tmp_path / "here")
    assert expected
    for form in ("src", "src.zip", "src.tar.gz"):
        address, out = f"s3://{BUCKET}/{form}", f"from-{form}"
        told = _metamorph(tmp_path, bucket, "run", address, *plan, "--out", out, "--workers", "2")
        assert _rows(tmp_path / out) == expected
        kept = (tmp_path / out / "manifest.json").read_text()
        assert address in kept and "not-to-be-told" not in kept + told


def test_what_is_sent_to_a_bucket_is_read_from_there(
    bucket: dict[str, str], tmp_path: Path
) -> None:
    plan = ["--model", "code2vec", "--transform", "VN", "--limit", "20"]
    there = f"s3://{BUCKET}/runs/one"
    corpus = f"s3://{BUCKET}/src"
    _metamorph(tmp_path, bucket, "run", corpus, *plan, "--out", "run", "--publish", there)
    reports = [
        _metamorph(tmp_path, bucket, "report", run, "--format", "csv") for run in ("run", there)
    ]
    assert reports[0] == reports[1]
    _metamorph(tmp_path, bucket, "report", there, "--format", "html", "--out", f"{there}.html")
    _metamorph(tmp_path, bucket, "report", "run", "--format", "html", "--out", "run.html")
    out = f"s3://{BUCKET}/variants"
    made = ["transform", corpus, "--transform", "VN", "--format", "jsonl", "--out"]
    for place in ("variants", out):
        _metamorph(tmp_path, bucket, *made, place)
    with closing(boto3.client("s3", endpoint_url=bucket["FSSPEC_S3_ENDPOINT_URL"])) as client:
        sent = client.get_object(Bucket=BUCKET, Key="variants/variants.jsonl")["Body"].read()
        page = client.get_object(Bucket=BUCKET, Key="runs/one.html")["Body"].read()
    assert sent == (tmp_path / "variants" / "variants.jsonl").read_bytes()
    assert len(page) > 10_000
