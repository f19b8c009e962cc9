"""`torch.hub`: models published as code with a `hubconf.py`, in a folder or on GitHub, and weight files.

Downloads are kept in `get_dir()` and then need no connection. https://docs.pytorch.org/docs/stable/hub.html
"""

from __future__ import annotations

import builtins
import hashlib
import importlib.util
import os
import re
import shutil
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlparse
from urllib.request import Request, urlopen

from rushlight.core.errors import noted
from rushlight.serialization import load as load_checkpoint

__all__ = [
    "download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir",
]  # fmt: skip

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")  # resnet18-bfd8deac.pth: the start of its SHA-256
ENV_GITHUB_TOKEN, ENV_TORCH_HOME, ENV_XDG_CACHE_HOME = "GITHUB_TOKEN", "TORCH_HOME", "XDG_CACHE_HOME"
DEFAULT_CACHE_DIR = "~/.cache"
MODULE_HUBCONF, VAR_DEPENDENCY = "hubconf.py", "dependencies"
READ_DATA_CHUNK = 128 * 1024
TRUSTED_OWNERS = ("facebookresearch", "facebookincubator", "pytorch", "fairinternal")
AGENT = {"User-Agent": "torch.hub"}


class Chosen:
    """The folder that a program has set instead of the default."""

    directory: str | None = None


# ---- folders


def _get_torch_home() -> str:
    home = os.environ.get(ENV_TORCH_HOME)
    return os.path.expanduser(home or os.path.join(os.environ.get(ENV_XDG_CACHE_HOME, DEFAULT_CACHE_DIR), "torch"))


def get_dir() -> str:
    """Returns the download folder: `$TORCH_HOME/hub`, or else `~/.cache/torch/hub`."""
    return Chosen.directory or os.path.join(_get_torch_home(), "hub")


def set_dir(d: str | os.PathLike) -> None:
    """Sets the download folder."""
    Chosen.directory = os.path.expanduser(d)


# ---- files


