"""Build both languages, serve them, and build again when a source changes."""

import sys
import tempfile
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.livereload import LiveReloadServer

ROOT = Path(__file__).resolve().parents[1]


def main(host, port):
    with tempfile.TemporaryDirectory(prefix="whiteboard-rl-") as site:
        address = f"http://{host}:{port}/"

        def build_all():
            # English first: building it empties the folder.
            for name, below in (("mkdocs.yml", ""), ("mkdocs.zh.yml", "zh")):
                print(f"building {name} ...", flush=True)
                config = load_config(
                    str(ROOT / name),
                    site_dir=str(Path(site, below)),
                    site_url=f"{address}{below}/" if below else address,
                )
                build(config, serve_url=config.site_url)

        build_all()
        server = LiveReloadServer(build_all, host, int(port), root=site)
        for watched in ("docs", "snippets", "mkdocs.yml", "mkdocs.zh.yml"):
            server.watch(str(ROOT / watched))
        print(f"serving {address} and {address}zh/, Ctrl-C stops", flush=True)
        try:
            server.serve()
        except OSError as error:
            return f"cannot serve on {address}: {error.strerror}"
        except KeyboardInterrupt:
            server.shutdown()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
