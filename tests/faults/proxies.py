"""nginx and Caddy with the very files of deploy/, on ports and folders of a test's own."""

import getpass
import os
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.faults.parts import ROOT, Part, binary, free_port, until

# What a machine decides; everything else stays as it is delivered.
NGINX = """
daemon off;
user {user};
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
worker_processes 1;
worker_rlimit_nofile 32768;
events {{
    worker_connections 16384;
}}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/chiron.conf;
}}
"""


def rendered(file: str, replacements: Mapping[str, str]) -> str:
    """The file with each of these lines' parts replaced; all must be there."""
    text = (ROOT / "deploy" / file).read_text()
    for old, new in replacements.items():
        assert old in text, f"deploy/{file} has no {old!r}"
        text = text.replace(old, new)
    return text


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate that nobody but the test trusts, and its key."""
    made, key = folder / "certificate.pem", folder / "certificate.key"
    options = f"req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=127.0.0.1 -out {made} -keyout {key}"
    command = [binary("openssl"), *options.split(), "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return made, key


def nginx_command(folder: Path, *, port: int, site: str) -> list[str]:
    made, key = certificate(folder)
    plain = free_port()
    text = rendered(
        "nginx.conf",
        {
            "server 127.0.0.1:8000;": f"server {site};",
            "listen 80;": f"listen 127.0.0.1:{plain};",
            "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
            "    listen [::]:80;\n": "",
            "    listen [::]:443 ssl http2;\n": "",
            "/etc/ssl/certs/study.example.org.pem": str(made),
            "/etc/ssl/private/study.example.org.key": str(key),
            "/var/log/nginx/": f"{folder}/",
        },
    )
    (folder / "chiron.conf").write_text(text)
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, user=getpass.getuser()))
    return [binary("nginx"), "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", f"{folder}/nginx.log"]


def caddy_command(folder: Path, *, port: int, site: str) -> list[str]:
    made, key = certificate(folder)
    text = rendered(
        "Caddyfile",
        {
            "{\n\t# Addresses": "{\n\tadmin off\n\tauto_https disable_redirects\n\t# Addresses",
            "study.example.org {": f"https://127.0.0.1:{port} {{\n\ttls {made} {key}",
            "127.0.0.1:8000": site,
        },
    )
    (folder / "Caddyfile").write_text(text)
    return [binary("caddy"), "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


COMMANDS = {"nginx": nginx_command, "caddy": caddy_command}


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def proxy(kind: str, folder: Path, *, site: str) -> Iterator[int]:
    """Run the proxy before `site` (host:port); yield the port on which it speaks TLS."""
    folder.mkdir()
    port = free_port()
    part = Part(
        kind,
        COMMANDS[kind](folder, port=port, site=site),
        environment={**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder)},
        logs=folder.parent / "logs",
    )
    part.start()
    try:
        until(lambda: listens(port), seconds=30, what=f"{kind} listens")
        yield port
    finally:
        part.clear()