class tqdm:  # noqa: N801  # the name by which other packages import it
    """The progress of a download, on one line of stderr."""

    def __init__(self, total: int | None = None, disable: bool = False, **look: Any):
        self.total, self.disable, self.n = total, disable, 0

    def update(self, n: int) -> None:
        """Adds `n` bytes to the progress."""
        self.n += n
        if not self.disable:
            done = f"{self.n} bytes" if self.total is None else f"{100 * self.n / self.total:.1f}%"
            sys.stderr.write(f"\r{done}")
            sys.stderr.flush()

    def close(self) -> None:
        """Ends the line."""
        if not self.disable:
            sys.stderr.write("\n")

    def __enter__(self) -> tqdm:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Downloads a file. It appears at `dst` once complete.

    Raises RuntimeError if its SHA-256 does not start with `hash_prefix`, and `URLError` without a connection.
    """
    dst = os.path.expanduser(dst)
    partial = f"{dst}.{os.getpid()}-{time.monotonic_ns()}.partial"
    digest = hashlib.sha256()
    try:
        with urlopen(Request(url, headers=AGENT)) as source, open(partial, "xb") as file:
            size = source.info().get("Content-Length")
            with tqdm(total=int(size) if size else None, disable=not progress) as bar:
                while chunk := source.read(READ_DATA_CHUNK):
                    file.write(chunk)
                    digest.update(chunk)
                    bar.update(len(chunk))
        if hash_prefix is not None and not digest.hexdigest().startswith(hash_prefix):
            raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{digest.hexdigest()}")')
        os.replace(partial, dst)
    except URLError as error:
        if not isinstance(error, HTTPError):
            error.add_note(f"There may be no connection. Put the file where it is looked for: {dst}")
        raise
    finally:
        with suppress(FileNotFoundError):
            os.remove(partial)


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = False,
) -> dict[str, Any]:
    """Returns the checkpoint at a URL, downloaded once to `model_dir`, or else to `get_dir()/checkpoints`.

    `check_hash` checks the start of the SHA-256 in the file name: `resnet18-bfd8deac.pth`.
    """
    folder = model_dir if model_dir is not None else os.path.join(get_dir(), "checkpoints")
    os.makedirs(folder, exist_ok=True)
    cached = os.path.join(folder, file_name or os.path.basename(urlparse(url).path))
    if not os.path.exists(cached):
        sys.stdout.write(f'Downloading: "{url}" to {cached}\n')
        named = HASH_REGEX.search(os.path.basename(cached)) if check_hash else None
        download_url_to_file(url, cached, named.group(1) if named else None, progress=progress)
    return load_checkpoint(cached, map_location=map_location, weights_only=weights_only)


# ---- repositories


def _parse_repo_info(github: str) -> tuple[str, str, str]:
    """Returns owner, name and branch or tag of "owner/name:ref"; the default branch without a ref."""
    repository, _, ref = github.partition(":")
    owner, name = repository.split("/")
    return owner, name, ref or _default_branch(owner, name)


def _default_branch(owner: str, name: str) -> str:
    try:
        with urlopen(f"https://github.com/{owner}/{name}/tree/main/"):
            return "main"
    except HTTPError as error:
        if error.code == 404:
            return "master"
        raise
    except URLError as error:
        for ref in ("main", "master"):
            if os.path.exists(os.path.join(get_dir(), f"{owner}_{name}_{ref}")):
                return ref
        raise noted(
            RuntimeError(
                "It looks like there is no internet connection and the repo could not be found in the cache "
                f"({get_dir()})"
            ),
            f"A checkout of it can be loaded from its folder: torch.hub.load('path/to/{name}', ..., source='local').",
        ) from error


def _get_cache_or_reload(
    github: str, force_reload: bool, trust_repo: Any, verbose: bool = True, skip_validation: bool = False
) -> str:
    """Returns the folder of a repository, downloaded if it is missing or if `force_reload`."""
    os.makedirs(get_dir(), exist_ok=True)
    owner, name, ref = _parse_repo_info(github)
    folder = os.path.join(get_dir(), "_".join((owner, name, ref.replace("/", "_"))))
    _check_repo_is_trusted(owner, name, os.path.basename(folder), trust_repo)
    if not force_reload and os.path.exists(folder):
        if verbose:
            sys.stderr.write(f"Using cache found in {folder}\n")
        return folder
    archive = f"{folder}.zip"
    url = f"https://github.com/{owner}/{name}/zipball/{ref}"
    if verbose:
        sys.stdout.write(f'Downloading: "{url}" to {archive}\n')
    download_url_to_file(url, archive, progress=False)
    _unpack(archive, folder)
    return folder


def _unpack(archive: str, folder: str) -> None:
    """Moves the only folder of an archive to another path, and removes the archive."""
    parts = f"{folder}.parts"
    shutil.rmtree(parts, ignore_errors=True)
    try:
        os.mkdir(parts)
        with zipfile.ZipFile(archive) as file:
            _safe_extract_zip(file, parts)
        entries = [x.path for x in os.scandir(parts)]
        if len(entries) != 1 or not os.path.isdir(entries[0]):
            raise RuntimeError(
                f"{archive} is no archive of a repository: it has {len(entries)} entries, not one folder"
            )
        shutil.rmtree(folder, ignore_errors=True)
        shutil.move(entries[0], folder)
    finally:
        shutil.rmtree(parts, ignore_errors=True)
        os.remove(archive)


def _safe_extract_zip(zip_file: zipfile.ZipFile, extract_to: str) -> None:
    """Unpacks an archive. Raises ValueError if an entry would be outside of the folder."""
    target = Path(extract_to).resolve()
    for entry in zip_file.infolist():
        path = os.path.normpath(entry.filename)
        if path.startswith(("/", "\\")) or path[1:2] == ":":
            raise ValueError(f"Archive entry has absolute path: {entry.filename}")
        if ".." in re.split(r"[\\/]", path):
            raise ValueError(f"Archive entry contains directory traversal: {entry.filename}")
        if not (target / path).resolve().is_relative_to(target):
            raise ValueError(f"Archive entry escapes target directory: {entry.filename}")
        zip_file.extract(entry, target)


def _check_repo_is_trusted(owner: str, name: str, folder: str, trust_repo: Any) -> None:
    """Asks the user to trust a repository, whose code will run, unless it is known or `trust_repo` is True."""
    listed = Path(get_dir(), "trusted_list")
    known = listed.read_text("utf-8").split() if listed.exists() else []
    repository = f"{owner}_{name}"
    trusted = repository in known or owner in TRUSTED_OWNERS or os.path.isdir(os.path.join(get_dir(), folder))
    if trust_repo is False or (trust_repo == "check" and not trusted):
        answer = input(
            f"The repository {repository} does not belong to the list of trusted repositories and as such cannot be "
            "downloaded. Do you trust this repository and wish to add it to the trusted list of repositories (y/N)?"
        ).lower()
        if answer in ("n", "no", ""):
            raise Exception("Untrusted repository.")
        if answer not in ("y", "yes"):
            raise ValueError(f"Unrecognized response {answer}.")
    if not trusted:
        listed.write_text("".join(f"{x}\n" for x in (*known, repository)), "utf-8")


# ---- their models


@contextmanager
def _add_to_sys_path(path: str) -> Iterator[None]:
    sys.path.insert(0, path)
    try:
        yield
    finally:
        sys.path.remove(path)


def _import_module(name: str, path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise AssertionError(f"failed to load spec from {path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def _hubconf(folder: str) -> Iterator[ModuleType]:
    """Yields the module `hubconf` of a folder; it can import other files of the folder in the block."""
    with _add_to_sys_path(folder):
        yield _import_module(MODULE_HUBCONF, os.path.join(folder, MODULE_HUBCONF))


def _load_entry_from_hubconf(m: ModuleType, model: str) -> Callable:
    """Returns a model's function. Raises RuntimeError if it, or a package that the module needs, is missing."""
    if not isinstance(model, str):
        raise ValueError("Invalid input: model should be a string of function name")
    needed = getattr(m, VAR_DEPENDENCY, None) or ()
    missing = [package for package in needed if importlib.util.find_spec(package) is None]
    if missing:
        raise RuntimeError(f"Missing dependencies: {', '.join(missing)}")
    function = getattr(m, model, None)
    if not callable(function):
        raise RuntimeError(f"Cannot find callable {model} in hubconf")
    return function


