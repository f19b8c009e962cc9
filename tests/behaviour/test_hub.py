"""`torch.hub`: models of a folder, weights that are fetched once, repositories that are kept."""

import hashlib
import importlib
import io
import os
import sys
import zipfile
from urllib.error import URLError

import pytest

HUBCONF = '''
import helper

dependencies = ["math"]


def line(slope, intercept=0.0):
    """A line."""
    return helper.made(slope, intercept)


def _hidden():
    return None
'''


@pytest.fixture
def hub(torch, tmp_path):
    module = importlib.import_module(f"{torch.nn.__name__.partition('.')[0]}.hub")
    module.set_dir(str(tmp_path / "hub"))
    yield module
    module.set_dir(os.path.join(module._get_torch_home(), "hub"))


@pytest.fixture
def offline(hub, monkeypatch):
    def urlopen(*request):
        raise URLError("no connection")

    monkeypatch.setattr(hub, "urlopen", urlopen)


def written(folder, text=HUBCONF):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "hubconf.py").write_text(text, "utf-8")
    (folder / "helper.py").write_text("def made(*given):\n    return given\n", "utf-8")
    return str(folder)


@pytest.fixture(autouse=True)
def forget_helper():
    yield
    sys.modules.pop("helper", None)


def test_a_model_of_a_folder(hub, tmp_path):
    folder = written(tmp_path / "repository")
    assert hub.load(folder, "line", 2.0, source="local", intercept=1.0) == (2.0, 1.0)


@pytest.mark.parametrize(
    ("model", "text", "error", "words"),
    [
        ("curve", HUBCONF, RuntimeError, "Cannot find callable curve in hubconf"),
        ("line", 'dependencies = ["no_such_package"]', RuntimeError, "Missing dependencies: no_such_package"),
        (3, HUBCONF, ValueError, "Invalid input: model should be a string of function name"),
    ],
)
def test_what_a_folder_lacks(hub, tmp_path, model, text, error, words):
    with pytest.raises(error, match=words):
        hub.load(written(tmp_path / "repository", text), model, source="local")


def test_only_two_sources(hub):
    with pytest.raises(ValueError, match='Unknown source: "gitlab". Allowed values: "github" | "local".'):
        hub.load("owner/name", "line", source="gitlab")


def test_a_repository_that_was_fetched_needs_no_connection(hub, offline, tmp_path):
    written(tmp_path / "hub" / "owner_name_main")
    assert hub.load("owner/name", "line", 2.0, verbose=False) == (2.0, 0.0)
    assert "line" in hub.list("owner/name:main", verbose=False)
    assert hub.help("owner/name:main", "line") == "A line."


def test_a_repository_that_is_not_there_offline(hub, offline):
    words = "It looks like there is no internet connection and the repo could not be found in the cache"
    with pytest.raises(RuntimeError, match=words):
        hub.load("owner/name", "line", trust_repo=True)


def test_a_user_who_does_not_trust_a_repository(hub, offline, monkeypatch):
    monkeypatch.setattr("builtins.input", lambda question: "n")
    with pytest.raises(Exception, match="Untrusted repository"):
        hub.load("owner/name:main", "line")


def test_a_repository_is_fetched_unpacked_and_kept(hub, tmp_path, monkeypatch):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("owner-name-1a2b3c/", "")
        file.writestr("owner-name-1a2b3c/hubconf.py", HUBCONF)
        file.writestr("owner-name-1a2b3c/helper.py", "made = max")
    fetched = []

    def download(url, dst, *rest, **named):
        fetched.append(url)
        with open(dst, "wb") as file:
            file.write(archive.getvalue())

    monkeypatch.setattr(hub, "download_url_to_file", download)
    for _ in range(2):
        result = hub.load("owner/name:v1", "line", 2.0, trust_repo=True, skip_validation=True, verbose=False)
        assert result == 2.0
    assert fetched == ["https://github.com/owner/name/zipball/v1"]


def test_an_archive_that_would_write_elsewhere_is_refused(hub, tmp_path):
    archive = tmp_path / "bad.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("../outside.py", "")
    with zipfile.ZipFile(archive) as file, pytest.raises(ValueError, match="directory traversal"):
        hub._safe_extract_zip(file, str(tmp_path / "there"))


@pytest.mark.parametrize(
    "entries",
    [[], ["hubconf.py"], ["one/hubconf.py", "two/hubconf.py"], ["one/hubconf.py", "../../outside.py"]],
    ids=["empty", "a file", "two folders", "a way out"],
)
def test_an_archive_that_is_refused_leaves_nothing_behind(hub, tmp_path, monkeypatch, entries):
    if hub.__name__.startswith("torch"):
        pytest.skip("PyTorch leaves the archive, and its parts, where they are")

    def fetch(url, file, *arguments, **keywords):
        with zipfile.ZipFile(file, "w") as archive:
            for each in entries:
                archive.writestr(each, "def made():\n    return 7\n")

    monkeypatch.setattr(hub, "download_url_to_file", fetch)
    with pytest.raises((RuntimeError, ValueError), match="archive of a repository|directory traversal"):
        hub.load("owner/name:main", "made", trust_repo=True, verbose=False)
    assert os.listdir(hub.get_dir()) == ["trusted_list"]
    assert not list(tmp_path.rglob("outside.py"))


def test_weights_are_fetched_once_and_checked(torch, hub, tmp_path, capsys):
    source = tmp_path / "source.pth"
    torch.save({"weight": torch.ones(2)}, source)
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    named = tmp_path / f"net-{digest[:8]}.pth"
    source.rename(named)
    first = hub.load_state_dict_from_url(named.as_uri(), check_hash=True, progress=False, weights_only=True)
    named.unlink()
    second = hub.load_state_dict_from_url(named.as_uri(), check_hash=True, progress=False, weights_only=True)
    assert first["weight"].tolist() == second["weight"].tolist() == [1, 1]
    assert capsys.readouterr().out.count("Downloading: ") == 1


def test_a_file_with_another_hash_leaves_nothing_behind(hub, tmp_path):
    (tmp_path / "file").write_bytes(b"content")
    (tmp_path / "there").mkdir()
    with pytest.raises(RuntimeError, match=r'invalid hash value \(expected "0123", got "ed7002b4'):
        hub.download_url_to_file((tmp_path / "file").as_uri(), str(tmp_path / "there" / "x"), "0123", progress=False)
    assert not list((tmp_path / "there").iterdir())


def test_no_connection_for_a_file(hub, offline, tmp_path):
    with pytest.raises(URLError, match="no connection"):
        hub.load_state_dict_from_url("https://example.org/net.pth", progress=False)


def test_where_it_is_kept(hub, monkeypatch):
    monkeypatch.setenv("TORCH_HOME", "/somewhere")
    assert hub._get_torch_home() == "/somewhere"
    hub.set_dir("/elsewhere")
    assert hub.get_dir() == "/elsewhere"
