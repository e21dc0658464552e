"""Build both languages, serve them, and build again when a source changes."""

import argparse
import logging
import shutil
import socket
import sys
import tempfile
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.livereload import LiveReloadServer

ROOT = Path(__file__).resolve().parents[1]
WATCHED = ("docs", "snippets", "tools", "mkdocs.yml", "mkdocs.zh.yml")


def build_into(folder, address):
    """Both languages; English first, since that empties the folder."""
    for name, below in (("mkdocs.yml", ""), ("mkdocs.zh.yml", "zh/")):
        print(f"building {name} ...", flush=True)
        config = load_config(
            str(ROOT / name),
            site_dir=str(folder / below),
            site_url=address + below,
        )
        build(config, serve_url=address + below)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    told = parser.parse_args()
    address = f"http://{told.host}:{told.port}/"
    try:
        socket.create_server((told.host, told.port)).close()
    except (OSError, OverflowError) as error:
        return f"{address} is not free ({error}): try make serve PORT=8001"
    # MkDocs names the page and the reason in its warnings and errors.
    logging.getLogger("mkdocs").addHandler(logging.StreamHandler())

    with tempfile.TemporaryDirectory(prefix="whiteboard-rl-") as made:
        fresh, site = Path(made, "fresh"), Path(made, "site")

        def build_all():
            try:
                build_into(fresh, address)
            except (Exception, SystemExit) as error:
                reason = (str(error) or repr(error)).splitlines()[0]
                print(f"not built, the last good site stays: {reason}")
            else:
                shutil.rmtree(site, ignore_errors=True)
                fresh.rename(site)

        try:
            build_all()
            server = LiveReloadServer(
                build_all, told.host, told.port, root=str(site)
            )
            for watched in WATCHED:
                server.watch(str(ROOT / watched))
            print(f"serving {address} and {address}zh/, Ctrl-C stops")
            server.serve()
        except KeyboardInterrupt:
            print("stopped")


if __name__ == "__main__":
    sys.exit(main())