def load(
    repo_or_dir: str,
    model: str,
    *args: Any,
    source: str = "github",
    trust_repo: Any = "check",
    force_reload: bool = False,
    verbose: bool = True,
    skip_validation: bool = False,
    **kwargs: Any,
) -> Any:
    """Returns the result of the function `model` of a `hubconf.py` for these arguments.

    `repo_or_dir` is "owner/name:branch" on GitHub, or a folder if `source` is "local".
    """
    source = source.lower()
    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    if source == "github":
        repo_or_dir = _get_cache_or_reload(repo_or_dir, force_reload, trust_repo, verbose, skip_validation)
    with _hubconf(repo_or_dir) as conf:
        return _load_entry_from_hubconf(conf, model)(*args, **kwargs)


def list(
    github: str, force_reload: bool = False, skip_validation: bool = False, trust_repo: Any = "check",
    verbose: bool = True,
) -> builtins.list[str]:  # fmt: skip
    """Returns the model names of a repository on GitHub."""
    folder = _get_cache_or_reload(github, force_reload, trust_repo, verbose, skip_validation)
    with _hubconf(folder) as conf:
        return [name for name in dir(conf) if callable(getattr(conf, name)) and not name.startswith("_")]


def help(
    github: str, model: str, force_reload: bool = False, skip_validation: bool = False, trust_repo: Any = "check"
) -> str | None:
    """Returns the docstring of a model's function in a repository on GitHub."""
    folder = _get_cache_or_reload(github, force_reload, trust_repo, True, skip_validation)
    with _hubconf(folder) as conf:
        return _load_entry_from_hubconf(conf, model).__doc__
